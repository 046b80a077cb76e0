"""Graphs from graphs: induced subgraphs, components, the complement."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from lovasz.base.compiled import compiled
from lovasz.base.memory import refuse_if_too_large
from lovasz.graphs.graph import Graph


def induced(graph: Graph, rows: np.ndarray) -> Graph:
    """The subgraph on ``rows``, ascending, nodes numbered in their order."""
    if len(rows) == graph.n:
        return graph
    part = sparse.csr_array(graph.adjacency[rows][:, rows])
    part.sort_indices()
    return Graph(part, range(len(rows)))


def components(graph: Graph) -> list[np.ndarray]:
    """Rows of each connected component."""
    indptr, indices = graph.adjacency.indptr, graph.adjacency.indices
    find = _label.within(graph.n + indices.size / 4)
    count, label = find(indptr.astype(np.int64), indices.astype(np.int32, copy=False))
    if count == 1:
        return [np.arange(graph.n)]
    order = np.argsort(label, kind="stable")
    return np.split(order, np.cumsum(np.bincount(label, minlength=count))[:-1])


@compiled
def _label(indptr: np.ndarray, indices: np.ndarray) -> tuple[int, np.ndarray]:
    """How many components there are, and that of each node, counted by their first nodes.

    SciPy's search spends a tenth of a millisecond on checks, much where the core is small.
    """
    n, count = len(indptr) - 1, 0
    label, queue = np.full(n, -1), np.empty(n, np.int64)
    for root in range(n):
        if label[root] >= 0:
            continue
        label[root], queue[0], reached, at = count, root, 1, 0
        while at < reached:
            node = queue[at]
            at += 1
            for v in indices[indptr[node] : indptr[node + 1]]:
                if label[v] < 0:
                    label[v] = count
                    queue[reached] = v
                    reached += 1
        count += 1
    return count, label


def co_components(graph: Graph) -> list[np.ndarray]:
    """Rows of each connected component of the complement, in O(n + m) without building it."""
    left, linked = np.arange(graph.n), np.zeros(graph.n, dtype=bool)
    indptr, indices = graph.adjacency.indptr.tolist(), graph.adjacency.indices
    parts = []
    while left.size:
        queue, part, left = [int(left[0])], [int(left[0])], left[1:]
        while queue and left.size:
            node = queue.pop()
            neighbours = indices[indptr[node] : indptr[node + 1]]
            linked[neighbours] = True
            adjacent = linked[left]
            linked[neighbours] = False
            reached, left = left[~adjacent], left[adjacent]
            queue.extend(reached.tolist())
            part.extend(reached.tolist())
        parts.append(np.sort(part))
    return parts


def complement_of(graph: Graph) -> Graph:
    """The complement."""
    refuse_if_too_large("the complement", 2 * graph.n**2, "take a part of the graph")
    linked = graph.adjacency.toarray() != 0
    np.fill_diagonal(linked, True)
    i, j = np.nonzero(np.triu(~linked))
    return Graph.from_edges(i, j, n=graph.n)
