"""Fewer colours by local search: tabu search with k colours, and crossover of two colourings.

*Tabu search* (Hertz and de Werra 1987, with the tenure of Galinier and Hao 1999): every node has
one of k colours, and some edges join equal colours. Recolour an end of such an edge so that as few
of them as possible are left, and do not undo that for a while. *Crossover* (GPX, Galinier and
Hao): a child takes the largest class of one parent, then of the other, in turn. With two parents
this is the search HEAD of Moalic and Gondran (2018).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lovasz.base.compiled import compiled
from lovasz.colors.compiled_random import random_below
from lovasz.graphs.adjacency_lists import AdjacencyLists

MOVES = 20_000
"""Number of moves between two looks at the clock for up to 1,000 nodes; fewer for more nodes."""
FEWEST = 1_000
"""Least number of moves between two looks at the clock."""


def fewer_colors(
    lists: AdjacencyLists,
    colors: np.ndarray,
    *,
    least: int,
    moves: int,
    state: np.ndarray,
    late: Callable[[], bool],
) -> np.ndarray:
    """A proper colouring with fewer colours, if ``moves`` moves per number of colours find one.

    The search stops at ``least`` colours.
    """
    colors = colors.astype(np.int64)
    while (k := int(colors.max()) + 1) > max(least, 1) and not late():
        found = _with(lists, _dissolved(lists, colors, k), k - 1, moves, state, late)
        if found is None:
            break
        colors = found
    return colors


def _with(
    lists: AdjacencyLists,
    start: np.ndarray,
    k: int,
    moves: int,
    state: np.ndarray,
    late: Callable[[], bool],
) -> np.ndarray | None:
    """A proper k-colouring, or None if none was found.

    A quarter of the moves goes to tabu search alone, the rest to HEAD.
    """
    chunk = min(max(MOVES * 1000 // max(lists.n, 1000), FEWEST), max(moves, 1))
    left, first = moves, start.copy()
    conflicts = -1
    while left > 3 * moves // 4 and not late():
        conflicts = tabu_search(lists.indptr, lists.indices, first, k, chunk, state)
        left -= chunk
        if conflicts == 0:
            return first
    if k == 1 or left <= 0:
        return None
    second = _random_colors(lists.n, k, state)
    elite = first.copy()
    generation = 0
    while left > 0 and not late():
        pair = [cross(a, b, k, state) for a, b in ((first, second), (second, first))]
        for child in pair:
            conflicts = tabu_search(lists.indptr, lists.indices, child, k, chunk, state)
            left -= chunk
            if conflicts == 0:
                return child
            if late():
                return None
        generation += 1
        first, second = pair
        if distance(first, second, k) == 0:  # the two are the same: replace one
            second = elite.copy() if generation % 2 else _random_colors(lists.n, k, state)
        if generation % 10 == 0:
            elite = first.copy()
    return None


def _random_colors(n: int, k: int, state: np.ndarray) -> np.ndarray:
    return np.array([random_below(state, k) for _ in range(n)], dtype=np.int64)


def _dissolved(lists: AdjacencyLists, colors: np.ndarray, k: int) -> np.ndarray:
    """The colouring without its smallest class, whose nodes move where they clash least."""
    sizes = np.bincount(colors, minlength=k)
    gone = int(sizes.argmin())
    start = np.where(colors == k - 1, gone, colors)
    for node in np.flatnonzero(colors == gone):
        near = lists.of(node)
        seen = np.bincount(start[near], minlength=k)[: k - 1] if k > 1 else np.zeros(1)
        start[node] = int(seen.argmin())
    return start


@compiled
def tabu_search(
    indptr: np.ndarray,
    indices: np.ndarray,
    colors: np.ndarray,
    k: int,
    moves: int,
    state: np.ndarray,
) -> int:
    """Search from ``colors``, which become the best seen, and return the conflicts left."""
    n = colors.size
    count, clash, troubled, place = (
        0,
        np.zeros((n, k), np.int32),
        np.empty(n, np.int64),
        -np.ones(n, np.int64),
    )
    conflicts = 0
    for v in range(n):
        for u in indices[indptr[v] : indptr[v + 1]]:
            clash[v, colors[u]] += 1
    for v in range(n):
        if clash[v, colors[v]]:
            conflicts += clash[v, colors[v]]
            count = _add(troubled, place, count, v)
    conflicts //= 2
    until = np.zeros((n, k), np.int64)
    best, kept = conflicts, colors.copy()
    for move in range(moves):
        if conflicts == 0:
            break
        v, c = _best_move(clash, colors, troubled[:count], until, move, best - conflicts, state)
        old = colors[v]
        conflicts += clash[v, c] - clash[v, old]
        colors[v] = c
        until[v, old] = move + random_below(state, 10) + 6 * count // 10 + 1
        for u in indices[indptr[v] : indptr[v + 1]]:
            clash[u, old] -= 1
            clash[u, c] += 1
            if colors[u] == old and clash[u, old] == 0:
                count = _drop(troubled, place, count, u)
            elif colors[u] == c and place[u] < 0:
                count = _add(troubled, place, count, u)
        if clash[v, c] == 0:
            if place[v] >= 0:
                count = _drop(troubled, place, count, v)
        elif place[v] < 0:
            count = _add(troubled, place, count, v)
        if conflicts < best:
            best = conflicts
            kept[:] = colors
    colors[:] = kept
    return best


@compiled
def _best_move(
    clash: np.ndarray,
    colors: np.ndarray,
    troubled: np.ndarray,
    until: np.ndarray,
    move: int,
    record: int,
    state: np.ndarray,
) -> tuple[int, int]:
    """The recolouring that leaves fewest conflicts. A tabu one must beat the record."""
    node, color, least, ties = -1, 0, np.int64(1 << 40), 0
    k = clash.shape[1]
    for v in troubled:
        own = clash[v, colors[v]]
        for c in range(k):
            change = clash[v, c] - own
            if change > least or c == colors[v]:
                continue
            if until[v, c] > move and change >= record:
                continue
            if change < least:
                least, ties = change, 1
                node, color = v, c
            else:
                ties += 1
                if random_below(state, ties) == 0:
                    node, color = v, c
    if node < 0:  # every move is tabu
        node = troubled[random_below(state, troubled.size)]
        color = (colors[node] + 1 + random_below(state, max(k - 1, 1))) % k
    return node, color


@compiled
def _add(members: np.ndarray, place: np.ndarray, count: int, v: int) -> int:
    """Add v to the members, and return their new number."""
    members[count], place[v] = v, count
    return count + 1


@compiled
def _drop(members: np.ndarray, place: np.ndarray, count: int, v: int) -> int:
    """Remove v from the members, and return their new number."""
    last = members[count - 1]
    members[place[v]], place[last] = last, place[v]
    place[v] = -1
    return count - 1


@compiled
def cross(first: np.ndarray, second: np.ndarray, k: int, state: np.ndarray) -> np.ndarray:
    """A child of two colourings: their largest classes in turn, the other nodes at random."""
    n = first.size
    parents = np.stack((first, second))
    child = -np.ones(n, np.int64)
    sizes = np.zeros((2, k), np.int64)
    for p in range(2):
        for v in range(n):
            sizes[p, parents[p, v]] += 1
    for c in range(k):
        p = c % 2
        largest = np.argmax(sizes[p])
        for v in range(n):
            if child[v] < 0 and parents[p, v] == largest:
                child[v] = c
                for q in range(2):
                    sizes[q, parents[q, v]] -= 1
    for v in range(n):
        if child[v] < 0:
            child[v] = random_below(state, k)
    return child


def distance(first: np.ndarray, second: np.ndarray, k: int) -> int:
    """Number of nodes in which two partitions differ, with classes matched greedily."""
    shared = np.zeros((k, k), dtype=np.int64)
    np.add.at(shared, (first, second), 1)
    matched = 0
    for _ in range(k):
        a, b = np.unravel_index(shared.argmax(), shared.shape)
        matched += int(shared[a, b])
        shared[a, :] = -1
        shared[:, b] = -1
    return len(first) - matched
