"""What colouring returns."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Coloring:
    """A partition of the nodes into few classes, and how few there could be at best.

    Of :func:`~lovasz.coloring` classes are independent and the witness is a clique; of
    :func:`~lovasz.clique_cover` classes are cliques and the witness is an independent set. No
    class has two nodes of the witness, so ``len(witness)`` ≤ classes of any such partition.
    """

    kind: str
    """"coloring" or "clique cover"."""
    colors: np.ndarray
    """(n,) int64 in the order of ``nodes``: 0 for the largest class, and so on."""
    nodes: Sequence[Hashable]
    lower: int
    """No such partition has fewer classes; proven."""
    witness: list[Hashable]
    """A clique (or an independent set), the largest found."""
    theta: tuple[float, float]
    """Proven bounds on ϑ of the complement (of the graph, for a clique cover), which is at most
    the number of classes and at least the size of the witness."""
    proof: str
    """What ``lower`` comes from: "witness", "ϑ", "exhaustive search"."""
    seconds: float

    @property
    def size(self) -> int:
        """Classes."""
        return int(self.colors.max()) + 1 if len(self.colors) else 0

    @property
    def upper(self) -> int:
        """The fewest classes possible are no more than this: the size."""
        return self.size

    @property
    def optimal(self) -> bool:
        """Whether no smaller partition exists; False is "not proven"."""
        return self.lower == self.size

    @property
    def classes(self) -> list[list[Hashable]]:
        """The nodes of each class."""
        order = np.argsort(self.colors, kind="stable")
        ends = np.cumsum(np.bincount(self.colors, minlength=self.size))
        rows = np.split(order, ends[:-1]) if self.size else []
        return [[self.nodes[i] for i in part] for part in rows]

    def __repr__(self) -> str:
        proven = "optimal" if self.optimal else f"at least {self.lower}"
        return f"Coloring({self.kind}, {self.size} classes, {proven}, {self.seconds:.2f} s)"


@dataclass(frozen=True)
class NodeSet:
    """A large independent set or clique, and how large one could be at best."""

    kind: str
    """"independent set" or "clique"."""
    members: list[Hashable]
    rows: np.ndarray
    """Rows of the members, ascending."""
    nodes: Sequence[Hashable]
    upper: int
    """None is larger; proven."""
    cover: np.ndarray
    """A partition into cliques (independent sets for a clique), which the set meets once each."""
    theta: tuple[float, float]
    """Proven bounds on ϑ of the graph (of the complement, for a clique)."""
    seconds: float

    @property
    def size(self) -> int:
        """Nodes."""
        return len(self.rows)

    @property
    def lower(self) -> int:
        """The largest is no smaller than this: the size."""
        return self.size

    @property
    def optimal(self) -> bool:
        """Whether none is larger; False is "not proven"."""
        return self.upper == self.size

    def __repr__(self) -> str:
        proven = "optimal" if self.optimal else f"at most {self.upper}"
        return f"NodeSet({self.kind}, {self.size} nodes, {proven}, {self.seconds:.2f} s)"
