"""Exact reductions: an induced subgraph with the same ϑ, and who stands for whom.

One fact carries both rules. Let r map the nodes to some kept nodes, kept nodes to themselves,
such that different non-adjacent nodes have different, non-adjacent representatives: r is a
homomorphism of the complement. Then ϑ of the subgraph induced on the kept nodes is ϑ(G): it is
at most that of G because it is induced, and at least that because its kernels lift, see
:class:`Reduction`. The same goes for ϑ′ and ϑ⁺. Such maps compose, so the rules may follow each
other in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit

from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph


@dataclass(frozen=True)
class Reduction:
    """The core of a graph, the subgraph induced on ``kept``, and how its kernels lift.

    Let K be feasible for the core: K_ii = 1, K_ij = 0 on non-edges (≤ 0 in ϑ′; and ≥ 0 on edges
    in ϑ⁺), tK ⪰ √w√wᵀ. With
    r = ``representative`` and s_v = √(w_v / w_r(v)) ≤ 1 (all 1 without weights), the matrix::

        K'_vv = 1,    K'_vw = s_v s_w K[r(v), r(w)]  for v ≠ w

    is feasible for the whole graph with the same t. *Proof.* Non-adjacent v ≠ w have different
    non-adjacent representatives, where K is 0 (or ≤ 0), and so is K'. In ϑ⁺ K ≥ 0 everywhere.
    K' = S P K Pᵀ S + (I − S²), P the 0/1 matrix of r, and tK' ⪰ S P √w√wᵀ Pᵀ S, whose entries
    are √w_v √w_w. ∎
    """

    representative: np.ndarray
    """(n,) int64: the kept node whose vector each node gets; kept nodes stand for themselves."""
    kept: np.ndarray
    """Rows of the nodes that remain, ascending."""
    counts: dict[str, int]
    """Nodes removed by each rule."""


def reduce(graph: Graph, weights: np.ndarray | None = None) -> Reduction:
    """Remove nodes by dominance and by crowns, in turn, until neither rule finds any.

    *Dominance*: u ~ v, N[u] ⊆ N[v] and w_u ≥ w_v: v goes, u stands for it. *Proof.* A node not
    adjacent to v is neither u nor adjacent to u. Leaves, twins and simplicial nodes dominate;
    chordal graphs, cliques and trees become isolated nodes.

    *Crown*, without weights: I independent, H = N(I) matched into I: H goes, partners stand for
    it. *Proof.* Without H the nodes of I are isolated, so a partner is adjacent to nothing, and
    different h have different partners; only neighbours of h share its representative.

    In the core no edge satisfies dominance and no crown with an edge is left. ``weights`` are
    those of the nodes, positive.

    >>> path_and_cycle = Graph.from_edges([0, 1, 3, 4, 5, 6, 7], [1, 2, 4, 5, 6, 7, 3])
    >>> reduce(path_and_cycle).kept  # ϑ = 2 + √5
    array([0, 2, 3, 4, 5, 6, 7])
    """
    lists = _Lists.of(graph)
    w = np.zeros(0) if weights is None else _checked(weights, graph.n)
    representative = np.arange(graph.n)
    pending = lists.degree > 0
    counts = {"dominance": 0, "crown": 0}
    while True:
        removed = _dominate(lists, w, representative, pending)
        counts["dominance"] += removed
        if weights is not None or (counts["crown"] and not removed):
            break
        _compact(lists, pending)
        heads, partners = _crown(lists)
        if heads.size == 0:
            break
        counts["crown"] += heads.size
        representative[heads], lists.alive[heads] = partners, False
        _compact(lists, pending)
    return Reduction(_resolved(representative), np.flatnonzero(lists.alive), counts)


class _Lists(NamedTuple):
    """Neighbour lists that shrink, ascending; they may name the dead until :func:`_compact`.

    One choice of dtypes whatever the graph has, so that numba compiles once.
    """

    start: np.ndarray
    end: np.ndarray
    neighbours: np.ndarray
    alive: np.ndarray
    degree: np.ndarray

    @classmethod
    def of(cls, graph: Graph) -> _Lists:
        ends = graph.adjacency.indptr.astype(np.int64)
        neighbours = graph.adjacency.indices.astype(np.int32)
        alive = np.ones(graph.n, dtype=np.bool_)
        return cls(ends[:-1].copy(), ends[1:].copy(), neighbours, alive, np.diff(ends))


def _checked(weights: np.ndarray, n: int) -> np.ndarray:
    w = np.array(weights, dtype=np.float64)
    if w.shape != (n,):
        raise LovaszError(f"weights have shape {w.shape}; pass one for each of the {n} nodes")
    if bad := np.flatnonzero(~((w > 0) & np.isfinite(w)))[:1].tolist():
        raise LovaszError(f"weights[{bad[0]}]={w[bad[0]]}; node weights must be positive")
    return w


def _resolved(representative: np.ndarray) -> np.ndarray:
    """Follow representatives of representatives to the kept nodes, halving every way each time."""
    while True:
        further = representative[representative]
        if np.array_equal(further, representative):
            return representative
        representative = further


@njit(cache=True)
def _dominate(lists, weights, representative, pending):
    """Remove dominated nodes until none is left; how many. ``pending`` are those to look at.

    Only a node u that lost a neighbour can newly satisfy N[u] ⊆ N[v], so a removal puts the
    neighbours back into the queue. First in, first out: hubs are looked at once for many losses.
    """
    alive, degree = lists.alive, lists.degree
    n, removed, head, waiting = alive.size, 0, 0, 0
    queue, bits = np.empty(n, np.int32), _bits(lists)
    for u in range(n):
        if pending[u]:
            queue[waiting] = u
            waiting += 1
    while waiting:
        u = queue[head]
        head, waiting = (head + 1) % n, waiting - 1
        pending[u] = False
        if not alive[u] or degree[u] == 0:
            continue
        # Whom u dominates is a neighbour of u and of every other neighbour: try the fewer.
        scarce = _scarcest(lists, u)
        row = scarce if degree[scarce] < degree[u] else u
        for v in _row(lists, row):
            light = weights.size and weights[u] < weights[v]
            if not alive[v] or v == u or degree[v] < degree[u] or light:
                continue
            if not _included(lists, bits, u, v):
                continue
            alive[v], representative[v] = False, u
            removed += 1
            for x in _row(lists, v):
                if alive[x]:
                    degree[x] -= 1
                    if bits.size:
                        _flip(bits, x, v)
                    if not pending[x]:
                        pending[x] = True
                        queue[(head + waiting) % n] = x
                        waiting += 1
    return removed


@njit(cache=True)
def _scarcest(lists, u):
    """The living neighbour of u of least degree; drops the dead from the list on the way."""
    start, end, neighbours, alive, degree = lists
    best, stop = -1, start[u]
    for k in range(start[u], end[u]):
        v = neighbours[k]
        if alive[v]:
            neighbours[stop] = v
            stop += 1
            if best < 0 or degree[v] < degree[best]:
                best = v
    end[u] = stop
    return best


@njit(cache=True)
def _included(lists, bits, u, v):
    """Whether N[u] ⊆ N[v] among the living: by words where there are bits, else by bisection."""
    for k in range(bits.shape[1]):
        if bits[u, k] & ~bits[v, k]:
            return False
    row, met = _row(lists, v), bits.size > 0
    for x in _row(lists, u) if not met else row[:0]:
        met = met or x == v
        if x != v and lists.alive[x]:
            place = np.searchsorted(row, x)
            if place == row.size or row[place] != x:
                return False
    return met


@njit(cache=True)
def _bits(lists):
    """N[u] as bits for dense graphs, whose long lists differ late; of width 0 for others."""
    n = lists.start.size
    few = n <= 64 or n * n > 64 * lists.neighbours.size
    bits = np.zeros((n, 0 if few else n // 64 + 1), np.uint64)
    for u in range(0 if few else n):
        _flip(bits, u, u)
        for v in _row(lists, u):
            if lists.alive[v]:
                _flip(bits, u, v)
    return bits


@njit(cache=True)
def _flip(bits, u, v):
    bits[u, v // 64] ^= np.uint64(1) << np.uint64(v % 64)


@njit(cache=True)
def _row(lists, u):
    return lists.neighbours[lists.start[u] : lists.end[u]]


@njit(cache=True)
def _compact(lists, pending):
    """Drop the dead from all lists; ``pending`` are those whose degree was not up to date."""
    start, end, _, alive, degree = lists
    for u in range(alive.size):
        if not alive[u]:
            end[u] = start[u]
        _scarcest(lists, u)
        pending[u] = end[u] - start[u] != degree[u]
        degree[u] = end[u] - start[u]


def _crown(lists: _Lists) -> tuple[np.ndarray, np.ndarray]:
    """The heads H of a largest crown I ∪ H, and their partners in I.

    Nemhauser and Trotter: the LP max Σx, x_u + x_v ≤ 1 on edges, 0 ≤ x ≤ 1 has a half-integral
    optimum, I where it is 1 and H where it is 0. It is read from a maximum matching of the
    bipartite double cover, edges left u – right v for u ~ v, ``mate[0, u]`` = v, ``mate[1, v]`` =
    u. With Z what alternating paths from the free left nodes reach (König), I is where the left
    copy is in Z and the right copy is not, H where the right copy is and the left one is not.
    By complementary slackness matched pairs have x_u + x_v = 1, so H is matched into I. What is
    ½ in this optimum and whole in another one is found in the strong components of the rest.
    """
    mate, level = _match(lists)
    left = level >= 0
    right = (mate[1] >= 0) & left[mate[1]]
    heads = right & ~left
    _split(lists, (lists.degree > 0) & (left == right), mate, heads)
    return np.flatnonzero(heads), mate[1, heads]


@njit(cache=True)
def _match(lists):
    """A maximum matching (Hopcroft and Karp), and the levels of the last search.

    0 or more where an alternating path from a free left node arrives, else −1.
    """
    n, mate = lists.start.size, _pair(lists)
    level, queue = np.empty(n, np.int32), np.empty(n, np.int32)
    while _layers(lists, mate, level, queue):
        cursor = lists.start.copy()
        for root in range(n):
            if mate[0, root] < 0:
                _augment(lists, root, mate, level, queue, cursor)
    return mate, level


@njit(cache=True)
def _pair(lists):
    """Match by Karp and Sipser's rule: a node left with one free neighbour takes it at once."""
    n, top, following = lists.start.size, 0, 0
    # On sparse random graphs this misses a handful of a million pairs, plain greed every tenth.
    mate, stack = np.full((2, n), -1, np.int32), np.empty(2 * n, np.int64)
    free = np.empty((2, n), np.int64)
    for u in range(n):
        free[0, u] = free[1, u] = lists.degree[u]
    while top or following < n:
        if top:
            top -= 1
            side, u = stack[top] // n, stack[top] % n
        else:
            side, u = 0, following
            following += 1
        if mate[side, u] >= 0 or not free[side, u]:
            continue
        other, best = 1 - side, -1
        for v in _row(lists, u):
            if mate[other, v] < 0 and (best < 0 or free[other, v] < free[other, best]):
                best = v
        mate[side, u], mate[other, best] = best, u
        for x, across in ((u, other), (best, side)):
            for v in _row(lists, x):
                free[across, v] -= 1
                if free[across, v] == 1 and mate[across, v] < 0:  # once each: 2n places suffice
                    stack[top] = across * n + v
                    top += 1
    return mate


@njit(cache=True)
def _layers(lists, mate, level, queue):
    """Breadth-first levels of the left nodes, up to those next to a free right node, if any."""
    k, stop, never = 0, 0, level.size + 1
    limit = never
    for u in range(level.size):
        level[u] = -1
        if mate[0, u] < 0:
            level[u] = 0
            queue[stop] = u
            stop += 1
    while k < stop and level[queue[k]] < limit:
        u = queue[k]
        k += 1
        for v in _row(lists, u):
            w = mate[1, v]
            if w < 0:
                limit = level[u] + 1  # no path through a later layer is among the shortest
            elif level[w] < 0:
                level[w] = level[u] + 1
                queue[stop] = w
                stop += 1
    return limit < never


@njit(cache=True)
def _augment(lists, root, mate, level, path, cursor):
    """Depth-first along the levels from a free left node to a free right one; flip the path."""
    path[0], top = root, 0
    while top >= 0:
        u = path[top]
        if cursor[u] == lists.end[u]:
            top -= 1
            continue
        v = lists.neighbours[cursor[u]]
        cursor[u] += 1
        w = mate[1, v]
        if w < 0:
            for x in path[: top + 1]:
                v = lists.neighbours[cursor[x] - 1]
                mate[0, x], mate[1, v] = v, x
            return
        if level[w] == level[u] + 1:
            top += 1
            path[top] = w


@njit(cache=True)
def _split(lists, half, mate, heads):
    """Add to ``heads`` those of all crowns among the nodes ``half``, whose matching is perfect.

    Arcs u → mate[1, v] for v ~ u: crowns have I = Z, H = mates of Z, for Z closed under arcs
    and disjoint from its mates. Swapping left and right maps strong components to their mates
    and reverses the arcs. Tarjan's algorithm ends a component after all it leads to; take those
    that end before their mirror, as in 2-SAT. *Closed*: let S be taken, S → T. Then mirror T →
    mirror S, so T ends before S, before mirror S, before mirror T, and T is taken as well.
    """
    n, seen, height, top = half.size, 0, 0, -1
    order, low, component = np.zeros(n, np.int64), np.empty(n, np.int64), np.full(n, -1, np.int64)
    path, stack, cursor = np.empty(n, np.int32), np.empty(n, np.int32), lists.start.copy()
    for root in range(n):
        if half[root] and not order[root]:
            path[0], top = root, 0
        while top >= 0:
            u = path[top]
            if not order[u]:
                seen += 1
                order[u] = low[u] = seen
                stack[height] = u
                height += 1
            if cursor[u] < lists.end[u]:
                v = lists.neighbours[cursor[u]]
                cursor[u] += 1
                x = mate[1, v]
                if half[v] and not order[x]:
                    top += 1
                    path[top] = x
                elif half[v] and component[x] < 0:
                    low[u] = min(low[u], order[x])
                continue
            top -= 1
            if low[u] < order[u]:
                low[path[top]] = min(low[path[top]], low[u])
                continue
            ended = height
            while component[u] < 0:
                height -= 1
                component[stack[height]] = u
            if not heads[u] and component[mate[0, u]] != u:
                for x in stack[height:ended]:
                    heads[mate[0, x]] = True


def compiling() -> str:
    """A note for the first ϑ of an installation, which compiles for a quarter of a minute."""
    folder = _dominate.stats.cache_path
    done = folder is None or any(Path(folder).glob("reduce*.nbi"))
    return "" if done else "compiling, once an installation"
