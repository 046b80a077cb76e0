"""Graphs made from graphs: induced subgraphs, components, the complement."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from lovasz.base.compiled import compiled
from lovasz.base.memory import refuse_if_too_large
from lovasz.graphs.graph import TABLE_UP_TO, Graph, freeze, pack


def induced(graph: Graph, rows: np.ndarray) -> Graph:
    """Return the subgraph on ``rows``, which ascend; its nodes are numbered in their order.

    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> induced(path, np.array([0, 1, 3]))
    Graph(n=3, m=1)
    """
    if len(rows) == graph.n:
        return graph
    return Graph(freeze(submatrix(graph.adjacency, rows)), range(len(rows)))


def submatrix(matrix: sparse.csr_array, rows: np.ndarray) -> sparse.csr_array:
    """Return the rows and the columns ``rows``, which may repeat, with sorted indices."""
    if max(matrix.shape[0], len(rows)) <= TABLE_UP_TO:
        return pack(matrix.toarray()[rows[:, None], rows])
    part = sparse.csr_array(matrix[rows][:, rows])
    part.sort_indices()
    return part


def components(graph: Graph) -> list[np.ndarray]:
    """Return the ascending rows of each connected component, ordered by their first rows.

    >>> [part.tolist() for part in components(Graph.from_edges([0, 1], [2, 3], n=5))]
    [[0, 2], [1, 3], [4]]
    """
    indptr, indices = graph.adjacency.indptr, graph.adjacency.indices
    number = _number_components.within(graph.n + indices.size / 4)
    count, component = number(indptr.astype(np.int64), indices.astype(np.int32, copy=False))
    if count == 1:
        return [np.arange(graph.n)]
    order = np.argsort(component, kind="stable")
    return np.split(order, np.cumsum(np.bincount(component, minlength=count))[:-1])


def co_components(graph: Graph) -> list[np.ndarray]:
    """Return the ascending rows of each connected component of the complement.

    The complement is not built: time and memory are O(n + m).

    >>> square = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0])
    >>> [part.tolist() for part in co_components(square)]
    [[0, 2], [1, 3]]
    """
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
    """Return the complement, in which i ~ j if they are not adjacent in ``graph``.

    >>> complement_of(Graph.from_edges([0, 1], [1, 2]))
    Graph(n=3, m=1)
    """
    refuse_if_too_large("the complement", 2 * graph.n**2, "take a part of the graph")
    linked = graph.adjacency.toarray() != 0
    np.fill_diagonal(linked, True)
    i, j = np.nonzero(np.triu(~linked))
    return Graph.from_edges(i, j, n=graph.n)


@compiled
def _number_components(indptr: np.ndarray, indices: np.ndarray) -> tuple[int, np.ndarray]:
    """Return the number of components and that of each node, counted by their first nodes.

    SciPy's search spends a tenth of a millisecond on checks, which is much for a small core.
    """
    n, count = len(indptr) - 1, 0
    component, queue = np.full(n, -1), np.empty(n, np.int64)
    for root in range(n):
        if component[root] >= 0:
            continue
        component[root], queue[0], reached, at = count, root, 1, 0
        while at < reached:
            node = queue[at]
            at += 1
            for v in indices[indptr[node] : indptr[node + 1]]:
                if component[v] < 0:
                    component[v] = count
                    queue[reached] = v
                    reached += 1
        count += 1
    return count, component
