"""How much memory can still be had, so that what cannot fit is refused before it is tried."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from math import inf
from pathlib import Path, PurePosixPath

from lovasz.base.errors import LovaszError

PROC = Path("/proc")
CGROUP = Path("/sys/fs/cgroup")

# Per version of control groups: the mount, the limit, the use, the cache it counts as use.
_V1 = ("memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_V2 = ("", "memory.max", "memory.current", "inactive_file")


def free_memory() -> float:
    """Bytes of memory to be had: the least that the machine and its control groups allow.

    Where the system does not tell what is free it is all that is installed; where it does not
    tell that either, infinity.
    """
    return max(0.0, min(_machine(), min(_control_groups(), default=inf)))


def _machine() -> float:
    """Bytes free on the machine: a container sees those of its host here."""
    with suppress(OSError, ValueError, IndexError):
        for line in (PROC / "meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):  # counts what the page cache would give back
                return 1024.0 * int(line.split()[1])
    with suppress(AttributeError, OSError, ValueError):  # Windows has no sysconf
        installed = float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
        return installed if installed > 0 else inf  # -1 is "not known"
    return inf


def _control_groups() -> Iterator[float]:
    """Bytes left under each limit that this process is held to."""
    for (mount, limit, use, cache), group in _memberships():
        top = CGROUP / mount
        # A container may see the path of its host here: then only the mount itself exists.
        for folder in {top, *(top / part for part in (group, *group.parents))}:
            with suppress(OSError, ValueError):  # no such file, or "max": no limit
                left = int((folder / limit).read_text()) - int((folder / use).read_text())
                yield float(left + _statistic(folder / "memory.stat", cache))


def _memberships() -> Iterator[tuple[tuple[str, str, str, str], PurePosixPath]]:
    """The version and path of each control group that this process is in."""
    root = PurePosixPath()
    groups = {_V1: root, _V2: root}
    with suppress(OSError):
        for line in (PROC / "self" / "cgroup").read_text().splitlines():
            _, _, rest = line.partition(":")
            controllers, _, path = rest.partition(":")
            if controllers == "" or "memory" in controllers.split(","):
                groups[_V1 if controllers else _V2] = PurePosixPath(path.lstrip("/"))
    yield from groups.items()


def _statistic(path: Path, name: str) -> int:
    """One number of memory.stat, 0 where it is not there."""
    with suppress(OSError, ValueError):
        for line in path.read_text().splitlines():
            key, _, value = line.partition(" ")
            if key == name:
                return int(value)
    return 0


BYTES_PER_ENTRY = 64  # at the peak: the matrix, its factor, the inverse, and the CSR arrays

SPARSE = "use a sparse kernel such as 'ls' or 'gcn'"


def refuse_if_too_large(what: str, entries: int, remedy: str = SPARSE) -> None:
    """Raise when ``entries`` of a dense matrix would not fit into the memory that is free."""
    needed, free = entries * BYTES_PER_ENTRY, free_memory()
    if needed > free:
        raise LovaszError(
            f"{what} would need about {needed / 2**30:,.1f} GiB and "
            f"{free / 2**30:,.1f} GiB are free; {remedy}"
        )
