"""The contract between a network and the training loop.

A network describes itself (:class:`Network`); the loop decides where its tensors live
(:class:`Place`) and asks for the three uses of the network while it is trained
(:class:`Phases`). Everything that lies on a device is in a phase or among the weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypedDict, TypeVar

import numpy as np
import torch
from torch import Tensor

from lovasz.base.device import pick_device
from lovasz.base.errors import LovaszError
from lovasz.nn.engine.dropout import Dropout
from lovasz.nn.engine.precision import pick_precision
from lovasz.nn.engine.settings import Decays
from lovasz.nn.engine.targets import Targets

Split = tuple[np.ndarray, np.ndarray]
"""The training nodes and the validation nodes of a run."""


class Placed(TypedDict):
    """Where a tensor is made, and of which type."""

    device: torch.device
    dtype: torch.dtype


@dataclass(frozen=True)
class Place:
    """The device of a training, and the types of its numbers."""

    device: torch.device
    weights: torch.dtype
    """Type of the weights and of everything that is not a product in a training step."""
    products: torch.dtype
    """Type in which the factors of the products of a training step are held."""

    @classmethod
    def of(cls, device: torch.device | str, precision: str) -> Place:
        """Return the place for a device and a precision by their names."""
        numbers = pick_precision(precision)
        place = device if isinstance(device, torch.device) else pick_device(device)
        return cls(place, numbers.weights, numbers.products)

    @property
    def full(self) -> Placed:
        """Options for tensors in the precision of the weights."""
        return {"device": self.device, "dtype": self.weights}

    @property
    def low(self) -> Placed:
        """Options for the matrices that are multiplied in a training step."""
        return {"device": self.device, "dtype": self.products}


@dataclass(frozen=True)
class Supervision:
    """The classes of the nodes, and the nodes that each run learns from and chooses by."""

    y: np.ndarray
    """(n,): the class code of every node."""
    splits: Sequence[Split]
    """One pair (training nodes, validation nodes) per run."""
    classes: int
    """The number of classes."""

    @classmethod
    def of(cls, y: np.ndarray, splits: Sequence[Split], classes: int | None = None) -> Self:
        """Return the supervision; by default there are as many classes as ``y`` names."""
        return cls(y, splits, int(y.max()) + 1 if classes is None else classes)

    @property
    def judged(self) -> Sequence[int]:
        """The numbers of the runs that have validation nodes, or of all runs if none has any."""
        runs = range(len(self.splits))
        return [run for run in runs if len(self.splits[run][1])] or runs

    def seeds(self, given: Sequence[int] | None) -> Sequence[int]:
        """Return one seed per run, by default 0, 1, …"""
        seeds = range(len(self.splits)) if given is None else given
        if len(seeds) != len(self.splits):
            raise LovaszError(
                f"{len(seeds)} seeds for {len(self.splits)} splits; give one per split"
            )
        return seeds


class Phase(Protocol):
    """One use of a network while it is trained."""

    @property
    def targets(self) -> Targets:
        """The nodes whose output counts, and their classes."""
        ...


P = TypeVar("P", bound=Phase)


@dataclass(frozen=True)
class Phases(Generic[P]):
    """The three uses of a network while it is trained."""

    train: P
    """Computes the output of the training nodes, in the precision of a training step."""
    validation: P
    """Computes the output of the validation nodes, for the runs that have any."""
    everything: P
    """Computes the output of all nodes."""

    @classmethod
    def of(
        cls, task: Supervision, place: Place, phase: Callable[[list[np.ndarray], Placed], P]
    ) -> Self:
        """Return ``phase(sets, placed)`` of the training nodes, the validation nodes, all nodes.

        ``sets`` has the nodes of each run, or one set for all runs. Runs without validation nodes
        are left out of the second phase (:attr:`Supervision.judged`).
        """
        return cls(
            train=phase([train for train, _ in task.splits], place.low),
            validation=phase([task.splits[run][1] for run in task.judged], place.full),
            everything=phase([np.arange(len(task.y))], place.full),
        )


class Network(Protocol[P]):
    """What the training loop needs to know of a network.

    B runs of the network are one computation: their weights are stacked to (in, B, out), and
    nothing mixes the runs. The first three methods say what the network is; the others have the
    usual answer unless a network overrides them.
    """

    def initial_weights(self, seeds: Sequence[int], placed: Placed) -> list[Tensor]:
        """Draw the weights of all runs, each run from its own seed."""
        ...

    def phases(self, place: Place) -> Phases[P]:
        """Move to the device what the network reads while it is trained."""
        ...

    def forward(self, phase: P, weights: list[Tensor], drop: Dropout | None) -> Tensor:
        """Return the logits (rows, B, classes) of all runs for the nodes of a phase."""
        ...

    def losses(self, phases: Phases[P], weights: list[Tensor], drop: Dropout) -> Tensor:
        """Return the (B,) losses to descend: the mean cross-entropy of the training nodes."""
        return phases.train.targets.losses(self.forward(phases.train, weights, drop))

    def decays(self, weight_decay: Decays) -> Decays:
        """Return the L2 factors of the weights, given the setting; by default, the setting."""
        return weight_decay

    def adjust_gradients(self, weights: list[Tensor]) -> None:
        """Change the gradients in place before the optimizer uses them; by default, do nothing."""
        return
