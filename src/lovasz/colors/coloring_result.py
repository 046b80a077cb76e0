"""The results of colouring: a partition of the nodes, or a set of nodes, with proven bounds."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lovasz.base.display import as_html
from lovasz.base.frames import make_frame
from lovasz.graphs import Graph


@dataclass(frozen=True)
class Coloring:
    """A partition of the nodes into few classes, and a proven bound on how few there could be.

    In the result of :func:`~lovasz.coloring` the classes are independent sets and the witness is
    a clique; in that of :func:`~lovasz.clique_cover` the classes are cliques and the witness is
    an independent set. No class has two nodes of the witness, so every such partition has at
    least ``len(witness)`` classes.

    >>> import lovasz
    >>> found = lovasz.coloring([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    >>> found.size, found.optimal, sorted(found.witness)
    (3, True, ['a', 'b', 'c'])
    """

    kind: str
    """"coloring" or "clique cover"."""
    colors: np.ndarray
    """(n,) int64, the class of each node in the order of ``nodes``; class 0 is the largest."""
    nodes: Sequence[Hashable]
    """The names of the nodes."""
    lower: int
    """A proven lower bound on the number of classes of every such partition."""
    witness: list[Hashable]
    """The largest clique found, or the largest independent set for a clique cover."""
    theta: tuple[float, float]
    """Proven bounds on ϑ of the complement (of the graph, for a clique cover), which is at most
    the number of classes and at least the size of the witness."""
    proof: str
    """What ``lower`` comes from: "witness", "ϑ" or "exhaustive search"."""
    seconds: float
    """Wall-clock time of the search."""
    graph: Graph
    """The graph, whose nodes these are."""

    @property
    def size(self) -> int:
        """Number of classes."""
        return int(self.colors.max()) + 1 if len(self.colors) else 0

    @property
    def upper(self) -> int:
        """An upper bound on the least number of classes, which is ``size``."""
        return self.size

    @property
    def optimal(self) -> bool:
        """Whether it is proven that no smaller partition exists."""
        return self.lower == self.size

    @property
    def classes(self) -> list[list[Hashable]]:
        """The nodes of each class."""
        order = np.argsort(self.colors, kind="stable")
        ends = np.cumsum(np.bincount(self.colors, minlength=self.size))
        rows = np.split(order, ends[:-1]) if self.size else []
        return [[self.nodes[i] for i in part] for part in rows]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with the columns node, color and witness."""
        return make_frame({
            "node": list(self.nodes), "color": self.colors, "witness": self._in_witness(),
        })  # fmt: skip

    def to_networkx(self) -> Any:
        """Return a networkx graph; its nodes have the attributes color and witness."""
        return self.graph.to_networkx(color=self.colors, witness=self._in_witness())

    def _in_witness(self) -> list[bool]:
        members = set(self.witness)
        return [node in members for node in self.nodes]

    def _repr_html_(self) -> str | None:
        return as_html(self)

    def __repr__(self) -> str:
        proven = "optimal" if self.optimal else f"at least {self.lower}"
        return f"Coloring({self.kind}, {self.size} classes, {proven}, {self.seconds:.2f} s)"


@dataclass(frozen=True)
class NodeSet:
    """A large independent set or clique, and a proven bound on how large one could be.

    >>> import lovasz
    >>> found = lovasz.independent_set([("a", "b"), ("b", "c"), ("c", "d")])
    >>> found.size, found.upper, found.optimal
    (2, 2, True)
    """

    kind: str
    """"independent set" or "clique"."""
    members: list[Hashable]
    """The names of the nodes in the set."""
    rows: np.ndarray
    """The rows of the members, ascending."""
    nodes: Sequence[Hashable]
    """The names of all nodes of the graph."""
    upper: int
    """A proven upper bound on the size of every such set."""
    cover: np.ndarray
    """(n,) a partition into cliques (for a clique, into independent sets), each of which has at
    most one node of the set."""
    theta: tuple[float, float]
    """Proven bounds on ϑ of the graph (of the complement, for a clique)."""
    seconds: float
    """Wall-clock time of the search."""

    @property
    def size(self) -> int:
        """Number of nodes in the set."""
        return len(self.rows)

    @property
    def lower(self) -> int:
        """A lower bound on the size of the largest set, which is ``size``."""
        return self.size

    @property
    def optimal(self) -> bool:
        """Whether it is proven that no larger set exists."""
        return self.upper == self.size

    def __repr__(self) -> str:
        proven = "optimal" if self.optimal else f"at most {self.upper}"
        return f"NodeSet({self.kind}, {self.size} nodes, {proven}, {self.seconds:.2f} s)"
