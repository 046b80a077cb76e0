"""Numbers of nodes that cannot be held: they are refused before any memory is allocated."""

from __future__ import annotations

from math import isqrt

from lovasz.base.errors import LovaszError
from lovasz.base.memory import refuse_if_too_large
from lovasz.base.text import truncate

BYTES_PER_NODE = 64
"""Memory per node without edges: row pointers of 8 bytes, of which checks hold several copies."""

MOST_NODES = isqrt(2**63 - 1)
"""The largest n for which the key i·n + j of every pair of nodes is a 64-bit integer."""

MOST_DIGITS = 18
"""Declared numbers with more digits are refused unread; ``int`` fails at some thousand digits."""

ALWAYS_FITS = 2**20
"""Up to this number of nodes the system is not asked for its free memory."""


def check_node_count(n: int, *, bytes_per_node: int = BYTES_PER_NODE) -> None:
    """Raise if a graph of ``n`` nodes would be too large even without edges."""
    if n <= ALWAYS_FITS:
        return
    refuse_if_too_large(
        f"a graph of {n:,} nodes", n, "correct the number", bytes_per_entry=bytes_per_node
    )
    if n > MOST_NODES:
        raise LovaszError(f"a graph of {n:,} nodes is too large; at most {MOST_NODES:,} fit")


def parse_count(text: str, what: str) -> int:
    """Return the count that a file gives in ASCII digits; ``what`` names the things counted.

    >>> parse_count("0042", "edges")
    42
    """
    if len(text.lstrip("0")) > MOST_DIGITS:
        raise LovaszError(f"{truncate(text)} {what} do not fit into any memory; correct the number")
    return int(text)


def parse_node_count(text: str) -> int:
    """Return the number of nodes that a file gives in ASCII digits, if that many can be held."""
    n = parse_count(text, "nodes")
    check_node_count(n)
    return n
