"""What to expect of the answers: accuracy with an interval, and the mean over classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lovasz.classify.calibration import FEWEST_TO_CALIBRATE, wilson_interval

MOST_WEIGHT = 5.0
"""Largest factor by which the label of one class counts more than it would by its number."""


@dataclass(frozen=True)
class Expectation:
    """Estimates for unlabelled nodes, from labels that were kept from the answer."""

    accuracy: float
    """Estimated share of right answers."""
    low: float
    """Lower end of the 95 % interval of the accuracy."""
    high: float
    """Upper end of the 95 % interval of the accuracy."""
    macro_f1: float
    """Estimated mean of the F1 scores of the classes, which a rare class that is never found pulls
    down where the accuracy hides it."""
    judged: int
    """Number of labels that were kept from the answer."""


def expect(
    held_out: np.ndarray,
    truth: np.ndarray,
    *,
    unlabelled: int,
    shares: np.ndarray | None = None,
    unjudged: int = 0,
) -> Expectation | None:
    """Return the expectation from (judges, classes) held-out probabilities, or None for too few.

    - ``shares`` are the estimated shares of the classes among the unlabelled nodes. If users label
      every class equally often, but most nodes belong to one of them, the labels of that class
      count for more; the interval is then that of the effective number of labels, (Σw)² / Σw².
    - ``unjudged`` labels are the only ones of their class, so nobody can be judged by them. The
      interval covers both that all answers for such classes are wrong and that all are right.
    - The accuracy on few ``unlabelled`` nodes varies by chance as well: variances add up.
    """
    count, classes = held_out.shape
    if count < FEWEST_TO_CALIBRATE:
        return None
    answers = held_out.argmax(axis=1)
    weight = np.ones(count)
    if shares is not None:
        given = np.bincount(truth, minlength=classes) / count
        ratio = np.divide(shares, given, out=np.ones(classes), where=given > 0)
        weight = np.clip(ratio, 1 / MOST_WEIGHT, MOST_WEIGHT)[truth]
    right = float(np.average(answers == truth, weights=weight))
    effective = float(weight.sum() ** 2 / (weight**2).sum())
    spread = 1 / (1 / effective + 1 / max(unlabelled, 1))
    hidden = unjudged / (count + unjudged)
    low, _ = wilson_interval((1 - hidden) * right, spread)
    _, high = wilson_interval((1 - hidden) * right + hidden, spread)
    middle = (1 - hidden) * right + hidden / 2
    return Expectation(middle, low, high, macro_f1(answers, truth, classes), count)


def macro_f1(answers: np.ndarray, truth: np.ndarray, classes: int) -> float:
    """Return the mean of the F1 scores of the classes that occur in ``truth``.

    >>> macro_f1(np.array([0, 0, 0, 0]), np.array([0, 0, 0, 1]), 2)  # class 1 is never found
    0.42857142857142855
    """
    hit = np.bincount(truth[answers == truth], minlength=classes)
    said = np.bincount(answers, minlength=classes)
    there = np.bincount(truth, minlength=classes)
    f1 = 2 * hit / np.maximum(said + there, 1)
    return float(f1[there > 0].mean())
