"""Memory of this process, as Linux counts it."""


def mebibytes(field: str) -> float:
    """MiB in use now (``VmRSS``) or the most since the last reset (``VmHWM``)."""
    with open("/proc/self/status") as lines:
        return int(next(line for line in lines if line.startswith(field)).split()[1]) / 1024


def reset_peak() -> None:
    """Restart the high-water mark."""
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
