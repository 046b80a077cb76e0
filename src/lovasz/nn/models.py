"""Lovász Convolutional Networks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from torch import Tensor, nn
from torch.nn.functional import dropout

from lovasz.nn.conv import LovaszConv, propagate


class LCN(nn.Module):
    """f(X, K) = K ReLU(K X W⁰) W¹, the logits; dropout on the input of every layer.

    ``forward`` takes what :class:`LovaszConv` takes. With the ``gcn`` kernel this is the GCN of
    Kipf and Welling: only K differs.
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        *,
        num_layers: int = 2,
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        widths = [in_channels, *[hidden_channels] * (num_layers - 1), out_channels]
        self.convs: Any = nn.ModuleList(LovaszConv(a, b) for a, b in pairwise(widths))
        self.dropout = dropout

    @classmethod
    def from_weights(cls, weights: Sequence[Tensor]) -> LCN:
        """A trained network, in evaluation mode, from the weight matrix of each layer."""
        model = cls(*weights[0].shape[:1], *weights[-1].shape, num_layers=len(weights)).eval()
        for conv, weight in zip(model.convs, weights, strict=True):
            conv.weight.data = weight
        return model

    def forward(
        self, x: Tensor | None, edge_index: Any, edge_weight: Tensor | None = None
    ) -> Tensor:
        """Logits of every node, (n, out_channels)."""
        first, *rest = self.convs
        if x is not None:
            H = first(self._drop(x), edge_index, edge_weight)
        else:  # to drop an entry of the identity is to drop a row of W⁰
            kept = self._drop(first.weight.new_ones(len(first.weight), 1))
            H = propagate(kept * first.weight, edge_index, edge_weight)
        for conv in rest:
            H = conv(self._drop(H.relu()), edge_index, edge_weight)
        return H

    def _drop(self, H: Tensor) -> Tensor:
        return dropout(H, self.dropout, self.training)
