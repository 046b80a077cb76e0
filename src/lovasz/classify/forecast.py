"""When to stop labelling: the expected accuracy now, and what more labels would bring.

The error of a classifier falls about as a power of the number of labels, err(M) = err(m) (M/m)^-γ.
The error now, err(m), is that of :class:`~lovasz.classify.expectation.Expectation`. The power γ is
that of a stand-in that takes milliseconds, ridge regression on the vectors of nodes
(:mod:`lovasz.classify.node_vectors`): it learns random parts of the labels and is tested on the
others. The band joins the interval of the accuracy now with that of γ under resampling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lovasz.base.device import one_thread
from lovasz.base.frames import make_frame
from lovasz.base.text import pluralize
from lovasz.classify.expectation import Expectation
from lovasz.classify.problem import Problem

SHARES = (0.2, 0.35, 0.5, 0.65, 0.8)
"""Shares of the labels that the stand-in learns from."""
MOST_LABELS = 1000
"""Largest number of labels that the stand-in sees; of more, so many are drawn at random. A power
is the same for a part of the labels, and 100 dense systems of all of them would take minutes."""
REPEATS = 20
"""Number of random parts of the labels of each size."""
RESAMPLINGS = 200
"""Number of bootstrap samples for the interval of γ."""
RIDGE = 0.1
"""Regularisation of the stand-in, in units of the variance of a node."""
FACTORS = (1.25, 1.5, 2.0, 3.0)
"""The numbers of labels to look ahead to, in multiples of those there are."""
STEEPEST = 1.0
"""Largest power γ that is believed."""
WORTHWHILE = 0.01
"""A gain in accuracy below this for half as many labels again is called small."""


@dataclass(frozen=True)
class ForecastPoint:
    """The accuracy to expect with a number of labels."""

    labels: int
    """Number of labels."""
    accuracy: float
    """Expected share of right answers on unlabelled nodes."""
    low: float
    """Lower end of the 95 % band."""
    high: float
    """Upper end of the 95 % band."""


@dataclass(frozen=True)
class Forecast:
    """What to expect now and with more labels."""

    labels: int
    """Number of labels there are."""
    now: ForecastPoint | None
    """The accuracy to expect now, or None if there are too few labels to judge by."""
    curve: Sequence[ForecastPoint]
    """The accuracy to expect with more labels; empty if ``now`` is None."""
    advice: str
    """One sentence for the person who labels."""

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with the columns labels, accuracy, low and high."""
        points = [*([] if self.now is None else [self.now]), *self.curve]
        columns = ("labels", "accuracy", "low", "high")
        return make_frame({name: [getattr(p, name) for p in points] for name in columns})


def forecast_accuracy(problem: Problem, expectation: Expectation | None, seed: int) -> Forecast:
    """Return the forecast for a problem whose answer is expected to be so good."""
    known = np.flatnonzero(problem.codes >= 0)
    m, left = len(known), problem.graph.n - len(known)
    if expectation is None:
        advice = f"{pluralize(m, 'label')} are too few to say how good the answers are; label more"
        return Forecast(m, None, [], advice)
    now = ForecastPoint(m, expectation.accuracy, expectation.low, expectation.high)
    with one_thread():
        errors = part_errors(problem, known, seed)
    power, low, high = power_interval(errors, seed)
    curve: list[ForecastPoint] = []
    for factor in FACTORS:
        more = min(round(m * factor), m + left)
        if more > (curve[-1].labels if curve else m):
            ratio = more / m
            curve.append(
                ForecastPoint(
                    more,
                    1 - (1 - now.accuracy) * ratio**-power,
                    1 - (1 - now.low) * ratio**-low,
                    1 - (1 - now.high) * ratio**-high,
                )
            )
    return Forecast(m, now, curve, _advise(now, curve))


def part_errors(problem: Problem, known: np.ndarray, seed: int) -> np.ndarray:
    """Return (REPEATS, SHARES) errors of the stand-in: one row per shuffle of the labels."""
    rng = np.random.default_rng(seed)
    if len(known) > MOST_LABELS:
        known = rng.choice(known, MOST_LABELS, replace=False)
    Z = problem.node_vectors[known]
    K = Z @ Z.T
    codes = problem.codes[known]
    Y = np.eye(len(problem.classes))[codes]
    wrong = np.zeros((REPEATS, len(SHARES)))
    for repeat in range(REPEATS):
        order = rng.permutation(len(known))
        for column, share in enumerate(SHARES):
            cut = max(1, round(share * len(known)))
            train, test = order[:cut], order[cut:]
            dual = np.linalg.solve(K[np.ix_(train, train)] + RIDGE * np.eye(cut), Y[train])
            said = (K[np.ix_(test, train)] @ dual).argmax(axis=1)
            # Half an error more and one test more keep the logarithm finite.
            wrong[repeat, column] = ((said != codes[test]).sum() + 0.5) / (len(test) + 1)
    return wrong


def power_interval(errors: np.ndarray, seed: int) -> tuple[float, float, float]:
    """Return γ ≥ 0 with error ∝ share^-γ by least squares, and its 95 % bootstrap interval.

    >>> falling = np.tile(np.array(SHARES) ** -0.5, (REPEATS, 1)) / 10
    >>> [round(value, 6) for value in power_interval(falling, seed=0)]
    [0.5, 0.5, 0.5]
    """
    x = np.log(SHARES)
    x = x - x.mean()
    drawn = np.random.default_rng(seed).integers(len(errors), size=(RESAMPLINGS, len(errors)))
    means = np.concatenate([errors.mean(axis=0)[None], errors[drawn].mean(axis=1)])
    powers = np.clip(-(np.log(means) @ x) / (x @ x), 0.0, STEEPEST)
    low, high = np.quantile(powers[1:], [0.025, 0.975])
    return float(powers[0]), float(min(low, powers[0])), float(max(high, powers[0]))


def _advise(now: ForecastPoint, curve: Sequence[ForecastPoint]) -> str:
    said = f"with {now.labels:,} labels expect {now.accuracy:.0%} ({now.low:.0%} to {now.high:.0%})"
    if not curve:
        return f"{said}; every node is labelled"
    at = curve[min(1, len(curve) - 1)]
    more, gain = at.labels - now.labels, at.accuracy - now.accuracy
    if gain < WORTHWHILE:
        return f"{said}; {more:,} more would change little"
    return f"{said}; {more:,} more may bring {at.accuracy:.0%} ({at.low:.0%} to {at.high:.0%})"
