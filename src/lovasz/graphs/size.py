"""Numbers of nodes that cannot be: refused where they are read, before memory is asked for."""

from __future__ import annotations

from math import isqrt

from lovasz.base.errors import LovaszError
from lovasz.base.memory import free_memory
from lovasz.graphs.source import shorten

BYTES_PER_NODE = 64
"""A few row pointers of 8 bytes, held at once while a matrix is checked and made symmetric."""
MOST = isqrt(2**63 - 1)
"""Nodes of which every pair i·n + j is a 64-bit integer."""
_ALWAYS = 2**20  # nodes that fit everywhere: the system need not be asked


def refuse_unfit(n: int, *, bytes_per_node: int = BYTES_PER_NODE) -> None:
    """Raise where a graph of ``n`` nodes and no edge would already be too large."""
    if n <= _ALWAYS:
        return
    free = free_memory()
    if n > MOST or n * bytes_per_node > free:
        raise _unfit(str(n), "nodes", f"into the {free / 2**30:,.1f} GiB that are free")


def declared(text: str, what: str) -> int:
    """A count that a file gives in ASCII digits; ``what`` it counts."""
    if len(text.lstrip("0")) > 18:  # int() itself gives up at some thousand digits
        raise _unfit(text, what, "into any memory")
    return int(text)


def declared_nodes(text: str) -> int:
    """A number of nodes that a file gives in ASCII digits, if so many could be held."""
    n = declared(text, "nodes")
    refuse_unfit(n)
    return n


def _unfit(value: str, what: str, where: str) -> LovaszError:
    return LovaszError(
        f"declares {shorten(value)} {what}; that does not fit {where}, correct the number"
    )
