"""The graph attention network (Veličković et al., 2018) in the one training loop, as a baseline.

h'_i = Σ_{j ∈ N(i) ∪ i} α_ij W h_j, α = softmax over j of LeakyReLU(aᵀW h_j + bᵀW h_i), several
heads side by side in the first layer and one in the last; ELU between. A test holds a layer to
PyTorch Geometric's ``GATConv``. Runs are stacked as in :mod:`lovasz.nn.engine.loop`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import elu, leaky_relu

from lovasz.base.device import pick_device
from lovasz.graphs import Graph
from lovasz.nn.engine.dropout import Dropout
from lovasz.nn.engine.inputs import Inputs, as_inputs
from lovasz.nn.engine.loop import Split, Training, fit, glorot, stream_seed
from lovasz.nn.engine.readout import Readout, readouts, times

HEADS = 8


def attend(H: Tensor, source: Tensor, target: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """One layer's messages: H (n, B, heads, width), a and b (B, heads, width)."""
    n = len(H)
    score = leaky_relu(
        (H * a).sum(-1).index_select(0, source) + (H * b).sum(-1).index_select(0, target), 0.2
    )
    # A softmax does not change when all its entries are shifted, by their largest or any other.
    shift = score.detach().amax(0, keepdim=True)
    weight = (score - shift).clamp_min(-60).exp()
    total = torch.zeros_like(H[..., 0]).index_add(0, target, weight)
    message = weight.unsqueeze(-1) * H.index_select(0, source)
    return torch.zeros_like(H).index_add(0, target, message) / total.view(n, *H.shape[1:3], 1)


@dataclass(frozen=True)
class Attention:
    """Two layers; the weights of all runs come with each call."""

    n: int
    inputs: Inputs
    source: Tensor
    target: Tensor

    def forward(self, use: Readout, weights: list[Tensor], dropout: Dropout | None) -> Tensor:
        """Logits (rows, B, classes) of all runs."""
        W0, a0, b0, W1, a1, b1 = weights
        runs = W0.shape[1]
        heads = (HEADS, W0.shape[2] // HEADS)
        H = self.inputs.project(W0, dropout).unflatten(1, (runs, *heads))
        first = (a0[0].unflatten(1, heads), b0[0].unflatten(1, heads))
        H = attend(H, self.source, self.target, *first)
        H = elu(H).flatten(2)
        H = H * dropout.factors(self.n, H.shape[2]) if dropout else H
        last = (a1[0].unsqueeze(1), b1[0].unsqueeze(1))
        H = attend(times(H, W1).unsqueeze(2), self.source, self.target, *last).squeeze(2)
        return H if use.rows is None else H.index_select(0, use.rows)


def train_attention(
    graph: Graph,
    y: np.ndarray,
    splits: Sequence[Split],
    *,
    features: Any = None,
    hidden: int = 64,
    dropout: float = 0.5,
    lr: float = 0.01,
    weight_decay: float = 5e-4,
    epochs: int = 200,
    patience: int | None = None,
    seeds: Sequence[int] | None = None,
    device: str = "auto",
) -> Training:
    """Train one GAT for each of ``splits``; L2 on its first matrix. ``hidden`` is of all heads."""
    seeds = range(len(splits)) if seeds is None else seeds
    placed: dict[str, Any] = {"device": pick_device(device), "dtype": torch.float32}
    n, classes = graph.n, int(y.max()) + 1
    A = graph.adjacency.tocoo()
    ends = np.concatenate([np.stack(A.coords), np.arange(n)[None].repeat(2, axis=0)], axis=1)
    source, target = torch.as_tensor(ends.astype(np.int64), device=placed["device"])
    network = Attention(n, as_inputs(features, np.arange(n), n, **placed), source, target)
    width = n if features is None else features.shape[1]
    shapes = [(width, hidden), *[(1, hidden)] * 2, (hidden, classes), *[(1, classes)] * 2]
    return fit(
        network.forward, readouts(y, splits, n, placed), glorot(shapes, seeds, **placed),
        Dropout(dropout, [stream_seed(seed, 1) for seed in seeds], placed["device"]),
        lr=lr, weight_decay=[weight_decay, *[0.0] * 5], epochs=epochs, patience=patience,
    )  # fmt: skip
