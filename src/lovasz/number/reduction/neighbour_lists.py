"""Neighbour lists of a graph that loses nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lovasz.base.compiled import compiled
from lovasz.graphs import Graph


class NeighbourLists(NamedTuple):
    """Ascending neighbour lists that shrink; until :func:`compact` they may hold removed nodes.

    The data types are the same for every graph, so that numba compiles once.
    """

    start: np.ndarray
    """Where the list of each node begins in ``neighbours``."""
    end: np.ndarray
    """Where the list of each node ends."""
    neighbours: np.ndarray
    alive: np.ndarray
    """Whether each node is still there."""
    degree: np.ndarray
    """Number of neighbours of each node that are still there."""

    @classmethod
    def of(cls, graph: Graph) -> NeighbourLists:
        """Make the lists of a graph."""
        ends = graph.adjacency.indptr.astype(np.int64)
        neighbours = graph.adjacency.indices.astype(np.int32)
        alive = np.ones(graph.n, dtype=np.bool_)
        return cls(ends[:-1].copy(), ends[1:].copy(), neighbours, alive, np.diff(ends))


@compiled
def row_of(lists: NeighbourLists, u: int) -> np.ndarray:
    """Return the list of u."""
    return lists.neighbours[lists.start[u] : lists.end[u]]


@compiled
def scarcest(lists: NeighbourLists, u: int) -> int:
    """Return the neighbour of u of least degree, and drop removed nodes from the list of u."""
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


@compiled
def compact(lists: NeighbourLists, pending: np.ndarray) -> None:
    """Drop removed nodes from all lists; ``pending`` marks nodes whose degree was out of date."""
    start, end, _, alive, degree = lists
    for u in range(alive.size):
        if not alive[u]:
            end[u] = start[u]
        scarcest(lists, u)
        pending[u] = end[u] - start[u] != degree[u]
        degree[u] = end[u] - start[u]
