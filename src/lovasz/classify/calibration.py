"""From logits to probabilities that mean what they say, and how far probabilities are off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_softmax, softmax

FEWEST_TO_CALIBRATE = 20
"""Fewer nodes of known class than this cannot tell how good an answer is, nor choose one of a few
similar networks."""
FEWEST_TO_WEIGH = 10
"""Fewer nodes of known class than this cannot tell good candidates of a blend from bad ones."""
EXTREME = 12.0
"""Largest size of the logarithm of a temperature that :meth:`Calibration.of_confidence` tries."""
POWERS = (0.5, 0.0)
"""The exponents β that :meth:`Calibration.of` tries."""


@dataclass(frozen=True)
class Calibration:
    """Probabilities softmax(z / (T σ^β)) of a node with logits z less their mean, of spread σ.

    β = 0 is temperature scaling (Guo et al., 2017). A kernel K is not normalised by degrees, so
    the size of the logits also tells how many neighbours a node has; β = ½ takes half of that
    out. Calibration never changes which class is most probable.
    """

    temperature: float = 1.0
    power: float = 0.0

    def __call__(self, logits: np.ndarray) -> np.ndarray:
        """Return probabilities, in the shape of the logits."""
        scaled = _divide_by_spread(logits, self.power) / self.temperature
        return np.asarray(softmax(scaled, axis=-1))

    @classmethod
    def of(
        cls,
        logits: np.ndarray,
        y: np.ndarray,
        *,
        powers: Sequence[float] = POWERS,
        fewest: int = FEWEST_TO_CALIBRATE,
    ) -> Calibration:
        """Return the T, and the β of ``powers``, with the least surprise at nodes of known class.

        With fewer than ``fewest`` nodes, T = 1 and β = 0.
        """
        if len(y) < fewest:
            return cls()
        tried = [
            (*_least_surprised(_divide_by_spread(logits, power), y), power) for power in powers
        ]
        _, T, power = min(tried)
        return cls(T, power)

    @classmethod
    def of_confidence(cls, logits: np.ndarray, confidence: float) -> Calibration:
        """Return the T with which the most probable class has this probability on average.

        Nodes whose logits are all equal do not count. ``logits`` is (n, classes).

        >>> logits = np.array([[2.0, 0.0], [0.5, 0.0], [0.0, 0.0]])
        >>> calibration = Calibration.of_confidence(logits, 0.9)
        >>> float(calibration(logits)[:2].max(axis=1).mean().round(6))
        0.9
        """
        values = _divide_by_spread(logits, 0.0)
        values -= values.max(axis=1, keepdims=True)
        values = values[values.min(axis=1) < 0]

        def excess(log_temperature: float) -> float:
            scaled = values / np.exp(log_temperature)
            return float(softmax(scaled, axis=1).max(axis=1).mean()) - confidence

        if not len(values) or excess(-EXTREME) < 0 or excess(EXTREME) > 0:
            return cls()
        return cls(float(np.exp(brentq(excess, -EXTREME, EXTREME))))

    def surprise(self, logits: np.ndarray, y: np.ndarray) -> float:
        """Mean −log probability of the classes of N nodes, smoothed (Platt, 1999).

        The right class of a node counts (N+1)/(N+2), and the others share 1/(N+2): however often
        an answer was right, nothing is certain. So T stays finite, and probabilities more extreme
        than N nodes can justify do not score better.
        """
        return _surprise(_divide_by_spread(logits, self.power) / self.temperature, y)


def _divide_by_spread(logits: np.ndarray, power: float) -> np.ndarray:
    values = logits.astype(np.float64)
    if not power:
        return values
    values = values - values.mean(axis=-1, keepdims=True)
    spread = np.maximum(values.std(axis=-1, keepdims=True), 1e-12)
    return np.asarray(values / spread**power)


def _surprise(values: np.ndarray, y: np.ndarray) -> float:
    n, classes = values.shape
    logs = log_softmax(values, axis=1)
    right = logs[np.arange(n), y]
    wrong = (logs.sum(axis=1) - right) / max(classes - 1, 1)
    return -float(((n + 1) * right.mean() + wrong.mean()) / (n + 2))


def _least_surprised(values: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Return the least surprise over all T, and the T that has it."""
    from scipy.optimize import minimize_scalar  # takes a quarter of a second

    found = minimize_scalar(
        lambda log_t: _surprise(values / np.exp(log_t), y),
        bounds=(-np.log(1e3), np.log(1e3)),
        method="bounded",
    )
    return float(found.fun), float(np.exp(found.x))


def wilson_interval(share: float, count: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval for a share of ``count`` independent answers.

    ``count`` may be an effective number of weighted answers, which is not an integer; that is why
    this is not :func:`scipy.stats.binomtest`.

    >>> [round(end, 3) for end in wilson_interval(0.8, 100)]
    [0.711, 0.867]
    """
    z = 1.959964
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    spread = z * np.sqrt(share * (1 - share) / count + (z / (2 * count)) ** 2) / (1 + z * z / count)
    low = 0.0 if share <= 0 else max(middle - spread, 0.0)  # the ends are exact, rounding is not
    return float(low), 1.0 if share >= 1 else float(min(middle + spread, 1.0))


def confidence_bins(confidence: np.ndarray, bins: int = 10) -> np.ndarray:
    """Return which of ``bins`` equal parts of [0, 1] each confidence falls into."""
    return np.asarray(np.clip((np.asarray(confidence) * bins).astype(int), 0, bins - 1))


def calibration_error(probabilities: np.ndarray, y: np.ndarray, bins: int = 10) -> float:
    """Expected calibration error, in percentage points, of (n, classes) probabilities."""
    return confidence_error(probabilities.max(axis=1), probabilities.argmax(axis=1) == y, bins)


def confidence_error(confidence: np.ndarray, right: np.ndarray, bins: int = 10) -> float:
    """Expected calibration error Σ_b (n_b / N) |accuracy_b − confidence_b|, in percentage points.

    ``confidence`` holds the probability of each answer and ``right`` whether it was right; b runs
    over equal bins of confidence.
    """
    gap = np.bincount(confidence_bins(confidence, bins), confidence - right, minlength=bins)
    return 100 * float(np.abs(gap).sum() / len(right))


def error_by_chance(confidence: np.ndarray, bins: int = 10) -> float:
    """The calibration error, in percentage points, that right probabilities have on average.

    Even then accuracy and confidence of a bin differ by chance. With nearly normal bins the mean of
    |accuracy_b − confidence_b| is √(2/π) times its standard deviation, so few nodes have a large
    error whatever the probabilities are.

    >>> [round(error_by_chance(np.full(nodes, 0.8)), 1) for nodes in (100, 10_000)]
    [3.2, 0.3]
    """
    variance = np.bincount(confidence_bins(confidence, bins), confidence * (1 - confidence))
    return 100 * float(np.sqrt(2 / np.pi * variance).sum() / len(confidence))
