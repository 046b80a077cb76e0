"""The memory that is free, and the refusal of work that would not fit into it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from math import inf
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from lovasz.base.errors import LovaszError

PROC = Path("/proc")
"""The folder in which Linux tells what memory is free and which control groups a process is in."""

CGROUP = Path("/sys/fs/cgroup")
"""The folder in which Linux mounts the control groups."""

BYTES_PER_ENTRY = 64
"""Peak memory per entry of a dense matrix: the matrix, its factor, its inverse, a CSR copy."""


class _Version(NamedTuple):
    """The names that one version of Linux control groups gives to its files."""

    mount: str
    """Folder below :data:`CGROUP` that holds the groups."""
    limit: str
    """File with the number of bytes that a group may use."""
    usage: str
    """File with the number of bytes that a group uses."""
    cache: str
    """The entry of ``memory.stat`` that counts as usage although it is given back on demand."""


_V1 = _Version("memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
"""Version 1, which has one hierarchy per resource."""

_V2 = _Version("", "memory.max", "memory.current", "inactive_file")
"""Version 2, which has one hierarchy for all resources."""


def refuse_if_too_large(
    what: str, entries: float, remedy: str, *, bytes_per_entry: int = BYTES_PER_ENTRY
) -> None:
    """Raise if ``entries`` entries of ``bytes_per_entry`` bytes do not fit into free memory.

    ``what`` is the subject of the error message, and ``remedy`` its last clause.

    >>> refuse_if_too_large("the complement", 10**15, "take a part of the graph")
    ... # doctest: +ELLIPSIS
    Traceback (most recent call last):
    lovasz.base.errors.LovaszError: the complement would need about 59,604,644.8 GiB and ...
    """
    needed, free = entries * bytes_per_entry, free_memory()
    if needed > free:
        raise LovaszError(
            f"{what} would need about {needed / 2**30:,.1f} GiB and "
            f"{free / 2**30:,.1f} GiB are free; {remedy}"
        )


def free_memory() -> float:
    """Return the number of free bytes: the least that the machine and its control groups allow.

    If the system does not tell what is free, this is the installed memory; if it does not tell
    that either, infinity.
    """
    return max(0.0, min(_machine(), min(_control_groups(), default=inf)))


def _machine() -> float:
    """Return the free bytes of the machine, which inside a container is the host."""
    with suppress(OSError, ValueError, IndexError):
        for line in (PROC / "meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):  # includes what the page cache would give back
                return 1024.0 * int(line.split()[1])
    with suppress(AttributeError, OSError, ValueError):  # Windows has no sysconf
        installed = float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
        return installed if installed > 0 else inf  # -1 means "not known"
    return inf


def _control_groups() -> Iterator[float]:
    """Yield the bytes left under each limit that this process is held to."""
    for version, group in _memberships():
        top = CGROUP / version.mount
        # A container may be told the path on its host, of which only the mount itself exists here.
        for folder in {top, *(top / part for part in (group, *group.parents))}:
            # There is no limit if the file is missing or holds the word "max".
            with suppress(OSError, ValueError):
                limit = int((folder / version.limit).read_text())
                used = int((folder / version.usage).read_text())
                yield float(limit - used + _statistic(folder / "memory.stat", version.cache))


def _memberships() -> Iterator[tuple[_Version, PurePosixPath]]:
    """Yield the version and the path of each control group that this process is in."""
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
    """Return one number of ``memory.stat``, or 0 if it is not there."""
    with suppress(OSError, ValueError):
        for line in path.read_text().splitlines():
            key, _, value = line.partition(" ")
            if key == name:
                return int(value)
    return 0
