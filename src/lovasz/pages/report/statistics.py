"""The numbers on a report page, computed from its content."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from lovasz.classify.calibration import confidence_bins, confidence_error
from lovasz.pages.report.report import Method, Report

STANDARD_ERRORS = 2
"""A difference on folds within this many standard errors is too close to call."""


@dataclass(frozen=True)
class Score:
    """Accuracy of one method on held-out nodes over its splits, in percent."""

    name: str
    mean: float
    sd: float | None
    """Sample standard deviation over the splits, or None if there is a single split."""
    low: float
    high: float
    splits: int
    unit: str
    """What a split is called: "split" or "fold"."""


def score(method: Method) -> Score:
    """Return the mean, standard deviation and range of the accuracies of a method."""
    percent = 100 * np.asarray(method.accuracy, dtype=float)
    sd = float(percent.std(ddof=1)) if percent.size > 1 else None
    return Score(
        method.name,
        100 * method.mean,
        sd,
        float(percent.min()),
        float(percent.max()),
        percent.size,
        method.unit,
    )


def word_choices(method: Method) -> str | None:
    """Say which kernels the splits of a method chose; None if there was no choice."""
    counts = Counter(method.chosen).most_common()
    if not counts:
        return None
    if len(counts) == 1:
        return f"{method.name} used {counts[0][0]} in every split."
    parts = [f"{name} in {count}" for name, count in counts]
    parts[0] += " split" if counts[0][1] == 1 else " splits"
    return f"{method.name} chose {', '.join(parts[:-1])} and {parts[-1]}."


@dataclass(frozen=True)
class Comparison:
    """The first method against another on the same splits, in percentage points of accuracy."""

    first: str
    second: str
    difference: float
    spread: float | None
    """Standard deviation of the paired difference over the splits; None for a single split. For
    folds it is the standard error of the mean difference, from node to node."""
    won: int
    tied: int
    lost: int
    nodes: int | None = None
    """Number of held-out nodes if the splits are folds, which hold each of them out once."""

    @property
    def unit(self) -> str:
        """What a split is called: "split" or "fold"."""
        return "split" if self.nodes is None or self.splits == 1 else "fold"

    @property
    def splits(self) -> int:
        """Number of splits."""
        return self.won + self.tied + self.lost

    @property
    def outcome(self) -> str:
        """One of "ahead", "behind" and "close".

        Test sets of different splits overlap, so differences over splits are not independent
        and their standard error is too small. The corrected one (Nadeau and Bengio, 2003)
        multiplies the variance by 1/B + test/train, which is of the order of 1 here. So a mean
        difference below one standard deviation is called close, unless one side won nine
        splits of ten. Folds hold every node out once, so that a difference within two standard
        errors of the paired answers, which luck alone exceeds about once in twenty times, is
        called close.
        """
        if round(self.difference, 1) == 0 or self.spread is None:
            return "close"
        if self.nodes is not None:
            if abs(self.difference) <= STANDARD_ERRORS * self.spread:
                return "close"
            return "ahead" if self.difference > 0 else "behind"
        swept = 10 * (self.won if self.difference > 0 else self.lost) >= 9 * self.splits
        if abs(self.difference) < self.spread and not swept:
            return "close"
        return "ahead" if self.difference > 0 else "behind"


def compare_paired(first: Method, second: Method) -> Comparison:
    """Compare two methods split by split, or node by node if the splits are folds."""
    points = 100 * (np.asarray(first.accuracy, dtype=float) - np.asarray(second.accuracy))
    tied = np.isclose(points, 0, atol=1e-9)
    difference, nodes = float(points.mean()), None
    spread = float(points.std(ddof=1)) if points.size > 1 else None
    if first.folds:
        right, other = (100.0 * (m.truth == m.predicted) for m in (first, second))
        difference, nodes = float((right - other).mean()), len(first.truth)
        spread = float((right - other).std(ddof=1) / np.sqrt(nodes)) if nodes > 1 else None
    return Comparison(
        first.name,
        second.name,
        difference,
        spread,
        won=int((~tied & (points > 0)).sum()),
        tied=int(tied.sum()),
        lost=int((~tied & (points < 0)).sum()),
        nodes=nodes,
    )


def word_verdict(c: Comparison) -> str:
    """Put the comparison into words that claim no more than it shows."""
    gap = f"{abs(c.difference):.1f} {'point' if f'{abs(c.difference):.1f}' == '1.0' else 'points'}"
    side = "above" if c.difference > 0 else "below"
    record = f"{c.first} won {c.won} of {c.splits} splits"
    if c.tied:
        record += f", {c.tied} tied"
    if c.nodes is not None:
        return _word_folds(c, gap, side)
    if c.spread is None:
        return (
            f"On the one split there is, {c.first} is {gap} {side} {c.second}; "
            "one split cannot tell a difference from luck."
        )
    if round(c.difference, 1) == 0:
        return f"{c.first} and {c.second} have the same mean accuracy; {record}."
    if c.outcome == "close":
        return (
            f"Too close to call: {c.first} is {gap} {side} {c.second} on average, but the "
            f"difference varies by {c.spread:.1f} from split to split (sd); {record}."
        )
    if c.outcome == "ahead":
        return f"{c.first} is {gap} more accurate than {c.second}; {record}."
    return (
        f"{c.first} is {gap} less accurate than {c.second}; {record}. "
        f"For this graph {c.second} is the better choice."
    )


def _word_folds(c: Comparison, gap: str, side: str) -> str:
    """Put a comparison on folds into words."""
    where = f"on the {c.nodes:,} labels that were kept from both"
    if round(c.difference, 1) == 0:
        return f"Too close to call: {c.first} and {c.second} have the same accuracy {where}."
    error = "" if c.spread is None else f" (standard error {c.spread:.1f})"
    if c.outcome == "close":
        return f"Too close to call: {c.first} is {gap} {side} {c.second} {where}{error}."
    more = "more" if c.outcome == "ahead" else "less"
    verdict = f"{c.first} is {gap} {more} accurate than {c.second} {where}{error}."
    if c.outcome == "behind":
        verdict += f" For this graph {c.second} is the better choice."
    return verdict


def largest_class_share(method: Method) -> float:
    """Return the accuracy, in percent, of always answering the commonest held-out class."""
    return 100 * float(np.bincount(method.truth).max() / len(method.truth))


def count_confusion(method: Method, classes: int) -> np.ndarray:
    """Return (classes, classes) counts over all splits: one row per true class."""
    code = np.asarray(method.truth) * classes + np.asarray(method.predicted)
    return np.bincount(code, minlength=classes**2).reshape(classes, classes)


@dataclass(frozen=True)
class ReliabilityBins:
    """Confidence against accuracy in bins of equal width in [0, 1]."""

    count: np.ndarray
    """Number of answers in each bin."""
    confidence: np.ndarray
    """Mean confidence of each bin; NaN where a bin is empty."""
    accuracy: np.ndarray
    """Share of right answers of each bin; NaN where a bin is empty."""
    error: float
    """The expected calibration error, in percentage points."""

    @property
    def bias(self) -> str:
        """Say whether the mean confidence is above or below the accuracy."""
        gap = np.nan_to_num(self.confidence - self.accuracy) @ self.count / self.count.sum()
        if abs(gap) < 0.02:
            return "about as often right as it says"
        return "more sure than it should be" if gap > 0 else "less sure than it could be"


def bin_by_confidence(method: Method, bins: int = 10) -> ReliabilityBins:
    """Bin the answers on the held-out nodes of all splits by confidence."""
    confidence = np.asarray(method.confidence, dtype=float)
    right = (np.asarray(method.truth) == method.predicted).astype(float)
    place = confidence_bins(confidence, bins)
    count = np.bincount(place, minlength=bins)
    with np.errstate(invalid="ignore"):
        return ReliabilityBins(
            count,
            np.bincount(place, confidence, bins) / count,
            np.bincount(place, right, bins) / count,
            confidence_error(confidence, right, bins),
        )


@dataclass(frozen=True)
class Confusion:
    """Nodes of class ``truth`` that were labelled ``predicted``."""

    truth: int
    predicted: int
    count: int
    share: float
    """How many percent of the nodes of class ``truth`` that is."""


def commonest_confusions(counts: np.ndarray, limit: int = 6) -> list[Confusion]:
    """Return the off-diagonal cells with the most nodes, in descending order."""
    off = counts * ~np.eye(len(counts), dtype=bool)
    order = np.argsort(-off, axis=None, kind="stable")[:limit]
    cells = [(int(r), int(c)) for r, c in zip(*np.unravel_index(order, off.shape), strict=True)]
    totals = counts.sum(axis=1)
    return [
        Confusion(r, c, int(off[r, c]), 100 * float(off[r, c] / totals[r]))
        for r, c in cells
        if off[r, c]
    ]


@dataclass(frozen=True)
class Doubt:
    """A node of whose class the final model is unsure."""

    node: str
    predicted: int
    probability: float
    runner_up: int | None
    runner_up_probability: float


def least_certain(page: Report, limit: int = 15) -> list[Doubt]:
    """Return the unlabelled nodes whose best class has the least probability, in that order."""
    rows = np.flatnonzero(page.labels < 0)
    best = page.probabilities[rows].max(axis=1)
    if rows.size > limit:  # a full sort of a million nodes would be a waste
        keep = best <= np.partition(best, limit - 1)[limit - 1]
        rows, best = rows[keep], best[keep]
    rows = rows[np.argsort(best, kind="stable")][:limit]
    doubts = []
    for row in rows.tolist():
        p = page.probabilities[row]
        order = np.argsort(-p, kind="stable")
        second = int(order[1]) if p.size > 1 else None
        doubts.append(
            Doubt(
                str(page.graph.nodes[row]),
                int(order[0]),
                100 * float(p[order[0]]),
                second,
                0.0 if second is None else 100 * float(p[second]),
            )
        )
    return doubts


@dataclass(frozen=True)
class ClassCount:
    """How many nodes were given a class, and for how many it was predicted."""

    code: int
    given: int
    predicted: int
    share: float
    """How many percent of all nodes were predicted to be in this class."""


def class_counts(page: Report, predicted: np.ndarray) -> list[ClassCount]:
    """Return one count per class, in the order of the classes."""
    size = len(page.classes)
    given = np.bincount(page.labels[page.labels >= 0], minlength=size)
    found = np.bincount(predicted, minlength=size)
    return [
        ClassCount(k, int(given[k]), int(found[k]), 100 * float(found[k]) / max(page.graph.n, 1))
        for k in range(size)
    ]


def largest_classes(counts: list[ClassCount], limit: int) -> list[ClassCount]:
    """Return the ``limit`` classes with the most nodes, given and predicted, in class order."""
    order = sorted(counts, key=lambda c: (-c.given - c.predicted, c.code))
    return sorted(order[:limit], key=lambda c: c.code)


def merge_others(counts: np.ndarray, codes: list[int]) -> np.ndarray:
    """Keep the rows and columns ``codes``, and sum up all others in one more row and column."""
    place = np.full(len(counts), len(codes))
    place[codes] = np.arange(len(codes))
    merged = np.zeros((len(codes) + 1, len(codes) + 1), dtype=counts.dtype)
    np.add.at(merged, (place[:, None], place), counts)
    return merged
