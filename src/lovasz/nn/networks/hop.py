"""The network of the LCN paper, f(X, K) = softmax(K ReLU(K X W⁰) W¹), one hop per layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lovasz.base.progress import Callback
from lovasz.nn.engine.dropout import Dropout
from lovasz.nn.engine.initial_weights import initial_weights, zero_biases
from lovasz.nn.engine.inputs import Inputs, as_index, as_inputs, operator_beside
from lovasz.nn.engine.loop import train_network
from lovasz.nn.engine.network import Network, Phases, Place, Placed, Split, Supervision
from lovasz.nn.engine.operators import Operator, receptive_field
from lovasz.nn.engine.readout import times
from lovasz.nn.engine.settings import Decays, Settings, without_decay
from lovasz.nn.engine.targets import Targets
from lovasz.nn.engine.training import Training


def train(
    K: Any,
    y: np.ndarray,
    splits: Sequence[Split],
    *,
    features: Any = None,
    classes: int | None = None,
    settings: Settings = Settings(),
    seeds: Sequence[int] | None = None,
    device: str = "auto",
    callback: Callback | None = None,
    start: Sequence[Tensor] | None = None,
) -> Training:
    """Train one network for each of ``splits`` = [(train nodes, validation nodes), …].

    f(X, K) = softmax(K ReLU(K X W⁰) W¹) is trained by Adam on the mean cross-entropy over the
    training nodes, with L2 on every weight matrix and dropout on the input of every layer.
    ``features=None`` means X = I. The weights kept are those of the epoch with the best validation
    accuracy (ties: lower validation loss), or of the last epoch for a run without validation nodes.
    Run b draws its weights and its dropout from ``seeds[b]``, which is b by default.
    ``callback(epoch, note)`` is called after every epoch. ``start`` are the weights of an earlier
    :class:`Training` to go on from.

    >>> import lovasz
    >>> from lovasz.graphs.families import planted_partition
    >>> graph, y, _ = planted_partition(60, 2, 0.5, 0.1, seed=0)
    >>> splits = [(np.arange(0, 60, 4), np.arange(1, 60, 4)), (np.arange(2, 60, 4), np.arange(0))]
    >>> found = train(lovasz.kernel(graph, "ls"), y, splits, settings=Settings(epochs=20))
    >>> found.logits.shape  # two runs, 60 nodes, two classes
    (2, 60, 2)
    """
    task = Supervision.of(y, splits, classes)
    network = HopNetwork(K, features, task, settings.hidden, settings.layers, settings.bias)
    return train_network(
        network,
        task,
        settings=settings,
        seeds=seeds,
        device=device,
        callback=callback,
        start=start,
    )


@dataclass(frozen=True)
class HopPhase:
    """One use of the network: what it reads, and the nodes whose output counts."""

    n: int
    """Number of nodes of the graph."""
    inputs: Inputs
    """The rows of X that the first layer reads."""
    operators: list[Operator]
    """The part of K that each layer multiplies with."""
    fields: list[Tensor | None]
    """The nodes computed by each layer, or None for all nodes."""
    targets: Targets
    """The nodes whose output counts."""


@dataclass(frozen=True)
class HopNetwork(Network[HopPhase]):
    """A network that multiplies with K in every layer."""

    K: Any
    """The kernel."""
    features: Any
    """The features X, or None for X = I."""
    task: Supervision
    """The classes and the splits."""
    hidden: int
    """Number of hidden units."""
    layers: int
    """Number of weight matrices."""
    bias: bool = False
    """Whether every layer adds a vector; these come after the matrices among the weights."""

    def initial_weights(self, seeds: Sequence[int], placed: Placed) -> list[Tensor]:
        """One Glorot matrix per layer, then one zero vector per layer if there are biases."""
        width = self.K.shape[0] if self.features is None else self.features.shape[1]
        widths = [width, *[self.hidden] * (self.layers - 1), self.task.classes]
        weights = initial_weights(widths, seeds, **placed)
        return weights + (zero_biases(widths[1:], len(seeds), **placed) if self.bias else [])

    def decays(self, weight_decay: Decays) -> Decays:
        """Put L2 on the matrices only."""
        return without_decay(weight_decay, self.layers, self.layers) if self.bias else weight_decay

    def phases(self, place: Place) -> Phases[HopPhase]:
        """Cut K to the receptive fields of the nodes; the whole K is moved to the device once."""
        K, n = self.K, self.K.shape[0]
        made: dict[torch.dtype, Operator] = {}

        def operator(matrix: Any, inputs: Inputs, placed: Placed) -> Operator:
            if matrix is not K:
                return operator_beside(inputs, matrix, **placed)
            if placed["dtype"] not in made:
                made[placed["dtype"]] = operator_beside(inputs, K, **placed)
            return made[placed["dtype"]]

        def phase(sets: list[np.ndarray], placed: Placed) -> HopPhase:
            targets = Targets.of(sets, self.task.y, n, **place.full)
            matrices, fields = receptive_field(K, targets.rows, self.layers)
            inputs = as_inputs(self.features, fields[0], n, **placed)
            return HopPhase(
                n=n,
                inputs=inputs,
                operators=[operator(m, inputs, placed) for m in matrices],
                fields=[as_index(None if len(f) == n else f, place.device) for f in fields[1:]],
                targets=targets,
            )

        return Phases.of(self.task, place, phase)

    def forward(self, phase: HopPhase, weights: list[Tensor], drop: Dropout | None) -> Tensor:
        """K ReLU(… K ReLU(K X W⁰) W¹ …) for the nodes of a phase."""
        runs = weights[0].shape[1]
        matrices, biases = weights[: self.layers], weights[self.layers :]
        H = phase.operators[0] @ phase.inputs.project(matrices[0], drop)
        H = H + biases[0].flatten(1) if biases else H
        for number, rows in enumerate(phase.fields[:-1], start=1):
            H = H.relu().unflatten(1, (runs, -1))
            if drop:
                H = H * drop.factors(phase.n, H.shape[2], rows)
            H = phase.operators[number] @ times(H, matrices[number]).flatten(1)
            H = H + biases[number].flatten(1) if biases else H
        logits: Tensor = H.unflatten(1, (runs, -1))
        return logits
