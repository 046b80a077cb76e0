"""The Lovász convolutional network as a model of PyTorch Geometric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from torch import Tensor
from torch_geometric.nn.models.basic_gnn import BasicGNN

from lovasz.nn.pyg.conv import LovaszConv


class LCN(BasicGNN):  # type: ignore[misc]  # PyTorch Geometric has no types
    """The logits f(X, K) = K ReLU(K X W⁰) W¹, with dropout on the input of every layer and no bias.

    ``forward`` takes what :class:`LovaszConv` takes. With the ``gcn`` kernel this is the GCN of
    Kipf and Welling; only K differs. All options of PyTorch Geometric's ``BasicGNN`` can be given
    by name: ``jk``, ``norm``, ``act``, and for the layers ``kernel``, ``cached``, ``bias``…

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
        """Return a layer."""
        return LovaszConv(in_channels, out_channels, **kwargs)

    @classmethod
    def from_weights(cls, weights: Sequence[Tensor], biases: Sequence[Tensor] = ()) -> LCN:
        """Return a network in evaluation mode with these matrices (in, out) and vectors (out,)."""
        widths = *weights[0].shape[:1], *weights[-1].shape
        model: LCN = cls(*widths, num_layers=len(weights), bias=bool(biases)).eval()
        for conv, bias in zip(model.convs, biases, strict=False):
            conv.bias.data = bias.contiguous()
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
        """Return the (n, out_channels) logits of all nodes; other arguments are ``BasicGNN``'s."""
        if x is None:  # dropping an entry of the identity is dropping a row of W⁰
            first = self.convs[0].lin
            x = first.weight.new_ones(first.in_channels)
        logits: Tensor = super().forward(self.dropout(x), edge_index, edge_weight, *args, **kwargs)
        return logits
