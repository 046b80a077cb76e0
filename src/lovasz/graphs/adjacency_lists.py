"""Neighbour lists of a graph with fixed dtypes, for compiled loops."""

from __future__ import annotations

import numpy as np

from lovasz.graphs.graph import Graph


class AdjacencyLists:
    """The neighbours of every node, one after the other.

    The dtypes do not depend on the graph, so that numba compiles every loop once.

    >>> lists = AdjacencyLists(Graph.from_edges([0, 1], [1, 2]))
    >>> lists.of(1)
    array([0, 2], dtype=int32)
    """

    n: int
    """Number of nodes."""
    indptr: np.ndarray
    """(n + 1,) int64: the neighbours of v are ``indices[indptr[v] : indptr[v + 1]]``."""
    indices: np.ndarray
    """(2m,) int32, ascending for each node."""

    def __init__(self, graph: Graph) -> None:
        self.n = graph.n
        self.indptr = graph.adjacency.indptr.astype(np.int64)
        self.indices = graph.adjacency.indices.astype(np.int32)

    def of(self, v: int | np.integer) -> np.ndarray:
        """The neighbours of one node."""
        return self.indices[self.indptr[v] : self.indptr[v + 1]]
