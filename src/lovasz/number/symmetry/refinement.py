"""Colour refinement: the coarsest partition in which nodes of a colour see the same colours."""

from __future__ import annotations

import numpy as np

from lovasz.graphs import Graph

ROUNDS = 64
"""Most rounds; a partition that is not stable by then is returned as it is."""
SEED = 0
"""Seed of the random weights of colours, so that the same graph gives the same colours."""


def refine_colours(graph: Graph, colours: np.ndarray) -> np.ndarray:
    """Return the refined colours, numbered from 0.

    In each round a node gets the random sum of its neighbours' colours, modulo 2⁶⁴. Different
    multisets have equal sums with probability 2⁻⁶⁴, which would leave the partition too coarse;
    what is computed with it is certified elsewhere.

    >>> path = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4])
    >>> refine_colours(path, np.zeros(5, dtype=np.int64)).tolist()
    [0, 1, 2, 1, 0]
    """
    rng = np.random.default_rng(SEED)
    indptr, indices = graph.adjacency.indptr, graph.adjacency.indices
    inside = graph.degrees > 0
    starts = indptr[:-1][inside]
    count = int(colours.max()) + 1 if colours.size else 0
    for _ in range(ROUNDS):
        weights = rng.integers(0, 2**64, size=count, dtype=np.uint64)
        sums = weights[colours] * np.uint64(0x9E3779B97F4A7C15)
        if starts.size:
            sums[inside] += np.add.reduceat(weights[colours[indices]], starts)
        first, new = _number_by_first(sums)
        if len(first) == count:
            break
        colours, count = new, len(first)
        if count == graph.n:
            break
    return colours


def individualise(graph: Graph, colours: np.ndarray, node: int) -> np.ndarray:
    """Return the refined colours after ``node`` has got a colour of its own."""
    marked = colours.copy()
    marked[node] = colours.max() + 1
    return refine_colours(graph, marked)


def _number_by_first(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number equal keys alike, in the order of their first places."""
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return first, rank[inverse]
