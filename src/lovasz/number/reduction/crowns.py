"""Crowns: I independent, H = N(I) matched into I, found by a matching; see :mod:`.reduce`."""

from __future__ import annotations

import numpy as np

from lovasz.base.compiled import compiled
from lovasz.number.reduction.neighbour_lists import NeighbourLists, row_of

STEPS = 2
"""Plain steps per node and entry of the lists that the matching takes, and the search after it."""


def crown(lists: NeighbourLists) -> tuple[np.ndarray, np.ndarray]:
    """Return the heads H of a largest crown I ∪ H, and their partners in I.

    Nemhauser and Trotter: the LP max Σx, x_u + x_v ≤ 1 on edges, 0 ≤ x ≤ 1 has a half-integral
    optimum, I where it is 1 and H where it is 0. It is read from a maximum matching of the
    bipartite double cover, edges left u – right v for u ~ v, ``mate[0, u]`` = v, ``mate[1, v]`` =
    u. With Z what alternating paths from the free left nodes reach (König), I is where the left
    copy is in Z and the right copy is not, H where the right copy is and the left one is not.
    By complementary slackness matched pairs have x_u + x_v = 1, so H is matched into I. What is
    ½ in this optimum and whole in another one is found in the strong components of the rest.
    """
    steps = STEPS * (lists.start.size + lists.neighbours.size)
    mate, level = match.within(steps)(lists)
    left = level >= 0
    right = (mate[1] >= 0) & left[mate[1]]
    heads = right & ~left
    split.within(steps)(lists, (lists.degree > 0) & (left == right), mate, heads)
    return np.flatnonzero(heads), mate[1, heads]


@compiled
def match(lists: NeighbourLists) -> tuple[np.ndarray, np.ndarray]:
    """Return a maximum matching (Hopcroft and Karp) and the levels of its last search.

    The level of a left node is −1 if no alternating path from a free left node arrives there.
    """
    n, mate = lists.start.size, _pair(lists)
    level, queue = np.empty(n, np.int32), np.empty(n, np.int32)
    while _layers(lists, mate, level, queue):
        cursor = lists.start.copy()
        for root in range(n):
            if mate[0, root] < 0:
                _augment(lists, root, mate, level, queue, cursor)
    return mate, level


@compiled
def _pair(lists: NeighbourLists) -> np.ndarray:
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
        for v in row_of(lists, u):
            if mate[other, v] < 0 and (best < 0 or free[other, v] < free[other, best]):
                best = v
        mate[side, u], mate[other, best] = best, u
        for x, across in ((u, other), (best, side)):
            for v in row_of(lists, x):
                free[across, v] -= 1
                if free[across, v] == 1 and mate[across, v] < 0:  # once each: 2n places suffice
                    stack[top] = across * n + v
                    top += 1
    return mate


@compiled
def _layers(lists: NeighbourLists, mate: np.ndarray, level: np.ndarray, queue: np.ndarray) -> bool:
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
        for v in row_of(lists, u):
            w = mate[1, v]
            if w < 0:
                limit = level[u] + 1  # no path through a later layer is among the shortest
            elif level[w] < 0:
                level[w] = level[u] + 1
                queue[stop] = w
                stop += 1
    return limit < never


@compiled
def _augment(
    lists: NeighbourLists,
    root: int,
    mate: np.ndarray,
    level: np.ndarray,
    path: np.ndarray,
    cursor: np.ndarray,
) -> None:
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


@compiled
def split(lists: NeighbourLists, half: np.ndarray, mate: np.ndarray, heads: np.ndarray) -> None:
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
