"""Graphs that are given by their symmetry and never written down unless asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lovasz.base.memory import refuse_if_too_large
from lovasz.graphs.counts import check_node_count
from lovasz.graphs.graph import Graph
from lovasz.graphs.schemes import Scheme

BYTES_PER_EDGE = 100
"""Peak memory per edge while the edges are written down: both ends, keys, sorted keys, a CSR."""


@dataclass(frozen=True)
class SymmetricGraph:
    """A graph whose edges are some relations of an association scheme.

    The constructors are in :mod:`lovasz.graphs.families`. :func:`lovasz.theta` takes such a graph
    as it is, whatever its size; everything else takes :meth:`to_graph`, and :func:`lovasz.as_graph`
    calls it.

    >>> from lovasz.graphs import families
    >>> families.hamming(23, {1})
    SymmetricGraph(hamming(23, {1}), n=8,388,608, m=96,468,992)
    >>> families.kneser(5, 2).to_graph()
    Graph(n=10, m=15)
    """

    name: str
    """How it was made, such as "hamming(23, {1})"."""
    scheme: Scheme
    """The association scheme: its valencies and eigenvalues."""
    relations: frozenset[Any]
    """The relations that are edges: distances, or differences of elements of a group."""

    @property
    def n(self) -> int:
        """Number of nodes."""
        return self.scheme.n

    @property
    def m(self) -> int:
        """Number of edges."""
        return sum(self.scheme.pairs(relation) for relation in self.relations)

    def complement(self) -> SymmetricGraph:
        """Return the complement.

        >>> from lovasz.graphs import families
        >>> families.kneser(5, 2).complement()
        SymmetricGraph(complement of kneser(5, 2), n=10, m=30)
        """
        name = self.name.removeprefix("complement of ")
        name = name if name != self.name else f"complement of {name}"
        return SymmetricGraph(name, self.scheme, self.scheme.others(self.relations))

    def to_graph(self) -> Graph:
        """Write the edges down, or raise if they do not fit into memory."""
        check_node_count(self.n)
        refuse_if_too_large(
            f"{self.name} with {self.m:,} edges", self.m, "only theta takes it as it is",
            bytes_per_entry=BYTES_PER_EDGE,
        )  # fmt: skip
        source, target = self.scheme.edges(self.relations)
        return Graph.from_edges(source, target, n=self.n)

    def __repr__(self) -> str:
        return f"SymmetricGraph({self.name}, n={self.n:,}, m={self.m:,})"
