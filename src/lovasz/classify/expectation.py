"""What to expect of the answers: accuracy with an interval, and the mean over classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lovasz.classify.calibration import FEWEST_TO_CALIBRATE, wilson_interval
from lovasz.graphs import Graph

MOST_WEIGHT = 5.0
"""Largest factor by which the label of one class counts more than it would by its number."""
ERRORS_LEFT = 0.8**0.5
"""Share of the judged errors that the answer may have left. A run that is judged learns from four
folds of five, and errors tend to fall like the root of the number of labels; with validation nodes,
the answer averages several runs, each of which was judged alone."""


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
    answers: np.ndarray,
    *,
    neighbours: Neighbours | None = None,
    unjudged: int = 0,
) -> Expectation | None:
    """Return the expectation from (judges, classes) held-out probabilities, or None for too few.

    ``answers`` are the (unlabelled, classes) probabilities that are to be right. The interval is
    Wilson's for an effective number of labels. Beside the chance in the judges it contains:

    - Uneven labels. If users label every class equally often, but most nodes belong to one of them,
      the labels of that class count for more (:func:`weigh_classes`), and the effective number of
      labels is (Σw)² / Σw². The weights are estimated, so what they change is taken as a standard
      error.
    - Chance in the accuracy on the unlabelled nodes, if they are few: variances add up.
    - Neighbours that err together (:class:`Neighbours`), so that n nodes tell less than n.
    - Classes that no judge has. They are counted by the ``unjudged`` labels that are the only ones
      of their class, or by their share of the answers if that is larger. The interval covers both
      that all answers for such classes are wrong and that all are right.

    - Answers that are better than what was judged (``ERRORS_LEFT``); only the upper end moves.

    That the temperatures of the blend were fitted to the judges is left out.
    """
    count, classes = held_out.shape
    if count < FEWEST_TO_CALIBRATE:
        return None
    said = held_out.argmax(axis=1)
    weight = weigh_classes(held_out, truth, answers)
    right = float(np.average(said == truth, weights=weight))
    moved = right - float((said == truth).mean())
    effective = float(weight.sum() ** 2 / (weight**2).sum())
    judged, asked = (neighbours or Neighbours()).design_effects(said == truth)
    share = (right * effective + 1) / (effective + 2)  # neither 0 nor 1, after Laplace
    per_answer = judged / effective + (asked / len(answers) if len(answers) else 0.0)
    spread = 1 / (per_answer + moved**2 / (share * (1 - share)))
    hidden = max(unjudged / (count + unjudged), share_without_judges(truth, answers))
    low, _ = wilson_interval((1 - hidden) * right, spread)
    best = 1 - ERRORS_LEFT * (1 - right)
    _, high = wilson_interval((1 - hidden) * best + hidden, spread)
    middle = (1 - hidden) * right + hidden / 2
    return Expectation(middle, low, high, macro_f1(said, truth, classes), count)


def share_without_judges(truth: np.ndarray, answers: np.ndarray) -> float:
    """Return the share of the (unlabelled, classes) answers that is of classes no judge has.

    >>> share_without_judges(np.array([0, 0, 1]), np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]]))
    0.25
    """
    if not len(answers):
        return 0.0
    missing = np.bincount(truth, minlength=answers.shape[1]) == 0
    return float(answers.mean(axis=0)[missing].sum())


def weigh_classes(held_out: np.ndarray, truth: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """Return one weight per judge: the share of its class among unlabelled nodes over its own.

    The mean ``answers`` μ tell the shares of the classes among unlabelled nodes. A classifier that
    prefers a class is right more often there, so to believe μ where labels are a fair sample would
    promise too much. The same preference shows in the mean held-out answers h of the judges.
    Therefore only what chance does not explain in μ − h counts (James and Stein, 1961): with z² the
    sum of (μ_c − h_c)² in units of their variance, over k classes, and π the shares of the labels,
    the shares are π + (1 − k/z²)₊ (μ − π). Where the answers are often wrong, μ lies between the
    shares among the labels and those among unlabelled nodes, so only part of a shift is corrected.
    """
    count, classes = held_out.shape
    if not len(answers):
        return np.ones(count)
    given = np.bincount(truth, minlength=classes) / count
    told = answers.mean(axis=0)
    variance = held_out.var(axis=0) / count + answers.var(axis=0) / len(answers)
    surprising = float(((told - held_out.mean(axis=0)) ** 2 / np.maximum(variance, 1e-12)).sum())
    beyond_chance = max(1 - classes / surprising, 0.0) if surprising > 0 else 0.0
    shares = given + beyond_chance * (told - given)
    ratio = np.divide(shares, given, out=np.ones(classes), where=given > 0)
    return np.asarray(np.clip(ratio, 1 / MOST_WEIGHT, MOST_WEIGHT)[truth])


@dataclass(frozen=True)
class Neighbours:
    """Which judges are neighbours of each other, and how many neighbours unlabelled nodes have."""

    pairs: tuple[np.ndarray, np.ndarray] = (np.empty(0, np.int64), np.empty(0, np.int64))
    """Positions of two adjacent judges, every pair once."""
    degree: float = 0.0
    """Mean number of unlabelled neighbours of an unlabelled node."""

    @classmethod
    def of(cls, graph: Graph, judges: np.ndarray, labelled: np.ndarray) -> Neighbours:
        """Return the neighbours in a graph, for ascending ``judges`` and a mask of labelled nodes.

        >>> path = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4])
        >>> found = Neighbours.of(path, np.array([0, 2, 3]), np.array([1, 0, 1, 1, 0]) > 0)
        >>> [ends.tolist() for ends in found.pairs], found.degree
        ([[1], [2]], 0.0)
        """
        position = np.full(graph.n, -1)
        position[judges] = np.arange(len(judges))
        first, second = graph.edges()
        both = (position[first] >= 0) & (position[second] >= 0)
        open_ends = int((~labelled[first] & ~labelled[second]).sum())
        degree = 2 * open_ends / max(int((~labelled).sum()), 1)
        return cls((position[first[both]], position[second[both]]), degree)

    def design_effects(self, right: np.ndarray) -> tuple[float, float]:
        """Return by what factors correlation raises the variance on judges and unlabelled nodes.

        With ρ the correlation of right answers of adjacent judges, the variance of the sum over n
        nodes with mean degree d is n (1 + d ρ) times that of one node. Only what m pairs show
        beyond two standard errors counts, ρ = (r − 2/√m)₊.
        """
        first, second = self.pairs
        errors = right - right.mean()
        if not len(first) or not errors.any():
            return 1.0, 1.0
        correlation = float((errors[first] * errors[second]).mean() / errors.var())
        excess = max(correlation - 2 / np.sqrt(len(first)), 0.0)
        return 1 + 2 * len(first) / len(right) * excess, 1 + self.degree * excess


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
