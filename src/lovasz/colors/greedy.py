"""Greedy methods for graphs of any size: smallest-last colouring, DSATUR, and a matching."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np

from lovasz.base.compiled import compiled
from lovasz.graphs.adjacency_lists import AdjacencyLists


def greedy_colors(lists: AdjacencyLists) -> np.ndarray:
    """The better of two colourings, smallest last and DSATUR."""
    if lists.n == 0:
        return np.zeros(0, dtype=np.int64)
    steps = 3 * lists.n + lists.indices.size
    order, _ = peel.within(steps)(lists.indptr, lists.indices)
    colors = color_in_order.within(steps)(lists.indptr, lists.indices, order[::-1])
    k = int(colors.max()) + 1
    if lists.n * k > 2**32:  # the table of colours seen would not fit
        return colors
    other, done = dsatur.within(4 * steps)(lists.indptr, lists.indices, k)
    return other if done and other.max() < colors.max() else colors


@compiled
def peel(indptr: np.ndarray, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Remove a node of least remaining degree again and again (Matula and Beck 1983).

    Returns the order and the core number of each node. All nodes of a clique of size ω have core
    numbers of at least ω − 1.
    """
    n = indptr.size - 1
    degree = np.diff(indptr)
    most = 0 if n == 0 else degree.max()
    start = np.zeros(most + 2, np.int64)
    for d in degree:
        start[d + 1] += 1
    start = np.cumsum(start)
    fill = start.copy()
    order, place = np.empty(n, np.int64), np.empty(n, np.int64)
    for v in range(n):
        order[fill[degree[v]]], place[v] = v, fill[degree[v]]
        fill[degree[v]] += 1
    for i in range(n):
        v = order[i]
        for u in indices[indptr[v] : indptr[v + 1]]:
            if degree[u] > degree[v]:  # swap u with the first of its bucket, move the border
                first = start[degree[u]]
                w = order[first]
                order[place[u]], place[w] = w, place[u]
                order[first], place[u] = u, first
                start[degree[u]] += 1
                degree[u] -= 1
    return order, degree


@compiled
def color_in_order(indptr: np.ndarray, indices: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Give each node in turn the first colour that no neighbour has."""
    n = indptr.size - 1
    colors, seen = -np.ones(n, np.int64), -np.ones(n + 1, np.int64)
    for v in order:
        for u in indices[indptr[v] : indptr[v + 1]]:
            if colors[u] >= 0:
                seen[colors[u]] = v
        c = 0
        while seen[c] == v:
            c += 1
        colors[v] = c
    return colors


@compiled
def dsatur(indptr: np.ndarray, indices: np.ndarray, enough: int) -> tuple[np.ndarray, bool]:
    """Brélaz's rule (1979): next comes the node that sees most colours, then of highest degree.

    Returns the colours, and False if it gave up because it needed ``enough`` of them.
    """
    n = indptr.size - 1
    colors = -np.ones(n, np.int64)
    words = enough // 64 + 1
    seen, sees = np.zeros((n, words), np.uint64), np.zeros(n, np.int64)
    heap = [(np.int64(0), -(indptr[v + 1] - indptr[v]), np.int64(v)) for v in range(n)]
    heapify(heap)
    while heap:
        saturation, _, v = heappop(heap)
        if colors[v] >= 0 or -saturation != sees[v]:
            continue
        c = 0
        while (seen[v, c // 64] >> np.uint64(c % 64)) & np.uint64(1):
            c += 1
        if c + 1 >= enough:
            return colors, False
        colors[v] = c
        bit = np.uint64(1) << np.uint64(c % 64)
        for u in indices[indptr[v] : indptr[v + 1]]:
            if colors[u] < 0 and not seen[u, c // 64] & bit:
                seen[u, c // 64] |= bit
                sees[u] += 1
                heappush(heap, (-sees[u], -(indptr[u + 1] - indptr[u]), np.int64(u)))
    return colors, True


def matched_pairs(lists: AdjacencyLists) -> np.ndarray:
    """A cover by edges and single nodes, from a matching that is nearly largest if G is sparse."""
    mate = _match_greedily.within(3 * lists.n + lists.indices.size)(lists.indptr, lists.indices)
    own = np.arange(lists.n)
    return np.where(mate < 0, own, np.minimum(mate, own))


@compiled
def _match_greedily(indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Match by the rule of Karp and Sipser (1981): a node with one free neighbour takes it at once.

    The same rule in :mod:`lovasz.number.reduction.reduce` matches the bipartite double cover and
    looks at the nodes in another order, so its matchings are different ones.
    """
    n = indptr.size - 1
    mate, free = -np.ones(n, np.int64), np.diff(indptr)
    stack, top = np.empty(2 * n + 1, np.int64), 0
    for v in range(n):
        if free[v] == 1:
            stack[top] = v
            top += 1
    following = 0
    while top or following < n:
        if top:
            top -= 1
            v = stack[top]
        else:
            v = following
            following += 1
        if mate[v] >= 0:
            continue
        best = -1
        for u in indices[indptr[v] : indptr[v + 1]]:
            if mate[u] < 0 and (best < 0 or free[u] < free[best]):
                best = u
        if best < 0:
            continue
        mate[v], mate[best] = best, v
        for x in (v, best):
            for u in indices[indptr[x] : indptr[x + 1]]:
                free[u] -= 1
                if free[u] == 1 and mate[u] < 0:
                    stack[top] = u
                    top += 1
    return mate
