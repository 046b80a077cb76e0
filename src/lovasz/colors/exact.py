"""Exhaustive searches with a budget: a largest clique, and whether k colours are enough.

Their proofs do not depend on ϑ. If the budget ends first, they prove nothing and say so.
"""

from __future__ import annotations

import numpy as np

from lovasz.base.compiled import compiled
from lovasz.colors.greedy import peel
from lovasz.graphs.adjacency_lists import AdjacencyLists

TINY = 12
"""Number of nodes up to which an exhaustive search takes few steps, whatever its budget."""


def exhaustive_steps(n: int, budget: int) -> float:
    """Estimate the plain steps of an exhaustive search among n nodes."""
    return float(20 * n**2 if n <= TINY else 10 * budget)


def largest_clique(
    lists: AdjacencyLists, *, known: np.ndarray, budget: int
) -> tuple[np.ndarray, bool]:
    """A largest clique, and whether it is proven to be one; never smaller than ``known``.

    A clique consists of its first node in the peeling order and some later neighbours of that
    node, of which there are no more than its core number. So sparse graphs split into small
    searches.
    """
    best, proven = known, True
    order, core = peel.within(3 * lists.n + lists.indices.size)(lists.indptr, lists.indices)
    rank = np.empty(lists.n, dtype=np.int64)
    rank[order] = np.arange(lists.n)
    place = np.full(lists.n, -1)
    for v in order[::-1]:
        if core[v] + 1 <= len(best):
            continue
        near = lists.of(v)
        later = near[rank[near] > rank[v]].astype(np.int64)
        if len(later) < len(best):
            continue
        steps = len(later) ** 2
        inside = _induced.within(steps)(lists.indptr, lists.indices, later, place)
        start = np.argsort(-inside.sum(axis=1), kind="stable")
        search = search_clique.within(exhaustive_steps(len(later), budget))
        found, used = search(inside, start, len(best) - 1, budget)
        budget -= used
        if len(found):
            best = np.append(later[found], v)
        if budget <= 0:
            proven = False
            break
    return best, proven


@compiled
def _induced(
    indptr: np.ndarray, indices: np.ndarray, rows: np.ndarray, place: np.ndarray
) -> np.ndarray:
    """The adjacency matrix of some rows; ``place`` must be all −1 and is so again at the end."""
    for i in range(rows.size):
        place[rows[i]] = i
    adjacent = np.zeros((rows.size, rows.size), np.bool_)
    for i in range(rows.size):
        for u in indices[indptr[rows[i]] : indptr[rows[i] + 1]]:
            if place[u] >= 0:
                adjacent[i, place[u]] = True
    for v in rows:
        place[v] = -1
    return adjacent


@compiled
def search_clique(
    adjacent: np.ndarray, start: np.ndarray, least: int, budget: int
) -> tuple[np.ndarray, int]:
    """A largest clique of more than ``least`` nodes, empty if there is none, and the steps taken.

    Branch and bound (Tomita and Seki 2003) from the order ``start``: candidates are taken in the
    order of a greedy colouring, and no clique is larger than the number of colours. If the steps
    reach ``budget``, the search was given up and the clique is the best one seen.
    """
    n = adjacent.shape[0]
    order, bound = np.empty((n + 1, n), np.int64), np.empty((n + 1, n), np.int64)
    at, now = np.zeros(n + 1, np.int64), np.empty(n + 1, np.int64)
    best = np.empty(0, np.int64)
    at[0] = _sort_by_color(adjacent, start, order[0], bound[0]) - 1
    level, steps = 0, n
    while level >= 0:
        k = at[level]
        if k < 0 or level + bound[level, k] <= least:
            level -= 1
            continue
        v = order[level, k]
        at[level] -= 1
        now[level] = v
        near = order[level, :k][adjacent[v][order[level, :k]]]
        steps += near.size + 1
        if near.size == 0:
            if level + 1 > least:
                least, best = level + 1, now[: level + 1].copy()
        elif steps >= budget:
            return best, steps
        else:
            level += 1
            at[level] = _sort_by_color(adjacent, near, order[level], bound[level]) - 1
    return best, steps


@compiled
def _sort_by_color(
    adjacent: np.ndarray, members: np.ndarray, order: np.ndarray, bound: np.ndarray
) -> int:
    """Colour greedily, class by class, and return the number of members.

    ``order`` gets the members in that order, ``bound`` the number of classes up to each.
    """
    left, count, color = members.copy(), 0, 0
    while left.size:
        color += 1
        rest, kept = 0, count
        for v in left:
            fits = True
            for i in range(kept, count):
                if adjacent[v, order[i]]:
                    fits = False
                    break
            if fits:
                order[count], bound[count] = v, color
                count += 1
            else:
                left[rest] = v
                rest += 1
        left = left[:rest]
    return count


@compiled
def try_colors(
    indptr: np.ndarray,
    indices: np.ndarray,
    clique: np.ndarray,
    k: int,
    budget: int,
    colors: np.ndarray,
) -> int:
    """Whether k colours are enough: 1 if so, 0 if proven that not, −1 if the budget ended first.

    For 1 the colours are in ``colors``. Backtracking by DSATUR: the clique gets the colours
    0, 1, …; then the node that sees most colours is always next, and it is tried with each
    colour that it can have, of which at most one is new.
    """
    n = indptr.size - 1
    clash, sees = np.zeros((n, k), np.int32), np.zeros(n, np.int64)
    colors[:] = -1
    stack, opened = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    for c in range(clique.size):
        if c >= k:
            return 0
        _paint(indptr, indices, clique[c], c, 1, colors, clash, sees)
    base, depth, steps = clique.size, 0, 0
    opened[0] = clique.size
    stack[0] = -1 if base == n else _most_constrained(indptr, colors, sees)
    while True:
        if base + depth == n:
            return 1
        v = stack[depth]
        c = colors[v] + 1
        if colors[v] >= 0:
            _paint(indptr, indices, v, colors[v], -1, colors, clash, sees)
        while c < k and clash[v, c]:
            c += 1
        if c >= k or c > opened[depth]:
            depth -= 1
            if depth < 0:
                return 0
            continue
        steps += 1
        if steps > budget:
            return -1
        _paint(indptr, indices, v, c, 1, colors, clash, sees)
        depth += 1
        opened[depth] = max(opened[depth - 1], c + 1)
        if base + depth < n:
            stack[depth] = _most_constrained(indptr, colors, sees)


@compiled
def _paint(
    indptr: np.ndarray,
    indices: np.ndarray,
    v: int,
    c: int,
    sign: int,
    colors: np.ndarray,
    clash: np.ndarray,
    sees: np.ndarray,
) -> None:
    """Give v the colour c (sign 1), or take it away (sign −1)."""
    colors[v] = c if sign > 0 else -1
    for u in indices[indptr[v] : indptr[v + 1]]:
        before = clash[u, c]
        clash[u, c] = before + sign
        if before == 0 or before + sign == 0:
            sees[u] += sign


@compiled
def _most_constrained(indptr: np.ndarray, colors: np.ndarray, sees: np.ndarray) -> int:
    """The uncoloured node that sees most colours; of several the one of highest degree."""
    best, key = -1, -1
    n = colors.size
    for v in range(n):
        if colors[v] < 0:
            rank = sees[v] * n + indptr[v + 1] - indptr[v]
            if rank > key:
                best, key = v, rank
    return best
