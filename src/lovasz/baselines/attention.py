"""The graph attention network (Veličković et al., 2018) in the common training loop.

A layer computes h'_i = Σ_{j ∈ N(i) ∪ i} α_ij W h_j with α the softmax over j of
LeakyReLU(aᵀW h_j + bᵀW h_i). The first layer has several heads side by side, the last one has a
single head, and ELU is between them. A test compares a layer with PyTorch Geometric's ``GATConv``.
Runs are stacked as in :mod:`lovasz.nn.engine.loop`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import elu, leaky_relu

from lovasz.base.progress import Callback
from lovasz.graphs import Graph
from lovasz.nn.engine.dropout import Dropout
from lovasz.nn.engine.initial_weights import glorot
from lovasz.nn.engine.inputs import Inputs, as_inputs
from lovasz.nn.engine.loop import train_network
from lovasz.nn.engine.network import Network, Phases, Place, Placed, Split, Supervision
from lovasz.nn.engine.readout import Readout, readouts, times
from lovasz.nn.engine.settings import Decays, Settings, on_first_matrix
from lovasz.nn.engine.training import Training

HEADS = 8
"""Number of attention heads of the first layer."""


def attend(H: Tensor, source: Tensor, target: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """Return the output of a layer for H (n, B, heads, width), a and b (B, heads, width)."""
    n = len(H)
    score = leaky_relu(
        (H * a).sum(-1).index_select(0, source) + (H * b).sum(-1).index_select(0, target), 0.2
    )
    # A softmax does not change if all its entries are shifted by the same number.
    shift = score.detach().amax(0, keepdim=True)
    weight = (score - shift).clamp_min(-60).exp()
    total = torch.zeros_like(H[..., 0]).index_add(0, target, weight)
    message = weight.unsqueeze(-1) * H.index_select(0, source)
    return torch.zeros_like(H).index_add(0, target, message) / total.view(n, *H.shape[1:3], 1)


@dataclass(frozen=True)
class AttentionLayers:
    """Two attention layers on a device; the weights of all runs come with each call."""

    n: int
    """Number of nodes."""
    inputs: Inputs
    """The features."""
    source: Tensor
    """The node that each message comes from; every node also sends one to itself."""
    target: Tensor
    """The node that each message goes to."""

    @classmethod
    def of(cls, graph: Graph, features: Any, placed: Placed) -> AttentionLayers:
        """Move the edges and the features to the device."""
        n, A = graph.n, graph.adjacency.tocoo()
        ends = np.concatenate([np.stack(A.coords), np.arange(n)[None].repeat(2, axis=0)], axis=1)
        source, target = torch.as_tensor(ends.astype(np.int64), device=placed["device"])
        return cls(n, as_inputs(features, np.arange(n), n, **placed), source, target)

    def logits(
        self, weights: list[Tensor], drop: Dropout | None = None, rows: Tensor | None = None
    ) -> Tensor:
        """Return the logits (rows, B, classes) of all runs; ``rows=None`` means all nodes."""
        W0, a0, b0, W1, a1, b1 = weights
        runs = W0.shape[1]
        heads = (HEADS, W0.shape[2] // HEADS)
        H = self.inputs.project(W0, drop).unflatten(1, (runs, *heads))
        first = (a0[0].unflatten(1, heads), b0[0].unflatten(1, heads))
        H = attend(H, self.source, self.target, *first)
        H = elu(H).flatten(2)
        H = H * drop.factors(self.n, H.shape[2]) if drop else H
        last = (a1[0].unsqueeze(1), b1[0].unsqueeze(1))
        H = attend(times(H, W1).unsqueeze(2), self.source, self.target, *last).squeeze(2)
        return H if rows is None else H.index_select(0, rows)


@dataclass(frozen=True)
class AttentionNetwork(Network[Readout[AttentionLayers]]):
    """A graph attention network with two layers."""

    graph: Graph
    """The graph whose edges carry messages."""
    features: Any
    """The features X, or None for X = I."""
    task: Supervision
    """The classes and the splits."""
    hidden: int
    """Number of hidden units of all heads together."""

    def initial_weights(self, seeds: Sequence[int], placed: Placed) -> list[Tensor]:
        """W, a and b of the first layer, then of the second."""
        hidden, classes = self.hidden, self.task.classes
        width = self.graph.n if self.features is None else self.features.shape[1]
        shapes = [(width, hidden), *[(1, hidden)] * 2, (hidden, classes), *[(1, classes)] * 2]
        return glorot(shapes, seeds, **placed)

    def phases(self, place: Place) -> Phases[Readout[AttentionLayers]]:
        """All phases share the layers, except where precision is mixed."""
        return readouts(self.task, place, partial(AttentionLayers.of, self.graph, self.features))

    def forward(
        self, phase: Readout[AttentionLayers], weights: list[Tensor], drop: Dropout | None
    ) -> Tensor:
        """Return the logits of the nodes of a phase."""
        return phase.read(weights, drop)

    def decays(self, weight_decay: Decays) -> Decays:
        """Put L2 on the first weight matrix only."""
        return on_first_matrix(weight_decay, 6)


def train_attention(
    graph: Graph,
    y: np.ndarray,
    splits: Sequence[Split],
    *,
    features: Any = None,
    classes: int | None = None,
    settings: Settings = Settings(hidden=64),
    seeds: Sequence[int] | None = None,
    device: str = "auto",
    callback: Callback | None = None,
) -> Training:
    """Train one GAT for each of ``splits``, otherwise as :func:`lovasz.nn.train`.

    There are two layers, whatever ``settings.layers`` says, and ``settings.hidden`` is the number
    of hidden units of all heads together. L2 is on the first weight matrix only.

    >>> from lovasz import as_graph
    >>> split = np.array([0, 3]), np.array([1])
    >>> path = as_graph([(0, 1), (1, 2), (2, 3)])
    >>> few = Settings(epochs=5)
    >>> train_attention(path, np.array([0, 0, 1, 1]), [split], settings=few).logits.shape
    (1, 4, 2)
    """
    task = Supervision.of(y, splits, classes)
    network = AttentionNetwork(graph, features, task, settings.hidden)
    return train_network(
        network, task, settings=settings, seeds=seeds, device=device, callback=callback
    )
