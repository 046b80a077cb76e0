"""Independent sets and clique covers: bounds on ϑ that are integers, proven by counting.

An independent set I gives Σ_I w ≤ ϑ; a partition into cliques Q gives ϑ ≤ Σ_Q max_Q w. Where
they meet ϑ is exact, and K = √(w_i w_j) / max_Q w inside the cliques, 0 between them, attains it:
a block is c cᵀ / max w plus a diagonal that is not negative. Both also bound ϑ′ and ϑ⁺: X = x xᵀ
with x = c on I, 0 elsewhere, is ≥ 0 and 0 on edges, and K is ≥ 0 and 0 on non-edges.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np
from scipy import sparse

from lovasz.base.compiled import compiled
from lovasz.base.rounding import down, sum_rounded, up
from lovasz.graphs import Graph

DSATUR_UP_TO = 3000
"""Nodes; beyond, the complement is not held."""


def greedy_independent_set(graph: Graph, w: np.ndarray) -> np.ndarray:
    """A maximal independent set: always the node of least degree left (per weight)."""
    indptr, indices = graph.adjacency.indptr.astype(np.int64), graph.adjacency.indices
    steps = 5 * graph.n + 2 * indices.size
    return _greedy.within(steps)(indptr, indices.astype(np.int32), w.astype(np.float64))


@compiled
def _greedy(indptr: np.ndarray, indices: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Independent nodes by rising (degree + 1) / weight, degrees those among the nodes left."""
    n = len(w)
    degree = np.diff(indptr)
    alive, touched = np.ones(n, np.bool_), np.zeros(n, np.bool_)
    heap = [((degree[v] + 1) / w[v], v) for v in range(n)]
    heapify(heap)
    chosen, changed = np.empty(n, np.int64), np.empty(n, np.int64)
    count = 0
    while heap:
        key, node = heappop(heap)
        if not alive[node] or key > (degree[node] + 1) / w[node]:
            continue  # gone, or in the heap again with fewer neighbours
        chosen[count] = node
        count, changes = count + 1, 0
        alive[node] = False
        for v in indices[indptr[node] : indptr[node + 1]]:
            if alive[v]:
                alive[v] = False
                for u in indices[indptr[v] : indptr[v + 1]]:
                    degree[u] -= 1
                    if alive[u] and not touched[u]:
                        touched[u] = True
                        changed[changes] = u
                        changes += 1
        for u in changed[:changes]:
            touched[u] = False
            if alive[u]:
                heappush(heap, ((degree[u] + 1) / w[u], u))
    return chosen[:count]


def greedy_set_by_score(graph: Graph, score: np.ndarray) -> np.ndarray:
    """A maximal independent set, taken greedily in the order of falling ``score``."""
    indptr, indices = graph.adjacency.indptr.astype(np.int64), graph.adjacency.indices
    order = np.argsort(-score, kind="stable")
    take = _greedy_in_order.within(2 * graph.n)
    return np.flatnonzero(take(indptr, indices.astype(np.int32), order))


@compiled
def _greedy_in_order(indptr: np.ndarray, indices: np.ndarray, order: np.ndarray) -> np.ndarray:
    """A mask of the nodes that have no neighbour among those taken before, in this order."""
    free, chosen = np.ones(len(order), np.bool_), np.zeros(len(order), np.bool_)
    for node in order:
        if free[node]:
            chosen[node] = True
            free[indices[indptr[node] : indptr[node + 1]]] = False
    return chosen


def greedy_clique_cover(graph: Graph) -> np.ndarray:
    """The clique of each node: two greedy rules, one for sparse graphs."""
    sparse_graph = graph.n > DSATUR_UP_TO or 4 * graph.m < graph.n * graph.n**0.5
    if not sparse_graph:
        return _coloured_complement(graph)
    grow = _grown_cliques.within(20 * graph.n + 2 * graph.m)
    return grow(graph.adjacency.indptr.astype(np.int64), graph.adjacency.indices)


@compiled
def _grown_cliques(indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Grow a clique around the node of least degree left, by its rarest neighbours, and so on."""
    n = len(indptr) - 1
    degree = np.diff(indptr)
    clique, mark = np.full(n, -1), np.full(n, -1)
    count = 0
    for node in np.argsort(degree, kind="mergesort"):
        if clique[node] >= 0:
            continue
        clique[node] = count
        fit = np.array([v for v in indices[indptr[node] : indptr[node + 1]] if clique[v] < 0])
        while fit.size:
            member = fit[np.argmin(degree[fit])]
            clique[member] = count
            for v in indices[indptr[member] : indptr[member + 1]]:
                mark[v] = member
            fit = fit[mark[fit] == member]
        count += 1
    return clique


def _coloured_complement(graph: Graph) -> np.ndarray:
    """Colour the complement, most constrained node first (DSATUR)."""
    colour = _dsatur.within(graph.n**2)
    return colour(graph.adjacency.toarray() != 0, graph.degrees.astype(np.int64))


@compiled
def _dsatur(adjacent: np.ndarray, degree: np.ndarray) -> np.ndarray:
    """Of the nodes left the one that fits fewest cliques, then that of least degree."""
    n = len(degree)
    clique, count = np.full(n, -1), 0
    fits = np.ones((n, n), np.bool_)  # fits[q, v]: v is adjacent to all of clique q
    blocked = np.zeros(n, np.int64)  # how many cliques v cannot join
    for _ in range(n):
        node, most = -1, -(n**2) - 1
        for v in range(n):
            rank = blocked[v] * n - degree[v]
            if clique[v] < 0 and rank > most:
                node, most = v, rank
        q = 0
        while q < count and not fits[q, node]:
            q += 1
        count = max(count, q + 1)
        clique[node] = q
        for v in range(n):
            if fits[q, v] and not adjacent[node, v]:
                fits[q, v] = False
                blocked[v] += 1
    return clique


def bipartition(graph: Graph) -> np.ndarray | None:
    """The side (0 or 1) of each node of a connected bipartite graph; None if it is not."""
    if 4 * graph.m > graph.n**2:
        return None
    sides = _sides.within(graph.n + graph.m)
    side = sides(graph.adjacency.indptr.astype(np.int64), graph.adjacency.indices)
    return None if side[0] < 0 else side


@compiled
def _sides(indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """The parity of the distance from node 0; −1 there if some edge joins equals."""
    n = len(indptr) - 1
    side, queue = np.full(n, -1), np.zeros(n, np.int64)
    side[0], reached = 0, 1
    for at in range(n):
        if at == reached:
            break
        node = queue[at]
        for v in indices[indptr[node] : indptr[node + 1]]:
            if side[v] < 0:
                side[v] = 1 - side[node]
                queue[reached] = v
                reached += 1
            elif side[v] == side[node]:
                side[0] = -1
                return side
    return side


def bipartite_cover(graph: Graph, side: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """König: an independent set and a cover by edges and nodes of the same size."""
    from scipy.sparse.csgraph import maximum_bipartite_matching

    left, right = np.flatnonzero(side == 0), np.flatnonzero(side == 1)
    biadjacency = sparse.csr_array(graph.adjacency[left][:, right])
    match = maximum_bipartite_matching(biadjacency, perm_type="column")  # of each left node
    clique = np.arange(graph.n)
    matched = match >= 0
    clique[right[match[matched]]] = left[matched]
    # Alternating reachability from the free left nodes gives König's vertex cover.
    reached_left, reached_right = ~matched, np.zeros(len(right), dtype=bool)
    partner = np.full(len(right), -1)
    partner[match[matched]] = np.flatnonzero(matched)
    layer = np.flatnonzero(reached_left)
    while layer.size:
        hit = np.flatnonzero(np.bincount(biadjacency[layer].indices, minlength=len(right)))
        hit = hit[~reached_right[hit]]
        reached_right[hit] = True
        layer = partner[hit][partner[hit] >= 0]
        layer = layer[~reached_left[layer]]
        reached_left[layer] = True
    chosen = np.concatenate([left[reached_left], right[~reached_right]])
    return chosen, np.unique(clique, return_inverse=True)[1]


def set_weight(w: np.ndarray, chosen: np.ndarray) -> float:
    """Σ_I w, rounded down unless it is exact."""
    return sum_rounded(w[chosen].tolist(), down)


def cover_weight(w: np.ndarray, clique: np.ndarray) -> float:
    """Σ_Q max_Q w, rounded up unless it is exact."""
    heaviest = np.zeros(int(clique.max()) + 1)
    np.maximum.at(heaviest, clique, w)
    return sum_rounded(heaviest.tolist(), up)


def cover_kernel(graph: Graph, w: np.ndarray, clique: np.ndarray) -> sparse.csr_array:
    """K = √(w_i w_j) / max_Q w inside the cliques, 0 between them; all ones without weights."""
    heaviest = np.zeros(int(clique.max()) + 1)
    np.maximum.at(heaviest, clique, w)
    share = np.sqrt(w / heaviest[clique])
    K = graph.adjacency.copy()
    rows = np.repeat(np.arange(graph.n), np.diff(K.indptr))
    K.data = np.where(clique[rows] == clique[K.indices], share[rows] * share[K.indices], 0.0)
    K.eliminate_zeros()
    return (sparse.eye_array(graph.n, format="csr") + K).tocsr()
