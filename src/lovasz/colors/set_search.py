"""Large independent sets by local search on neighbour lists.

Let S be independent and t(v) the number of neighbours of v in S. Nodes with t = 0 join; with
none left, a node with t = 1 takes the place of its neighbour (the size stays); now and then a
node is forced in and its neighbours leave. Among a few candidates the one that has rested
longest is taken. One step costs a degree or two, so the same loop serves a million nodes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import njit

from lovasz.colors.compiled_random import draw
from lovasz.colors.tabu import Lists

VISITS = 5_000_000
"""Neighbours looked at in a chunk: between two of them the clock is read."""
TRIED = 6
"""Candidates looked at for a swap."""


def larger_set(
    lists: Lists,
    chosen: np.ndarray,
    *,
    most: int,
    visits: int,
    state: np.ndarray,
    late: Callable[[], bool],
) -> np.ndarray:
    """Rows of an independent set at least as large as ``chosen``; enough at size ``most``.

    ``visits`` bounds the neighbours looked at, some three lists a step.
    """
    inside = np.zeros(lists.n, dtype=np.bool_)
    inside[chosen] = True
    cost = 10 + 3 * len(lists.indices) // max(lists.n, 1)
    while visits > 0 and inside.sum() < most and not late():
        steps = max(min(visits, VISITS) // cost, 100)
        search_set(lists.indptr, lists.indices, inside, steps, most, state)
        visits -= VISITS
    return np.flatnonzero(inside)


@njit(cache=True)
def search_set(indptr, indices, inside, steps, most, state):
    """``inside`` becomes the largest independent set seen."""
    n = inside.size
    tight = np.zeros(n, np.int64)
    free, free_at = np.empty(n, np.int64), -np.ones(n, np.int64)
    loose, loose_at = np.empty(n, np.int64), -np.ones(n, np.int64)
    counts = np.zeros(3, np.int64)  # free, loose (t = 1), and the size of S
    rested, best = np.zeros(n, np.int64), inside.copy()
    for v in range(n):
        counts[2] += inside[v]
        for u in indices[indptr[v] : indptr[v + 1]]:
            tight[v] += inside[u]
    for v in range(n):
        if not inside[v]:
            _file(v, tight[v], free, free_at, loose, loose_at, counts)
    record, since = counts[2], 0
    for step in range(1, steps + 1):
        since += 1
        if counts[0]:
            v = _oldest(free[: counts[0]], rested, state)
        elif counts[1] and draw(state, 100) and since % 2000:
            v = _oldest(loose[: counts[1]], rested, state)
        else:
            v = draw(state, n)
            if inside[v]:
                continue
        for u in indices[indptr[v] : indptr[v + 1]]:
            if inside[u]:
                _leave(indptr, indices, u, inside, tight, free, free_at, loose, loose_at, counts)
                rested[u] = step
        _enter(indptr, indices, v, inside, tight, free, free_at, loose, loose_at, counts)
        rested[v] = step
        if counts[2] > record:
            record, since = counts[2], 0
            best[:] = inside
            if record >= most:
                break
    inside[:] = best


@njit(cache=True)
def _oldest(members, rested, state):
    best = members[draw(state, members.size)]
    for _ in range(TRIED):
        v = members[draw(state, members.size)]
        if rested[v] < rested[best]:
            best = v
    return best


@njit(cache=True)
def _file(v, t, free, free_at, loose, loose_at, counts):
    """Put v where its t says, and take it from where it was."""
    if free_at[v] >= 0 and t != 0:
        counts[0] = _remove(free, free_at, counts[0], v)
    if loose_at[v] >= 0 and t != 1:
        counts[1] = _remove(loose, loose_at, counts[1], v)
    if t == 0 and free_at[v] < 0:
        free[counts[0]], free_at[v] = v, counts[0]
        counts[0] += 1
    if t == 1 and loose_at[v] < 0:
        loose[counts[1]], loose_at[v] = v, counts[1]
        counts[1] += 1


@njit(cache=True)
def _remove(members, at, count, v):
    last = members[count - 1]
    members[at[v]], at[last] = last, at[v]
    at[v] = -1
    return count - 1


@njit(cache=True)
def _enter(indptr, indices, v, inside, tight, free, free_at, loose, loose_at, counts):
    inside[v] = True
    counts[2] += 1
    _file(v, -1, free, free_at, loose, loose_at, counts)
    for u in indices[indptr[v] : indptr[v + 1]]:
        tight[u] += 1
        if not inside[u]:
            _file(u, tight[u], free, free_at, loose, loose_at, counts)


@njit(cache=True)
def _leave(indptr, indices, v, inside, tight, free, free_at, loose, loose_at, counts):
    inside[v] = False
    counts[2] -= 1
    for u in indices[indptr[v] : indptr[v + 1]]:
        tight[u] -= 1
        if not inside[u]:
            _file(u, tight[u], free, free_at, loose, loose_at, counts)
    _file(v, tight[v], free, free_at, loose, loose_at, counts)
