"""Association schemes: partitions of all pairs of nodes whose matrices have common eigenvectors.

The pairs of n nodes are split into relations 0 (equality), 1, 2, …, and the adjacency matrices
A_0 = I, A_1, A_2, … of the relations commute. A scheme is held as numbers, the valencies and the
eigenvalues of these matrices, so its number of nodes has no limit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from operator import index
from typing import Any, Protocol

import numpy as np

from lovasz.base.checks import check_whole
from lovasz.base.errors import LovaszError
from lovasz.base.text import short_repr

Element = tuple[int, ...]
"""An element of a product of cyclic groups, one residue per factor."""
MOST_RELATIONS = 10**6
"""Largest number of relations that are listed to take a complement."""


class Writer(Protocol):
    """A function that writes the edges of a union of relations down."""

    def __call__(self, relations: frozenset[Any]) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows of both ends of every edge."""


class Scheme(Protocol):
    """What every association scheme tells."""

    @property
    def n(self) -> int:
        """Number of nodes."""

    def pairs(self, relation: Any) -> int:
        """Return how many pairs of nodes stand in ``relation``, each counted once."""

    def others(self, relations: frozenset[Any]) -> frozenset[Any]:
        """Return the relations that are not among ``relations``, without equality."""

    def edges(self, relations: frozenset[Any]) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows of both ends of every edge of the union of ``relations``."""


@dataclass(frozen=True)
class MetricScheme:
    """The relations are the distances 0, 1, …, d in a distance-regular graph.

    A node at distance i from another has ``closer[i-1]`` neighbours at distance i − 1 from it and
    ``farther[i]`` at distance i + 1.
    """

    farther: tuple[int, ...]
    """b_0, …, b_{d−1}."""
    closer: tuple[int, ...]
    """c_1, …, c_d."""
    spectrum: tuple[int, ...]
    """The d + 1 different eigenvalues of the graph; the first is b_0."""
    write: Writer = field(repr=False, compare=False)

    @property
    def classes(self) -> range:
        """The relations without equality."""
        return range(1, len(self.closer) + 1)

    @cached_property
    def valencies(self) -> tuple[int, ...]:
        """How many nodes are at each distance from a node."""
        found = [1]
        for b, c in zip(self.farther, self.closer, strict=True):
            found.append(found[-1] * b // c)
        return tuple(found)

    @property
    def n(self) -> int:
        """Number of nodes."""
        return sum(self.valencies)

    def pairs(self, relation: int) -> int:
        """Return how many pairs of nodes are at distance ``relation``."""
        return self.n * self.valencies[relation] // 2

    def others(self, relations: frozenset[int]) -> frozenset[int]:
        """Return the other distances."""
        return frozenset(self.classes) - relations

    def edges(self, relations: frozenset[int]) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows of both ends of every edge."""
        return self.write(relations)

    @cached_property
    def eigenvalues(self) -> tuple[tuple[int, ...], ...]:
        """One row per eigenspace, the valencies first: the eigenvalue of each relation.

        A A_i = b_{i−1} A_{i−1} + a_i A_i + c_{i+1} A_{i+1} for the matrix A = A_1 of the graph,
        and a_i = b_0 − b_i − c_i. So A_i is a polynomial in A, and its values are integers
        divided by integers, without a remainder where ``spectrum`` consists of integers.
        """
        b, c = (*self.farther, 0), (0, *self.closer)
        rows = []
        for x in self.spectrum:
            row = [1, x]
            for i in self.classes[:-1]:
                above = (x - b[0] + b[i] + c[i]) * row[i] - b[i - 1] * row[i - 1]
                row.append(above // c[i + 1])
            rows.append(tuple(row[: len(b)]))
        return tuple(rows)


@dataclass(frozen=True)
class ConferenceScheme:
    """Two relations of valency (q − 1)/2 with the eigenvalues (−1 ± √q)/2."""

    q: int
    write: Writer = field(repr=False, compare=False)

    @property
    def n(self) -> int:
        """Number of nodes."""
        return self.q

    def pairs(self, relation: int) -> int:
        """Return how many pairs of nodes stand in ``relation``."""
        return self.q * (self.q - 1) // 4

    def others(self, relations: frozenset[int]) -> frozenset[int]:
        """Return the other relations."""
        return frozenset({1, 2}) - relations

    def edges(self, relations: frozenset[int]) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows of both ends of every edge."""
        return self.write(relations)


@dataclass(frozen=True)
class GroupScheme:
    """The differences ±a of the elements of ℤ_{n₁} × … × ℤ_{n_k}; a relation is the lesser of them.

    The eigenvalue of ±a on the characters j and −j is the valency times cos 2π Σ a_i j_i / n_i.
    """

    orders: tuple[int, ...]

    @property
    def n(self) -> int:
        """Number of nodes."""
        return math.prod(self.orders)

    @property
    def exponent(self) -> int:
        """The least common multiple of the orders."""
        return math.lcm(*self.orders)

    def relation(self, element: Iterable[Any]) -> Element:
        """Return the relation ±a of an element a."""
        given = tuple(element)
        if len(given) != len(self.orders):
            raise LovaszError(f"{given} has {len(given)} entries; pass {len(self.orders)}")
        a = tuple(_residue(x, n) for x, n in zip(given, self.orders, strict=True))
        if not any(a):
            raise LovaszError(f"{given} is the neutral element; an edge needs another one")
        return min(a, self.opposite(a))

    def opposite(self, element: Element) -> Element:
        """Return −a."""
        return tuple(-x % n for x, n in zip(element, self.orders, strict=True))

    def valency(self, relation: Element) -> int:
        """Return the number of elements ±a, which is 1 or 2."""
        return 1 if self.opposite(relation) == relation else 2

    def pairs(self, relation: Element) -> int:
        """Return how many pairs of elements differ by ±a."""
        return self.n * self.valency(relation) // 2

    def others(self, relations: frozenset[Element]) -> frozenset[Element]:
        """Return the other differences, of which there must not be too many to be listed."""
        if self.n > MOST_RELATIONS:
            raise LovaszError(
                f"the complement has about {self.n // 2:,} differences and at most "
                f"{MOST_RELATIONS:,} are listed; use ϑ of the complement = n / ϑ"
            )
        every = {min(a, self.opposite(a)) for a in product(*map(range, self.orders)) if any(a)}
        return frozenset(every) - relations

    def edges(self, relations: frozenset[Element]) -> tuple[np.ndarray, np.ndarray]:
        """Return both ends of every edge; the rows number the elements, the last factor fastest."""
        rows = np.arange(self.n)
        digits = np.unravel_index(rows, self.orders)
        sources, targets = [rows[:0]], [rows[:0]]
        for a in sorted(relations):
            moved = [(x + s) % n for x, s, n in zip(digits, a, self.orders, strict=True)]
            target = np.ravel_multi_index(moved, self.orders)
            once = slice(None) if self.valency(a) == 2 else rows < target
            sources.append(rows[once])
            targets.append(target[once])
        return np.concatenate(sources), np.concatenate(targets)


def _residue(value: Any, order: int) -> int:
    try:
        return index(value) % order
    except TypeError:
        raise LovaszError(f"{short_repr(value)} is not a residue; pass whole numbers") from None


@dataclass(frozen=True)
class ChannelOrbits:
    """Words of n bits; relation (1, w) joins weights w and w + 1, (2, w) two words of weight w.

    In (1, w) the words differ in one place, in (2, w) in two. These are orbits of the permutations
    of the places. They are no association scheme, as words of different weights are not alike.
    """

    length: int

    @property
    def n(self) -> int:
        """Number of words."""
        return 1 << self.length

    @property
    def every(self) -> frozenset[tuple[int, int]]:
        """All relations of the two kinds."""
        ones = {(1, w) for w in range(self.length)}
        return frozenset(ones | {(2, w) for w in range(1, self.length)})

    def pairs(self, relation: tuple[int, int]) -> int:
        """Return how many pairs of words stand in ``relation``."""
        kind, w = relation
        words = math.comb(self.length, w) * (self.length - w)
        return words if kind == 1 else words * w // 2

    def others(self, relations: frozenset[tuple[int, int]]) -> frozenset[tuple[int, int]]:
        """Raise: other pairs have no names here."""
        raise LovaszError("the complement of this graph has no formula; pass graph.to_graph()")

    def edges(self, relations: frozenset[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
        """Return both ends of every edge; the rows are the words, read as binary numbers."""
        words = np.arange(self.n)
        bits = (words >> np.arange(self.length)[:, None]) & 1
        weight = bits.sum(axis=0)
        one = np.isin(weight, [w for kind, w in relations if kind == 1])
        two = np.isin(weight, [w for kind, w in relations if kind == 2])
        sources, targets = [words[:0]], [words[:0]]
        for i in range(self.length):
            sources.append(words[one & (bits[i] == 0)])
            targets.append(sources[-1] ^ (1 << i))
            for j in range(i):
                sources.append(words[two & (bits[i] == 0) & (bits[j] == 1)])
                targets.append(sources[-1] ^ (1 << i) ^ (1 << j))
        return np.concatenate(sources), np.concatenate(targets)


def check_distances(distances: Iterable[Any], most: int) -> frozenset[int]:
    """Return a set of distances from 1 to ``most``, or raise."""
    found = frozenset(check_whole(distance, "a distance", least=1) for distance in distances)
    if found and max(found) > most:
        raise LovaszError(f"distance {max(found)} does not occur; distances are 1 to {most}")
    return found


def integral_spectrum(farther: Sequence[int], closer: Sequence[int]) -> tuple[int, ...]:
    """Return the eigenvalues of a distance-regular graph if they are integers, or raise.

    >>> integral_spectrum((3, 2), (1, 1))  # the Petersen graph
    (3, 1, -2)
    """
    b, c = np.array(farther, dtype=np.float64), np.array(closer, dtype=np.float64)
    degree = farther[0]
    middle = degree - np.append(b, 0) - np.append(0, c)
    side = np.sqrt(b) * np.sqrt(c)
    near = np.linalg.eigvalsh(np.diag(middle) + np.diag(side, 1) + np.diag(side, -1))
    found = tuple(sorted({round(x) for x in near.tolist()}, reverse=True))
    if len(found) != len(near) or not all(_is_root(x, farther, closer) for x in found):
        raise LovaszError(
            f"the eigenvalues of the array {list(farther)}, {list(closer)} are not all integers; "
            "pass the graph itself to theta"
        )
    return found


def _is_root(x: int, farther: Sequence[int], closer: Sequence[int]) -> bool:
    """Whether x is an eigenvalue of the tridiagonal intersection matrix, in exact arithmetic."""
    b, c = (*farther, 0), (0, *closer)
    before, now = 0, 1
    for i in range(len(b)):
        shifted = (x - b[0] + b[i] + c[i]) * now
        before, now = now, shifted - (b[i - 1] * c[i] * before if i else 0)
    return now == 0
