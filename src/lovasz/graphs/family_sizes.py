"""Limits on the sizes of symmetric families, checked before any number of the graph is computed.

Such a graph is never written down, but the bounds on its ϑ are doubles, and tables of its
eigenvalues would fill the memory long before.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import comb

from lovasz.base.errors import LovaszError

MOST_BITS = 1000
"""Bits of the largest number of nodes whose ϑ is surely a double."""

LONGEST_CHANNEL = 64
"""Largest number of bits of the words of :func:`lovasz.graphs.families.z_channel`."""


def check_words(n: int, q: int) -> None:
    """Raise if there are too many words of ``n`` letters from ``q``.

    >>> check_words(999, 2)
    """
    least_bits = q.bit_length() - 1
    if n * least_bits < MOST_BITS and _fits(q**n):
        return
    longest = MOST_BITS // least_bits
    while not _fits(q**longest):
        longest -= 1
    remedy = f"n up to {longest}" if longest else f"q below 2**{MOST_BITS}"
    raise _too_many(f"words of n={_show(n)} letters from q={_show(q)}", remedy)


def check_subsets(n: int, k: int) -> None:
    """Raise if there are too many subsets of ``k`` out of ``n``.

    >>> check_subsets(10**9, 37)
    """
    small = min(k, n - k)
    most = _largest_subsets(n, small)
    if most == small:
        return
    every = MOST_BITS
    while _fits(comb(every + 1, (every + 1) // 2)):
        every += 1
    here = f"k up to {most}, or " if most else ""
    raise _too_many(
        f"subsets of k={_show(k)} out of n={_show(n)}", f"{here}n up to {every} with any k"
    )


def check_order(n: int, name: str) -> None:
    """Raise if ``n`` nodes are too many; ``name`` is that of the parameter."""
    if not _fits(n):
        raise _too_many(f"elements for {name}={_show(n)}", f"{name} below 2**{MOST_BITS}")


def check_entries(entries: Iterable[int], name: str) -> None:
    """Raise if a number of the list ``name`` is too large."""
    for entry in entries:
        if not _fits(entry):
            raise LovaszError(
                f"an entry of {name} is over 2**{MOST_BITS}, and bounds on ϑ are doubles; pass "
                f"entries below 2**{MOST_BITS}"
            )


def check_channel(n: int) -> None:
    """Raise if words of ``n`` bits are longer than ϑ of their graph can be computed for."""
    if n > LONGEST_CHANNEL:
        raise LovaszError(
            f"z_channel: ϑ is computed for words of at most {LONGEST_CHANNEL} bits, and "
            f"n={_show(n)}; pass n up to {LONGEST_CHANNEL}"
        )


def _too_many(what: str, remedy: str) -> LovaszError:
    return LovaszError(
        f"there are over 2**{MOST_BITS} {what}, and bounds on ϑ are doubles; pass {remedy}"
    )


def _fits(count: int) -> bool:
    return count.bit_length() <= MOST_BITS


def _show(number: int) -> str:
    """The number, or its length if it is very long: Python writes at most 4,300 digits."""
    bits = number.bit_length()
    return f"{number}" if bits <= 100 else f"(a number of {bits:,} bits)"


def _largest_subsets(n: int, k: int) -> int:
    """Return the largest j ≤ k with few enough subsets of j out of n; k is at most n/2."""
    count = 1
    for j in range(k):
        count = count * (n - j) // (j + 1)
        if not _fits(count):
            return j
    return k
