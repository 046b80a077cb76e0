"""Kernel ridge regression on the classes of labelled rows, with its penalty chosen by themselves.

Rows x and x' of a table are as similar as k(x, x') = mean over w of exp(−‖x − x'‖² / (w s)), where
s is the total variance of the table and w runs over ``WIDTHS``. With Φ the table of similarities to
``LANDMARKS`` labelled rows, whitened, and a column of ones, the scores F = Φ B minimise

    ‖Φ_L B − Y‖² + λ ‖B‖²,

where L are the labelled rows and Y has 1 − 1/c at the class of a row and −1/c elsewhere. What F
would say at a labelled row without it is known in closed form for every λ, so λ and the factor that
turns scores into logits are those under which the labels, each left out once, are most likely.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import log_softmax

WIDTHS = (1 / 3, 1.0, 3.0)
"""Squared widths of the similarity, in units of the total variance of the table."""
LANDMARKS = 500
"""Largest number of labelled rows that others are compared with, unless the caller says."""
PENALTIES = tuple(10.0**power for power in np.arange(-3, 1.5, 0.5))
"""The values of λ that are tried."""
SHARPNESS = (1.0, 2.0, 4.0, 8.0, 16.0)
"""The factors between scores and logits that are tried."""
CONSTANT = 3.0
"""The column of ones times this: the larger, the less a shift of all scores costs."""
BAND = 512
"""Number of rows whose similarities are computed at a time: few enough that those to ``LANDMARKS``
rows stay in the cache of the processor, which halves the time."""
LEAST_LEFT = 1e-9
"""Lower bound of the share of a row that others do not explain."""


@dataclass(frozen=True)
class Ridge:
    """A fitted model, which gives logits to rows."""

    landmarks: Any
    """(l, d) rows that others are compared with, dense or sparse as the table."""
    variance: float
    """The total variance of the table."""
    weights: np.ndarray
    """(l, classes) weights of the similarities."""
    shift: np.ndarray
    """(classes,) what is added."""
    surprise: float
    """The mean of −log of the probability of a label that was left out."""

    @classmethod
    def of(
        cls,
        table: Any,
        labelled: np.ndarray,
        codes: np.ndarray,
        classes: int,
        *,
        most: int | None = None,
    ) -> Ridge:
        """Fit the classes ``codes`` of the rows ``labelled`` of a table, dense or sparse.

        ``most`` is the largest number of landmarks, by default ``LANDMARKS``.

        >>> table = np.array([[0.0], [0.1], [1.0], [1.1], [0.05]])
        >>> model = Ridge.of(table, np.arange(4), np.array([0, 0, 1, 1]), 2)
        >>> int(model(table)[4].argmax())
        0
        """
        variance = total_variance(table)
        landmarks, whiten = choose_landmarks(table, labelled, variance, approach, most)
        known = approach(table[labelled].astype(np.float64), landmarks, variance)
        phi = np.column_stack([known @ whiten, np.full(len(labelled), CONSTANT)])
        B, surprise = choose_penalty(phi, codes, classes)
        return cls(landmarks, variance, whiten @ B[:-1], CONSTANT * B[-1], surprise)

    def __call__(self, table: Any) -> np.ndarray:
        """Return (n, classes) logits of the rows of a table."""
        n = table.shape[0]
        logits = np.empty((n, len(self.shift)))
        for start in range(0, n, BAND):
            rows = table[start : start + BAND].astype(np.float64)
            similar = approach(rows, self.landmarks, self.variance)
            logits[start : start + BAND] = similar @ self.weights + self.shift
        return logits


def total_variance(table: Any) -> float:
    """Return the sum of the variances of the columns, or 1 if that is 0."""
    if sparse.issparse(table):
        mean = np.asarray(table.mean(axis=0)).ravel()
        square = float((table.data.astype(np.float64) ** 2).sum()) / table.shape[0]
        variance = float(square - (mean**2).sum())
        return variance if variance > 1e-12 * square else 1.0  # the rest is rounding
    return float(table.var(axis=0, dtype=np.float64).sum()) or 1.0


def choose_landmarks(
    table: Any,
    labelled: np.ndarray,
    variance: float,
    similarity: Callable[[Any, Any, float], np.ndarray],
    most: int | None = None,
) -> tuple[Any, np.ndarray]:
    """Return at most so many labelled rows, and the matrix T that whitens similarities.

    With k the similarities of any rows to the landmarks, the products of rows of k T are the
    similarities of the rows to each other, exactly so for the landmarks.
    """
    chosen, most = labelled, LANDMARKS if most is None else most
    if len(labelled) > most:  # evenly, so that the answer does not depend on a seed
        chosen = labelled[np.linspace(0, len(labelled) - 1, most).round().astype(int)]
    landmarks = table[chosen].astype(np.float64)
    values, vectors = np.linalg.eigh(similarity(landmarks, landmarks, variance))
    used = values > 1e-10 * max(values[-1], 1e-10)
    return landmarks, vectors[:, used] / np.sqrt(values[used])


def align(rows: Any, others: Any, variance: float) -> np.ndarray:
    """Return the (rows, others) products x·x' / s."""
    products = rows @ others.T
    products = products.toarray() if sparse.issparse(products) else products
    return np.asarray(products / variance)


def approach(rows: Any, others: Any, variance: float) -> np.ndarray:
    """Return the (rows, others) similarities that fall with the distance."""
    products = align(rows, others, variance)
    square = square_lengths(rows, variance)[:, None] + square_lengths(others, variance)
    distance = np.maximum(square - 2 * products, 0)
    return np.asarray(sum(np.exp(-distance / width) for width in WIDTHS) / len(WIDTHS))


def square_lengths(rows: Any, variance: float) -> np.ndarray:
    """Return (rows,) the products x·x / s of rows with themselves."""
    squares = rows.multiply(rows) if sparse.issparse(rows) else rows**2
    return np.asarray(squares.sum(axis=1)).ravel() / variance


def choose_penalty(phi: np.ndarray, codes: np.ndarray, classes: int) -> tuple[np.ndarray, float]:
    """Return the weights B, times the factor for logits, with the least surprise, and that."""
    Y = np.eye(classes)[codes] - 1 / classes
    values, vectors = np.linalg.eigh(phi.T @ phi)
    values = np.maximum(values, 0)
    turned = phi @ vectors
    target = turned.T @ Y
    best, surprise = np.zeros((phi.shape[1], classes)), np.inf
    for penalty in PENALTIES:
        shrunk = target / (values + penalty)[:, None]
        left = 1 - (turned**2) @ (1 / (values + penalty))
        without = Y - (Y - turned @ shrunk) / np.maximum(left, LEAST_LEFT)[:, None]
        for factor in SHARPNESS:
            said = log_softmax(factor * without, axis=1)[np.arange(len(codes)), codes]
            if -said.mean() < surprise:
                surprise, best = float(-said.mean()), factor * vectors @ shrunk
    return best, surprise
