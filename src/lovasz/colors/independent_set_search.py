"""Large independent sets by local search on neighbour lists.

Let S be independent and t(v) the number of neighbours of v in S. Nodes with t = 0 join S. If none
is left, a node with t = 1 takes the place of its neighbour, which keeps the size. Now and then a
node is forced in, and its neighbours leave. Among a few candidates the one that has not moved for
longest is taken. One step costs a degree or two, so the same loop serves a million nodes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lovasz.base.compiled import compiled
from lovasz.colors.compiled_random import random_below
from lovasz.graphs.adjacency_lists import AdjacencyLists

VISITS = 5_000_000
"""Number of neighbours visited between two looks at the clock."""
TRIED = 6
"""Number of candidates compared for a swap."""


def enlarge_set(
    lists: AdjacencyLists,
    chosen: np.ndarray,
    *,
    most: int,
    visits: int,
    state: np.ndarray,
    late: Callable[[], bool],
) -> np.ndarray:
    """Rows of an independent set at least as large as ``chosen``; the search stops at ``most``.

    ``visits`` bounds the number of neighbours visited, about three lists per step.
    """
    inside = np.zeros(lists.n, dtype=np.bool_)
    inside[chosen] = True
    cost = 10 + 3 * len(lists.indices) // max(lists.n, 1)
    while visits > 0 and inside.sum() < most and not late():
        steps = max(min(visits, VISITS) // cost, 100)
        search_set(lists.indptr, lists.indices, inside, steps, most, state)
        visits -= VISITS
    return np.flatnonzero(inside)


@compiled
def search_set(
    indptr: np.ndarray,
    indices: np.ndarray,
    inside: np.ndarray,
    steps: int,
    most: int,
    state: np.ndarray,
) -> None:
    """Replace ``inside`` by the largest independent set seen."""
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
        elif counts[1] and random_below(state, 100) and since % 2000:
            v = _oldest(loose[: counts[1]], rested, state)
        else:
            v = random_below(state, n)
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


@compiled
def _oldest(members: np.ndarray, rested: np.ndarray, state: np.ndarray) -> int:
    """Of a few random members the one that has not moved for longest."""
    best: int = members[random_below(state, members.size)]
    for _ in range(TRIED):
        v = members[random_below(state, members.size)]
        if rested[v] < rested[best]:
            best = v
    return best


@compiled
def _file(
    v: int,
    t: int,
    free: np.ndarray,
    free_at: np.ndarray,
    loose: np.ndarray,
    loose_at: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Move v to the list of nodes with its t, ``free`` (0) or ``loose`` (1), or to neither."""
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


@compiled
def _remove(members: np.ndarray, at: np.ndarray, count: int, v: int) -> int:
    """Remove v from the members, and return their new number."""
    last = members[count - 1]
    members[at[v]], at[last] = last, at[v]
    at[v] = -1
    return count - 1


@compiled
def _enter(
    indptr: np.ndarray,
    indices: np.ndarray,
    v: int,
    inside: np.ndarray,
    tight: np.ndarray,
    free: np.ndarray,
    free_at: np.ndarray,
    loose: np.ndarray,
    loose_at: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Put v into S."""
    inside[v] = True
    counts[2] += 1
    _file(v, -1, free, free_at, loose, loose_at, counts)
    for u in indices[indptr[v] : indptr[v + 1]]:
        tight[u] += 1
        if not inside[u]:
            _file(u, tight[u], free, free_at, loose, loose_at, counts)


@compiled
def _leave(
    indptr: np.ndarray,
    indices: np.ndarray,
    v: int,
    inside: np.ndarray,
    tight: np.ndarray,
    free: np.ndarray,
    free_at: np.ndarray,
    loose: np.ndarray,
    loose_at: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Take v out of S."""
    inside[v] = False
    counts[2] -= 1
    for u in indices[indptr[v] : indptr[v + 1]]:
        tight[u] -= 1
        if not inside[u]:
            _file(u, tight[u], free, free_at, loose, loose_at, counts)
    _file(v, tight[v], free, free_at, loose, loose_at, counts)
