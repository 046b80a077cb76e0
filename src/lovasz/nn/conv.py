"""The layer: two lines of algebra."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor, nn

from lovasz.nn.operators import LowRank, Operator, as_operator


class LovaszConv(nn.Module):
    """H ↦ K H W, with K in 𝒦(G): no self-loops are added and nothing is normalised.

    Call the layer with K as :func:`lovasz.kernel` gives it, as a dense or sparse tensor or, best
    in a loop, as an :class:`~lovasz.nn.operators.Operator` (``as_operator(K)``, once); or with
    PyTorch Geometric's ``edge_index`` and ``edge_weight``, the diagonal of K among the edges.
    ``x=None`` stands for identity features: K I W = K W, without the identity.

    >>> conv = LovaszConv(4, 2)
    >>> conv(torch.ones(3, 4), torch.eye(3)).shape
    torch.Size([3, 2])
    """

    def __init__(self, in_channels: int, out_channels: int, *, bias: bool = False) -> None:
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self.weight = nn.Parameter(torch.empty(in_channels, out_channels))
        self.bias = nn.Parameter(torch.empty(out_channels)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Glorot's uniform weights, zero bias."""
        nn.init.xavier_uniform_(self.weight)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def forward(
        self, x: Tensor | None, edge_index: Any, edge_weight: Tensor | None = None
    ) -> Tensor:
        """K x W for K given as a matrix, or as ``edge_index`` with ``edge_weight``."""
        out = propagate(self.weight if x is None else x @ self.weight, edge_index, edge_weight)
        return out if self.bias is None else out + self.bias

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.in_channels}, {self.out_channels})"


def propagate(H: Tensor, edge_index: Any, edge_weight: Tensor | None = None) -> Tensor:
    """K H; an edge (j, i) of ``edge_index`` carries H_j to row i, as in PyTorch Geometric."""
    if sparse.issparse(edge_index) or isinstance(edge_index, np.ndarray | LowRank):
        edge_index = as_operator(edge_index, device=H.device, dtype=H.dtype)
    is_matrix = isinstance(edge_index, Operator) or edge_index.is_floating_point()
    if is_matrix:
        return edge_index @ H
    source, target = edge_index
    messages = H[source] if edge_weight is None else H[source] * edge_weight[:, None]
    return torch.zeros_like(H).index_add(0, target, messages)
