"""Answers that edges pass on: label spreading, and Correct and Smooth on another candidate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lovasz.base.progress import Callback
from lovasz.classify.bench import Bench, Fitted, per_training_set
from lovasz.classify.problem import Problem
from lovasz.linalg.scaling import normalize

SPREADING = 0.9
"""The share α that a node takes from its neighbours in label spreading."""
SMOOTHING = 0.8
"""The share α that a node takes from its neighbours in both parts of Correct and Smooth."""
STEPS = 50
"""Number of steps; what is left out is below α^50, half a percent."""


def spread(S: sparse.csr_array, Y: np.ndarray, share: float) -> np.ndarray:
    """Return F after ``STEPS`` steps of F ← α S F + (1 − α) Y, with α the ``share``."""
    F = Y
    for _ in range(STEPS):
        F = share * (S @ F) + (1 - share) * Y
    return F


def correct(S: sparse.csr_array, P: np.ndarray, Y: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return probabilities P with their errors at the ``known`` nodes passed on, and Y there.

    The errors Y − P are spread along edges and scaled at every node to their mean size.
    """
    wrong = np.zeros_like(P)
    wrong[known] = Y[known] - P[known]
    passed = spread(S, wrong, SMOOTHING)
    size = np.abs(passed).sum(axis=1, keepdims=True)
    mean = np.abs(wrong[known]).sum(axis=1).mean()
    P = P + np.divide(mean * passed, size, out=np.zeros_like(P), where=size > 1e-12)
    P[known] = Y[known]
    return P


def walk_weights(share: float) -> np.ndarray:
    """Return the coefficients of S^k Y in :func:`spread`, from k = 0 on."""
    c = np.asarray(share ** np.arange(STEPS + 1.0))
    c[:-1] *= 1 - share
    return c


def lowest(F: np.ndarray) -> float:
    """Return what is added to F before logarithms are taken: a node without any has equal ones."""
    return 1e-3 * max(float(F.mean()), 1e-12)


def logits_of(F: np.ndarray) -> np.ndarray:
    """Return log F, with the floor that keeps logarithms finite."""
    return np.asarray(np.log(np.maximum(F, 0) + lowest(F)))


def one_hot(problem: Problem, known: np.ndarray) -> np.ndarray:
    """Return (n, classes) labels of the ``known`` nodes; the rows of other nodes are zero."""
    Y = np.zeros((problem.graph.n, len(problem.classes)))
    Y[known, problem.codes[known]] = 1
    return Y


@dataclass(frozen=True)
class SpreadingCandidate:
    """Label spreading (Zhou et al., 2004): F ← α D^-½ A D^-½ F + (1 − α) Y, classes balanced."""

    reads_features: bool = False

    def suits(self, problem: Problem) -> bool:
        """Return whether there are edges."""
        return problem.graph.m > 0

    def fit(self, bench: Bench, callback: Callback | None) -> Fitted:
        """Spread the labels of each part."""
        S = normalize(bench.problem.graph.adjacency)

        def answer(known: np.ndarray) -> np.ndarray:
            return logits_of(spread(S, self.seeds(bench.problem, known), SPREADING))

        return Fitted(per_training_set(bench.parts, answer))

    def seeds(self, problem: Problem, known: np.ndarray) -> np.ndarray:
        """Return the labels Y, whose columns sum to one."""
        Y = one_hot(problem, known)
        return np.asarray(Y / np.maximum(Y.sum(axis=0), 1))


@dataclass(frozen=True)
class SmoothedCandidate:
    """Correct and Smooth (Huang et al., 2021) on the probabilities P of another candidate.

    What P gets wrong at the labelled nodes, Y − P there, is spread along edges, scaled at every
    node to its mean size, and added to P. With the labels in the place of P at labelled nodes, the
    sum is then spread itself.
    """

    prior: str
    """The candidate whose calibrated probabilities are corrected."""
    reads_features: bool = False

    def suits(self, problem: Problem) -> bool:
        """Return whether there are edges and features."""
        return problem.graph.m > 0 and problem.features is not None

    def fit(self, bench: Bench, callback: Callback | None) -> Fitted:
        """Correct and smooth the answers of each part."""
        S = normalize(bench.problem.graph.adjacency)
        smoothed: list[np.ndarray] = []
        before = None
        for F in self.corrected(bench, S):
            smoothed.append(smoothed[-1] if F is before else logits_of(spread(S, F, SMOOTHING)))
            before = F
        return Fitted(np.stack(smoothed))

    def corrected(self, bench: Bench, S: sparse.csr_array) -> Iterator[np.ndarray]:
        """Yield what is smoothed, (n, classes) for each run; S is the normalised adjacency matrix.

        Runs in a row that learn from the same nodes share it, if the other candidate says the same.
        """
        calibration, problem = bench.calibrate(self.prior), bench.problem
        before, found = None, None
        for (known, _), logits in zip(bench.parts.runs, bench.done[self.prior].logits, strict=True):
            same = before is not None and known is before[0] and np.array_equal(logits, before[1])
            if found is None or not same:
                found = correct(S, calibration(logits), one_hot(problem, known), known)
            before = known, logits
            yield found
