"""Symmetric matrices as vectors: half the entries, and the edges side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from lovasz.graphs import Graph

ROOT = 2**0.5


class Packing:
    """The order of the entries: the m edges, then the non-edges, then the diagonal.

    The diagonal is divided by √2, so that ⟨x, y⟩ = ½ ⟨X, Y⟩ for the vectors x, y of X, Y.
    """

    def __init__(self, graph: Graph, device: Any = "cpu") -> None:
        import torch

        self.n, self.m = graph.n, graph.m
        self.i, self.j = (
            torch.as_tensor(end.astype(np.int64), device=device) for end in graph.edges()
        )
        free = torch.ones((graph.n, graph.n), dtype=torch.bool, device=device).triu_(1)
        free[self.i, self.j] = False
        rows, columns = free.nonzero(as_tuple=True)
        diagonal = torch.arange(graph.n, device=device)
        first, second = torch.cat([self.i, rows, diagonal]), torch.cat([self.j, columns, diagonal])
        self.above, self.below = first * graph.n + second, second * graph.n + first
        self.place = torch.empty(graph.n**2, dtype=torch.int64, device=device)
        for entry in (self.above, self.below):
            self.place[entry] = torch.arange(len(entry), device=device)

    def pack(self, M: Any) -> Any:
        """The vector of a symmetric matrix, of which the upper half is read."""
        v = M.reshape(-1).index_select(0, self.above)
        v[-self.n :] /= ROOT
        return v

    def pack_twice(self, M: Any) -> Any:
        """The vector of M + Mᵀ."""
        flat = M.reshape(-1)
        v = flat.index_select(0, self.above).add_(flat.index_select(0, self.below))
        v[-self.n :] /= ROOT
        return v

    def unpack(self, v: Any) -> Any:
        """The matrix of a vector."""
        M = v.index_select(0, self.place).view(self.n, self.n)
        M.diagonal().mul_(ROOT)
        return M
