"""Lovász Convolutional Networks."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

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
        self.convs = nn.ModuleList(
            LovaszConv(a, b) for a, b in zip(widths[:-1], widths[1:], strict=True)
        )
        self.dropout = dropout

    def forward(self, x: Tensor | None, edge_index: Any, edge_weight: Tensor | None = None) -> Tensor:
        """Logits of every node, (n, out_channels)."""
        for depth, conv in enumerate(self.convs):
            if depth:
                x = x.relu()
            if x is None and self.training:
                # Dropping an entry of the identity drops a row of W⁰.
                rows = nn.functional.dropout(conv.weight.new_ones(conv.in_channels, 1), self.dropout)
                x = propagate(rows * conv.weight, edge_index, edge_weight)
                continue
            if x is not None:
                x = nn.functional.dropout(x, self.dropout, self.training)
            x = conv(x, edge_index, edge_weight)
        return x
