"""What a candidate of ``kernel="auto"`` is given, what it answers, and what it can be asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lovasz.base.progress import Callback
from lovasz.classify.blend import CREDIT
from lovasz.classify.calibration import FEWEST_TO_WEIGH, Calibration
from lovasz.classify.parts import Parts
from lovasz.classify.problem import Problem

if TYPE_CHECKING:
    from torch import Tensor

    from lovasz.nn import Settings, Training


@dataclass(frozen=True)
class Bench:
    """What every candidate works with."""

    problem: Problem
    parts: Parts
    settings: Settings
    """The settings of networks; candidates may change some."""
    seed: int
    device: str
    done: Mapping[str, Fitted] = field(default_factory=dict)
    """The candidates before, for one that builds on another."""
    start: Sequence[Tensor] | None = None
    """Weights of the networks of this candidate to go on from, or None to draw them."""
    calibrations: Mapping[str, Calibration] = field(default_factory=dict)
    """Calibrations that were found before, where no label is left to judge by."""

    def calibrate(self, name: str) -> Calibration:
        """Return the calibration of a candidate that was done before."""
        if name in self.calibrations:
            return self.calibrations[name]
        judges = self.parts.judges
        return Calibration.of(
            self.parts.held_out(self.done[name].logits), self.problem.codes[judges],
            fewest=FEWEST_TO_WEIGH,
        )  # fmt: skip

    @property
    def classes(self) -> int:
        """The number of classes."""
        return len(self.problem.classes)


@dataclass(frozen=True)
class Fitted:
    """What a candidate answers."""

    logits: np.ndarray
    """(runs, n, classes)."""
    training: Training | None = None
    """The networks, if it is one that trains any."""
    kernel: Any = None
    """The kernel it propagates with, if any."""
    credit: float = CREDIT
    """Number of nodes that it counts as having explained before any judge is asked."""


class Candidate(Protocol):
    """One way to label nodes."""

    @property
    def reads_features(self) -> bool:
        """Whether it has features to go by where no label reaches a node through the graph."""
        ...

    def suits(self, problem: Problem) -> bool:
        """Return whether it can be tried."""
        ...

    def fit(self, bench: Bench, callback: Callback | None) -> Fitted:
        """Learn every part of the labels."""
        ...


def per_training_set(parts: Parts, answer: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return (runs, n, classes) answers, computed once for runs with the same training set."""
    made: dict[int, np.ndarray] = {}
    for train, _ in parts.runs:
        if id(train) not in made:
            made[id(train)] = answer(train)
    return np.stack([made[id(train)] for train, _ in parts.runs])
