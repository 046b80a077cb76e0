"""Lovász Convolutional Networks as a model of PyTorch Geometric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from torch import Tensor
from torch_geometric.nn.models.basic_gnn import BasicGNN

from lovasz.nn.pyg.conv import LovaszConv


class LCN(BasicGNN):
    """f(X, K) = K ReLU(K X W⁰) W¹, the logits; dropout on the input of every layer, no bias.

    ``forward`` takes what :class:`LovaszConv` takes. With the ``gcn`` kernel this is the GCN of
    Kipf and Welling: only K differs. Everything of PyTorch Geometric's ``BasicGNN`` can be had by
    name: ``jk``, ``norm``, ``act``, and for the layers ``kernel``, ``cached``, ``bias``…

    >>> LCN(1433, 16, 7)
    LCN(1433, 7, num_layers=2)
    """

    supports_edge_weight: Final[bool] = True
    supports_edge_attr: Final[bool] = False
    supports_norm_batch: bool

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int | None = None,
        *,
        num_layers: int = 2,
        dropout: float = 0.5,
        bias: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            in_channels, hidden_channels, num_layers, out_channels, dropout, bias=bias, **kwargs
        )

    def init_conv(self, in_channels: Any, out_channels: int, **kwargs: Any) -> LovaszConv:
        """A layer."""
        return LovaszConv(in_channels, out_channels, **kwargs)

    @classmethod
    def from_weights(cls, weights: Sequence[Tensor]) -> LCN:
        """A trained network, in evaluation mode, from the weight matrix (in, out) of each layer."""
        model = cls(*weights[0].shape[:1], *weights[-1].shape, num_layers=len(weights)).eval()
        for conv, weight in zip(model.convs, weights, strict=True):
            conv.lin.weight.data = weight.t().contiguous()
        return model

    def forward(
        self,
        x: Tensor | None,
        edge_index: Any,
        edge_weight: Tensor | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> Tensor:
        """Logits of every node, (n, out_channels); further arguments are ``BasicGNN``'s."""
        if x is None:  # to drop an entry of the identity is to drop a row of W⁰
            first = self.convs[0].lin
            x = first.weight.new_ones(first.in_channels)
        return super().forward(self.dropout(x), edge_index, edge_weight, *args, **kwargs)
