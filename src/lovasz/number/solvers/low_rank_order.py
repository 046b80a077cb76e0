"""The order in which low-rank sweeps move the nodes, and which of them can be moved together.

Small graphs keep their own order. The nodes of large ones are sorted by the colours of a greedy
colouring, taken in random order: those of one colour have no edges between them, so several threads
can move them, and the result does not depend on the number of threads. Sweeps converge alike in
both orders on the families of ``benchmarks/sparse.py``, but for tori, where they are slower at
first by colour (``benchmarks/colour_order.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lovasz.base.compiled import compiled
from lovasz.base.threads import in_bands
from lovasz.graphs import Graph
from lovasz.number.solvers.low_rank_compiled import sweep

Pattern = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Row starts, neighbours, and the number of the edge of each entry of the adjacency matrix."""
COLOURED_FROM = 20_000
"""Number of nodes from which sweeps on the CPU go by colour."""


@dataclass(frozen=True)
class Order:
    """The nodes in the order of a sweep, and the adjacency matrix."""

    nodes: np.ndarray
    """(n,) the nodes, those of one group next to each other."""
    cuts: np.ndarray
    """Where each group begins, and n at last. There are several groups if each is independent."""
    rows: Pattern
    """The adjacency matrix with rows, and the entries of a row, in the order of the sweep."""
    earlier: np.ndarray
    """(n,) the number of neighbours that come before a node, by the place of the node."""
    pattern: Pattern
    """The adjacency matrix in the order of the graph."""

    @classmethod
    def of(cls, graph: Graph, rng: np.random.Generator, *, coloured: bool) -> Order:
        """The own order of a graph, or one by colour.

        >>> path = Graph.from_edges([0, 1], [1, 2])
        >>> order = Order.of(path, np.random.default_rng(0), coloured=False)
        >>> order.nodes.tolist(), order.earlier.tolist()
        ([0, 1, 2], [0, 1, 1])
        """
        pattern = arrange(graph, np.arange(graph.n))
        if not coloured:
            return cls.sorted_by(graph, np.zeros(graph.n, np.int64), pattern)
        colours = greedy_colours(*pattern[:2], rng.permutation(graph.n))
        return cls.sorted_by(graph, colours, pattern)

    @classmethod
    def sorted_by(cls, graph: Graph, colours: np.ndarray, pattern: Pattern) -> Order:
        """Sort the nodes by colour. They may all have one, and are then one group."""
        nodes = np.argsort(colours, kind="stable")
        rows = pattern if not colours.any() else arrange(graph, nodes)
        first, neighbours, _ = rows
        at = np.repeat(np.arange(graph.n), np.diff(first))
        earlier = np.bincount(at[places(nodes)[neighbours] < at], minlength=graph.n)
        cuts = np.concatenate([[0], np.cumsum(np.bincount(colours))])
        return cls(nodes.astype(np.int32), cuts, rows, earlier.astype(np.int32), pattern)

    def sweep(
        self,
        D: np.ndarray,
        y: np.ndarray,
        w: np.ndarray,
        beta: np.ndarray,
        omega: float,
        least: float = -np.inf,
    ) -> None:
        """Move every vector once, group by group, independent ones by several threads."""
        n, r = D.shape
        parts = D, y, w, self.nodes, *self.rows, self.earlier, beta, omega, least
        if len(self.cuts) == 2:
            sweep(*parts, 0, n)
            return
        per_node = 5 * r * len(self.rows[1]) / n
        for begin, end in pairwise(self.cuts.tolist()):
            in_bands(sweep, per_node * (end - begin), begin, end, *parts)


def places(nodes: np.ndarray) -> np.ndarray:
    """(n,) the place of each node among ``nodes``."""
    place = np.empty(len(nodes), np.int64)
    place[nodes] = np.arange(len(nodes))
    return place


def arrange(graph: Graph, nodes: np.ndarray) -> Pattern:
    """The adjacency matrix, its rows and the entries of a row in the order of ``nodes``."""
    i, j = (places(nodes)[end] for end in graph.edges())
    rows, columns = np.concatenate([i, j]), np.concatenate([j, i])
    by_row = np.lexsort((columns, rows))
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=graph.n))])
    neighbours = nodes[columns[by_row]].astype(np.int32)
    return starts.astype(np.int64), neighbours, (by_row % graph.m).astype(np.int32)


@compiled
def greedy_colours(first: np.ndarray, neighbours: np.ndarray, order: np.ndarray) -> np.ndarray:
    """The least colour that no neighbour had before, one entry per node, given in an order."""
    n = len(order)
    colours, seen = np.full(n, -1), np.full(n + 1, -1)
    for i in order:
        for p in range(first[i], first[i + 1]):
            if colours[neighbours[p]] >= 0:
                seen[colours[neighbours[p]]] = i
        colours[i] = 0
        while seen[colours[i]] == i:
            colours[i] += 1
    return colours
