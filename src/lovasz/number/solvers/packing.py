"""Symmetric matrices as vectors: half the entries, and the edges side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from lovasz.graphs import Graph
from lovasz.number.solvers.algebra import Host

ROOT = 2**0.5


class Packing:
    """The order of the entries: the m edges, then the non-edges, then the diagonal.

    The diagonal is divided by √2, so that ⟨x, y⟩ = ½ ⟨X, Y⟩ for the vectors x, y of X, Y.
    """

    def __init__(self, graph: Graph, on: Host) -> None:
        self.on, self.n, self.m = on, graph.n, graph.m
        i, j = (end.astype(np.int64) for end in graph.edges())
        free = np.triu(np.ones((graph.n, graph.n), dtype=bool), 1)
        free[i, j] = False
        rows, columns = np.nonzero(free)
        diagonal = np.arange(graph.n)
        first, second = np.concatenate([i, rows, diagonal]), np.concatenate([j, columns, diagonal])
        above, below = first * graph.n + second, second * graph.n + first
        place = np.empty(graph.n**2, dtype=np.int64)
        for entry in (above, below):
            place[entry] = np.arange(len(entry))
        self.i, self.j = on.put(i), on.put(j)
        self.above, self.below, self.place = on.put(above), on.put(below), on.put(place)

    def pack(self, M: Any) -> Any:
        """Return the vector of a symmetric matrix, of which only the upper half is read."""
        v = self.on.take(M, self.above)
        v[-self.n :] /= ROOT
        return v

    def pack_twice(self, M: Any) -> Any:
        """Return the vector of M + Mᵀ."""
        v = self.on.take(M, self.above)
        v += self.on.take(M, self.below)
        v[-self.n :] /= ROOT
        return v

    def unpack(self, v: Any) -> Any:
        """Return the matrix of a vector."""
        M = self.on.take(v, self.place).reshape(self.n, self.n)
        diagonal = self.on.diagonal(M)
        diagonal *= ROOT
        return M
