"""Comparing methods with the same splits, seeds and training code for every kernel.

The choice between candidate kernels is made on validation nodes, split by split; test nodes are
looked at once, at the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lovasz.base.progress import Callback, shift
from lovasz.classify.calibration import FEWEST_TO_CALIBRATE, Calibration
from lovasz.classify.splits import Split
from lovasz.nn.engine.settings import Settings

if TYPE_CHECKING:
    from lovasz.nn import Training


class Trial(NamedTuple):
    """The result of a candidate on nodes of known class that it did not learn from."""

    accuracy: float
    """The share of right answers, or NaN if there are no such nodes."""
    surprise: float
    """:meth:`Calibration.surprise` after calibration, or NaN with too few nodes. It decides which
    candidate is chosen."""


@dataclass(frozen=True)
class Outcome:
    """The results of one method on B splits, with the candidate that each split chose."""

    names: tuple[str, ...]
    """(B,) the candidate that each split chose on its validation nodes."""
    probabilities: np.ndarray
    """(B, n, classes) probabilities, calibrated on the validation nodes."""
    train_loss: np.ndarray
    """(epochs, B) loss on the training nodes; NaN after the epoch at which a run stopped."""
    validation_loss: np.ndarray
    """(epochs, B) loss on the validation nodes; NaN after the epoch at which a run stopped."""
    validation_accuracy: np.ndarray
    """(epochs, B) accuracy on the validation nodes; NaN after the epoch at which a run stopped."""
    trainings: dict[str, Training]
    """The training of every candidate."""

    def accuracy(self, y: np.ndarray, splits: Sequence[Split]) -> np.ndarray:
        """Return the (B,) shares of the test nodes of each split that were labelled correctly."""
        answers = self.probabilities.argmax(-1)
        return np.array(
            [(answers[b][split.test] == y[split.test]).mean() for b, split in enumerate(splits)]
        )


def train_and_choose(
    candidates: Mapping[str, Any],
    y: np.ndarray,
    splits: Sequence[Split],
    *,
    settings: Settings = Settings(),
    seed: int = 0,
    callback: Callback | None = None,
    **training: Any,
) -> Outcome:
    """Train every candidate on every split; each split keeps the best on its validation nodes.

    The best is the one whose calibrated probabilities are least surprised at the classes, which
    tells candidates apart even if they make few mistakes. With too few nodes to calibrate by, the
    most accurate is the best, and the first of equally good ones.

    All other arguments are those of :func:`train_all`.
    """
    trainings = train_all(
        candidates, y, splits, settings=settings, seed=seed, callback=callback, **training
    )
    judged = [
        {
            name: judge_logits(result.logits[b][split.validation], y[split.validation])
            for name, result in trainings.items()
        }
        for b, split in enumerate(splits)
    ]
    names = tuple(
        choose_candidate({name: trial for name, (_, trial) in found.items()}) for found in judged
    )
    chosen = [(trainings[name], b) for b, name in enumerate(names)]
    return Outcome(
        names=names,
        probabilities=np.stack(
            [judged[b][name][0](trainings[name].logits[b]) for b, name in enumerate(names)]
        ),
        train_loss=_curves(chosen, "train_loss"),
        validation_loss=_curves(chosen, "validation_loss"),
        validation_accuracy=_curves(chosen, "validation_accuracy"),
        trainings=trainings,
    )


def train_all(
    candidates: Mapping[str, Any],
    y: np.ndarray,
    splits: Sequence[Split],
    *,
    settings: Settings = Settings(),
    seed: int = 0,
    callback: Callback | None = None,
    **training: Any,
) -> dict[str, Training]:
    """Train every candidate on every split.

    A candidate is a kernel, or a function that is called as :func:`lovasz.nn.train` without K.
    Run b of every candidate starts from seed ``seed + b``. ``settings`` and ``training`` are
    passed to the candidates. ``callback(epochs, note)`` is given the epochs of all candidates.
    """
    from lovasz.nn import train

    trainings: dict[str, Training] = {}
    for number, (name, K) in enumerate(candidates.items()):
        fit = K if callable(K) else partial(train, K)
        trainings[name] = fit(
            y,
            [(split.train, split.validation) for split in splits],
            settings=settings,
            seeds=[seed + b for b in range(len(splits))],
            callback=callback and shift(callback, number * settings.epochs, name),
            **training,
        )
    return trainings


def _curves(chosen: Sequence[tuple[Training, int]], field: str) -> np.ndarray:
    """Return (epochs, B) curves; after the epoch at which a candidate stopped they hold NaN."""
    curves = [getattr(result, field)[:, b] for result, b in chosen]
    out = np.full((max(map(len, curves)), len(curves)), np.nan)
    for b, values in enumerate(curves):
        out[: len(values), b] = values
    return out


def choose_candidate(trials: Mapping[str, Trial]) -> str:
    """Return the least surprised candidate, or with too few nodes the most accurate.

    The first of equally good ones is chosen.
    """

    def merit(name: str) -> float:
        accuracy, surprise = trials[name]
        return -surprise if surprise == surprise else accuracy if accuracy == accuracy else 0.0

    return max(trials, key=merit)  # max keeps the first of equals


def judge_logits(
    logits: np.ndarray, y: np.ndarray, *, fewest: int = FEWEST_TO_CALIBRATE
) -> tuple[Calibration, Trial]:
    """Calibrate logits at ``fewest`` nodes of known class or more; return how good they then are.

    The results are rounded, because a difference in the last bit, which depends on the order of
    a sum, must not decide which candidate is chosen.
    """
    calibration = Calibration.of(logits, y, fewest=fewest)
    right = round(float((logits.argmax(axis=1) == y).mean()), 6) if len(y) else np.nan
    if len(y) < fewest:
        return calibration, Trial(right, np.nan)
    return calibration, Trial(right, round(calibration.surprise(logits, y), 6))


def trials_as_json(tried: Mapping[str, Trial]) -> dict[str, dict[str, float | None]]:
    """Return trials for JSON, which has no NaN: None stands for it."""
    return {
        name: {field: None if v != v else v for field, v in trial._asdict().items()}
        for name, trial in tried.items()
    }
