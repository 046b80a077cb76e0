"""Networks that compute the state of every node, and from it the output of some nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
import torch
from torch import Tensor

from lovasz.nn.engine.dropout import Dropout
from lovasz.nn.engine.inputs import as_index
from lovasz.nn.engine.network import Phases, Place, Placed, Supervision
from lovasz.nn.engine.targets import Targets


class Layers(Protocol):
    """The layers of a network, on a device; the weights of all runs come with each call."""

    def logits(
        self, weights: list[Tensor], drop: Dropout | None = None, rows: Tensor | None = None
    ) -> Tensor:
        """Return the logits (rows, B, classes) of all runs; ``rows=None`` means all nodes."""
        ...


L = TypeVar("L", bound=Layers)


@dataclass(frozen=True)
class Readout(Generic[L]):
    """One use of a network that computes the state of every node."""

    layers: L
    """The network, with its matrices in the precision of this use."""
    targets: Targets
    """The nodes whose output counts."""
    rows: Tensor | None
    """The nodes whose output is computed, or None for all nodes."""

    def read(self, weights: list[Tensor], drop: Dropout | None) -> Tensor:
        """Return the logits (rows, B, classes) of all runs."""
        return self.layers.logits(weights, drop, self.rows)


def readouts(task: Supervision, place: Place, build: Callable[[Placed], L]) -> Phases[Readout[L]]:
    """Return the phases of a network whose layers are ``build(placed)``, built once per type."""
    n = len(task.y)
    built = {place.weights: build(place.full)}
    if place.products != place.weights:
        built[place.products] = build(place.low)

    def phase(sets: list[np.ndarray], placed: Placed) -> Readout[L]:
        targets = Targets.of(sets, task.y, n, **place.full)
        rows = as_index(None if len(targets.rows) == n else targets.rows, place.device)
        return Readout(built[placed["dtype"]], targets, rows)

    return Phases.of(task, place, phase)


def times(H: Tensor, W: Tensor) -> Tensor:
    """Return (n, B, in) times (in, B, out), run by run."""
    # torch.einsum does the same, and takes as long to find that out as a small product.
    return torch.bmm(H.transpose(0, 1), W.transpose(0, 1)).transpose(0, 1)
