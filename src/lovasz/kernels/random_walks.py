"""Biased second-order random walks (Grover and Leskovec 2016).

A walk that came from t to v goes on to the neighbour x of v with probability proportional to

    w_vx · α(t, x),    α = 1/p if x = t,  1 if x ~ t,  1/q otherwise:

with a small p a walk goes back often, with a small q it goes away. The first step has α = 1.
"""

from __future__ import annotations

import numpy as np

from lovasz.base.compiled import compiled
from lovasz.base.errors import LovaszError
from lovasz.base.memory import refuse_if_too_large
from lovasz.graphs import Graph
from lovasz.graphs.adjacency_lists import AdjacencyLists

TRIES = 32
"""Number of rejections after which the probabilities of all neighbours are computed."""


def random_walks(
    graph: Graph, *, walks: int, length: int, p: float, q: float, rng: np.random.Generator
) -> np.ndarray:
    """``walks`` walks of ``length`` nodes from every node with neighbours, one row per walk.

    Each round starts one walk at every node, in random order.

    >>> from lovasz import as_graph
    >>> path = as_graph([(0, 1), (1, 2)])
    >>> rng = np.random.default_rng(0)
    >>> sorted(random_walks(path, walks=1, length=4, p=1e9, q=1, rng=rng)[:, ::2].tolist())
    [[0, 2], [1, 1], [2, 0]]
    """
    starts = np.flatnonzero(graph.degrees).astype(np.int32)
    refuse_if_too_large(
        f"{walks} walks of {length} nodes from {starts.size:,} nodes",
        starts.size * walks * length,
        "lower walks or length",
        bytes_per_entry=4,
    )
    adjacency = graph.adjacency
    if adjacency.nnz and adjacency.data.min() < 0:
        raise LovaszError(
            f"an edge has weight {adjacency.data.min():g}, and a walk needs weights > 0; "
            "drop the weights or take their absolute value"
        )
    first = np.concatenate([rng.permutation(starts) for _ in range(walks)])
    lists = AdjacencyLists(graph)
    cumulative = np.concatenate([[0.0], np.cumsum(adjacency.data)])
    return _walk(lists.indptr, lists.indices, cumulative, first, length, 1 / p, 1 / q, rng)


@compiled
def _walk(
    indptr: np.ndarray,
    indices: np.ndarray,
    cumulative: np.ndarray,
    first: np.ndarray,
    length: int,
    back: float,
    away: float,
    rng: np.random.Generator,
) -> np.ndarray:
    """The walks from the nodes ``first``, with 1/p = ``back`` and 1/q = ``away``."""
    walks = np.empty((first.size, length), dtype=np.int32)
    for row in range(first.size):
        here = first[row]
        walks[row, 0] = here
        for step in range(1, length):
            if step == 1:
                here = indices[_draw(cumulative, indptr[here], indptr[here + 1], rng)]
            else:
                last = walks[row, step - 2]
                here = _biased(indptr, indices, cumulative, last, here, back, away, rng)
            walks[row, step] = here
    return walks


@compiled
def _draw(cumulative: np.ndarray, start: int, stop: int, rng: np.random.Generator) -> int:
    """The position of a neighbour, drawn with probability proportional to its weight."""
    low, high = cumulative[start], cumulative[stop]
    u = low + rng.random() * (high - low)
    place: int = start + np.searchsorted(cumulative[start + 1 : stop], u, side="right")
    return place


@compiled
def _biased(
    indptr: np.ndarray,
    indices: np.ndarray,
    cumulative: np.ndarray,
    last: int,
    here: int,
    back: float,
    away: float,
    rng: np.random.Generator,
) -> int:
    """The next node, drawn by weight and accepted with probability α / max α.

    That is exact and needs no table for every pair (t, v). After TRIES rejections the
    probabilities of all neighbours are computed; earlier rejections do not change them.
    """
    start, stop = indptr[here], indptr[here + 1]
    near = indices[indptr[last] : indptr[last + 1]]
    top = max(back, 1.0, away)
    for _ in range(TRIES):
        k = _draw(cumulative, start, stop, rng)
        drawn: int = indices[k]
        if rng.random() * top < _alpha(near, last, drawn, back, away):
            return drawn
    total = 0.0
    for k in range(start, stop):
        weight = cumulative[k + 1] - cumulative[k]
        total += weight * _alpha(near, last, indices[k], back, away)
    u = rng.random() * total
    for k in range(start, stop):
        weight = cumulative[k + 1] - cumulative[k]
        found: int = indices[k]
        u -= weight * _alpha(near, last, found, back, away)
        if u < 0:
            return found
    return found


@compiled
def _alpha(near: np.ndarray, last: int, x: int, back: float, away: float) -> float:
    """α(t, x), with t = ``last`` and ``near`` its neighbours in ascending order."""
    if x == last:
        return back
    k = np.searchsorted(near, x)
    return 1.0 if k < near.size and near[k] == x else away
