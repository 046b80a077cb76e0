"""One network on the kernel that the user named or gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from lovasz.base.progress import Callback, shift
from lovasz.classify.candidates import Fitted, contender
from lovasz.classify.parts import Parts
from lovasz.classify.problem import Problem
from lovasz.classify.warm_start import warmed

if TYPE_CHECKING:
    from torch import Tensor

    from lovasz.classify.lcn import LCNClassifier


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
