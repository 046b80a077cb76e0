"""Networks on a kernel that the user named or gave, alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.base.progress import Callback, shift
from lovasz.classify.bench import Fitted
from lovasz.classify.candidates import is_auto
from lovasz.classify.parts import Parts
from lovasz.classify.problem import Problem
from lovasz.classify.warm_start import warmed

if TYPE_CHECKING:
    from torch import Tensor

    from lovasz.classify.lcn import LCNClassifier
    from lovasz.nn import Training


@dataclass(frozen=True)
class Contender:
    """A kernel that the user named or gave; it is called as :func:`lovasz.nn.train` without K."""

    kernel: Any
    kernel_name: str

    def __call__(self, y: np.ndarray, splits: Any, **training: Any) -> Training:
        """Train one network per split."""
        from lovasz.nn import train

        return train(self.kernel, y, splits, **training)


def contender(
    problem: Problem, kernel: Any, options: dict[str, Any] | None = None
) -> dict[str, Contender]:
    """Return the network on a kernel by name or as a matrix, under its name."""
    if is_auto(kernel):
        raise LovaszError("kernel='auto' is not a kernel; name one, such as 'ls'")
    name, K = problem.kernels.resolve(kernel, options)
    return {name: Contender(K, name)}


def train_named(
    classifier: LCNClassifier,
    problem: Problem,
    parts: Parts,
    callback: Callback | None,
    start: Mapping[str, Sequence[Tensor]],
) -> dict[str, Fitted]:
    """Train the network, or go on from its weights in ``start``; return it under its name."""
    found = contender(problem, classifier.kernel, classifier.kernel_options)
    [(name, network)] = found.items()
    settings = classifier.training_settings()
    trained = network(
        problem.codes,
        parts.runs,
        settings=warmed(settings) if name in start else settings,
        seeds=[classifier.seed_],
        features=problem.features,
        classes=len(problem.classes),
        device=classifier.device,
        callback=callback and shift(callback, 0, name),
        start=start.get(name),
    )
    return {name: Fitted(trained.logits, trained, network.kernel)}
