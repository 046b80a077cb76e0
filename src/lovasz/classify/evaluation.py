"""How methods are compared: the same splits, seeds and training code for every kernel.

The choice between candidate kernels is made on validation nodes, split by split; test nodes are
looked at once, at the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

from lovasz.base.errors import LovaszError
from lovasz.base.progress import Callback, shift
from lovasz.nn import Settings, Training, train


class Split(NamedTuple):
    """Rows of the nodes to learn from, to choose by, and to report on."""

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


def random_splits(
    y: np.ndarray,
    shares: tuple[float, float, float],
    count: int,
    *,
    seed: int,
    by_class: bool = False,
) -> list[Split]:
    """``count`` random splits of the labelled nodes (y ≥ 0) by ``shares``.

    ``by_class`` cuts every class by the shares, so that all parts have its proportions, with at
    least one node in every part where it has three. Without, nodes are drawn regardless of
    class, as in the LCN paper; the learning nodes are then uneven by chance, and that matters:
    see ``lovasz demo``.

    >>> [len(part) for part in random_splits(np.array([0, 1] * 50), (0.2, 0.1, 0.7), 1, seed=0)[0]]
    [20, 10, 70]
    """
    if abs(sum(shares) - 1) > 1e-9 or min(shares) < 0:
        raise LovaszError(f"the shares {shares} of a split must be >= 0 and add up to 1")
    rng = np.random.default_rng(seed)
    groups = [np.flatnonzero(y == code) for code in np.unique(y[y >= 0])]
    if not by_class:
        groups = [np.flatnonzero(y >= 0)]
    splits = []
    for _ in range(count):
        parts: list[list[np.ndarray]] = [[], [], []]
        for group in groups:
            first = max(1, round(shares[0] * len(group)))
            second = max(first, round((shares[0] + shares[1]) * len(group)))
            if by_class and len(group) >= 3 and min(shares) > 0:  # none of the parts goes empty
                first = min(first, len(group) - 2)
                second = min(max(second, first + 1), len(group) - 1)
            for part, nodes in zip(
                parts, np.split(rng.permutation(group), [first, second]), strict=True
            ):
                part.append(nodes)
        splits.append(Split(*(np.sort(np.concatenate(part)) for part in parts)))
    return splits


class Trial(NamedTuple):
    """A candidate on nodes of known class that it did not learn from."""

    accuracy: float
    """NaN without such nodes."""
    surprise: float
    """:meth:`Calibration.surprise` once calibrated, by which is chosen; NaN with too few nodes."""


@dataclass(frozen=True)
class Outcome:
    """One method on B splits; of several candidate kernels, the chosen one of each split."""

    names: tuple[str, ...]
    """(B,) the candidate each split chose on its validation nodes."""
    probabilities: np.ndarray
    """(B, n, classes), calibrated on the validation nodes."""
    train_loss: np.ndarray
    """(epochs, B), and so the two below."""
    validation_loss: np.ndarray
    validation_accuracy: np.ndarray
    trainings: dict[str, Training]
    """Every candidate, as trained."""

    def accuracy(self, y: np.ndarray, splits: Sequence[Split]) -> np.ndarray:
        """(B,) share of each split's test nodes that were labelled rightly."""
        answers = self.probabilities.argmax(-1)
        return np.array(
            [(answers[b][split.test] == y[split.test]).mean() for b, split in enumerate(splits)]
        )


def run(
    candidates: Mapping[str, Any],
    y: np.ndarray,
    splits: Sequence[Split],
    *,
    settings: Settings = Settings(),
    seed: int = 0,
    callback: Callback | None = None,
    **training: Any,
) -> Outcome:
    """Train every candidate on every split; each split keeps its best on validation.

    The best is the one whose calibrated probabilities are least surprised at the classes: that
    tells candidates apart where few nodes are mistaken. With too few nodes to calibrate by it is
    the most accurate, and of equals the first.

    All other arguments are those of :func:`train_all`.
    """
    trainings = train_all(
        candidates, y, splits, settings=settings, seed=seed, callback=callback, **training
    )
    judged = [
        {
            name: judge(result.logits[b][split.validation], y[split.validation])
            for name, result in trainings.items()
        }
        for b, split in enumerate(splits)
    ]
    names = tuple(choose({name: trial for name, (_, trial) in found.items()}) for found in judged)
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
    """Every candidate on every split.

    A candidate is a kernel, or a function that is called as :func:`lovasz.nn.train` without K.
    Run b of every candidate starts from seed ``seed + b``. ``settings`` and ``training`` go to the
    candidates; ``callback(epochs done in all, note)``.
    """
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
    """(epochs, B); candidates may stop at different epochs, and NaN comes after."""
    curves = [getattr(result, field)[:, b] for result, b in chosen]
    out = np.full((max(map(len, curves)), len(curves)), np.nan)
    for b, values in enumerate(curves):
        out[: len(values), b] = values
    return out


def choose(trials: Mapping[str, Trial]) -> str:
    """The least surprised; else, with too few nodes, the most accurate; of equals the first."""

    def merit(name: str) -> float:
        accuracy, surprise = trials[name]
        return -surprise if surprise == surprise else accuracy if accuracy == accuracy else 0.0

    return max(trials, key=merit)  # max keeps the first of equals


def judge(logits: np.ndarray, y: np.ndarray) -> tuple[Calibration, Trial]:
    """Logits at nodes of known class, calibrated by them.

    Rounded: a difference in the last bit, by the order of a sum, must not choose.
    """
    calibration = Calibration.of(logits, y)
    right = round(float((logits.argmax(axis=1) == y).mean()), 6) if len(y) else np.nan
    if len(y) < FEWEST_TO_CALIBRATE:
        return calibration, Trial(right, np.nan)
    return calibration, Trial(right, round(calibration.surprise(logits, y), 6))


def as_json(tried: Mapping[str, Trial]) -> dict[str, dict[str, float | None]]:
    """For JSON, which has no NaN."""
    return {
        name: {field: None if v != v else v for field, v in trial._asdict().items()}
        for name, trial in tried.items()
    }


def wilson(share: float, count: int) -> tuple[float, float]:
    """The 95 % interval of a share of ``count`` independent answers (Wilson, 1927).

    >>> [round(end, 3) for end in wilson(0.8, 100)]
    [0.711, 0.867]
    """
    z = 1.96
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    spread = z * np.sqrt(share * (1 - share) / count + (z / (2 * count)) ** 2) / (1 + z * z / count)
    return float(middle - spread), float(middle + spread)


FEWEST_TO_CALIBRATE = 20
POWERS = (0.5, 0.0)


@dataclass(frozen=True)
class Calibration:
    """Probabilities softmax(z / (T σ^β)), z the logits of a node less their mean, σ their spread.

    β = 0 is temperature scaling (Guo et al., 2017). K is not normalised by degrees, so the size of
    logits also tells how many neighbours a node has; β = ½ takes half of that out. It never
    changes an answer.
    """

    temperature: float = 1.0
    power: float = 0.0

    def __call__(self, logits: np.ndarray) -> np.ndarray:
        """Probabilities, of the shape of the logits."""
        return softmax(_spread_out(logits, self.power) / self.temperature, axis=-1)

    @classmethod
    def of(cls, logits: np.ndarray, y: np.ndarray) -> Calibration:
        """The T and β of ``POWERS`` with the least surprise at nodes of known class.

        Fewer than ``FEWEST_TO_CALIBRATE`` nodes cannot tell; then T = 1 and β = 0.
        """
        if len(y) < FEWEST_TO_CALIBRATE:
            return cls()
        tried = [(*_likeliest(_spread_out(logits, power), y), power) for power in POWERS]
        _, T, power = min(tried)
        return cls(T, power)

    def surprise(self, logits: np.ndarray, y: np.ndarray) -> float:
        """Mean −log probability of the classes, of N nodes and C classes (Platt, 1999).

        A class counts (N+1)/(N+C) and each other 1/(N+C): however often it was right, nothing is
        certain. So T stays finite, and being surer than N nodes can show is no merit.
        """
        return _surprise(_spread_out(logits, self.power) / self.temperature, y)


def _spread_out(logits: np.ndarray, power: float) -> np.ndarray:
    values = logits.astype(np.float64)
    if not power:
        return values
    values = values - values.mean(axis=-1, keepdims=True)
    return values / np.maximum(values.std(axis=-1, keepdims=True), 1e-12) ** power


def _surprise(values: np.ndarray, y: np.ndarray) -> float:
    n, classes = values.shape
    logs = log_softmax(values, axis=1)
    right = logs[np.arange(n), y].mean()
    return -float((n * right + logs.mean(axis=0).sum()) / (n + classes))


def _likeliest(values: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """The least surprise, and the T it takes."""
    found = minimize_scalar(
        lambda log_t: _surprise(values / np.exp(log_t), y),
        bounds=(-np.log(1e3), np.log(1e3)),
        method="bounded",
    )
    return float(found.fun), float(np.exp(found.x))
