"""Multinomial logistic regression, with its penalty chosen by labels that are left out.

The logits Z = X W + 1 bᵀ of the rows X of a table minimise

    −Σ_i log softmax(Z_i)[y_i] + λ/2 ‖W‖² s,

where i runs over the labelled rows and s is the total variance of the table. The best W is made of
labelled rows, so with Φ Φᵀ = X_L X_Lᵀ / s only W's coordinates along Φ are unknown, and wide tables
cost no more than narrow ones. λ is the value under which labels that were left out are most likely.
Regression on 0 and 1 (:mod:`lovasz.classify.ridge`) is no substitute where a row moves linearly
between ordered classes: no linear score is largest for a class in the middle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

from lovasz.classify.ridge import align, choose_landmarks, total_variance

PENALTIES = (3.0, 0.5, 0.1, 0.02, 0.004, 0.0008)
"""The values of λ that are tried, in this order: each fit starts at the one before."""
WORSE = 1.05
"""No smaller λ is tried once the surprise is this many times the least one."""
CONSTANT = 10.0
"""The column of ones times this: the larger, the less a shift of all logits costs."""
FOLDS = 5
"""Number of groups that labels are left out in."""
ENOUGH = 200
"""Groups are left out until at least this many labels have been."""
TOLERANCE = 1e-6
"""Relative change of the objective at which a fit stops."""
STEPS = 200
"""Largest number of steps of a fit."""


@dataclass(frozen=True)
class Logistic:
    """A fitted model, which gives logits to rows."""

    slope: np.ndarray
    """(d, classes) weights W."""
    shift: np.ndarray
    """(classes,) what is added."""
    surprise: float
    """The mean of −log of the probability of a label that was left out."""

    @classmethod
    def of(cls, table: Any, labelled: np.ndarray, codes: np.ndarray, classes: int) -> Logistic:
        """Fit the classes ``codes`` of the rows ``labelled`` of a table, dense or sparse.

        >>> table = np.array([[0.0], [0.1], [1.0], [1.1], [2.0], [2.1]])
        >>> model = Logistic.of(table, np.arange(6), np.array([0, 0, 1, 1, 2, 2]), 3)
        >>> model(table).argmax(axis=1).tolist()
        [0, 0, 1, 1, 2, 2]
        """
        variance = total_variance(table)
        landmarks, whiten = choose_landmarks(table, labelled, variance, align)
        known = align(table[labelled].astype(np.float64), landmarks, variance) @ whiten
        phi = np.column_stack([known, np.full(len(labelled), CONSTANT)])
        B, surprise = choose_penalty(phi, np.eye(classes)[codes])
        slope = np.asarray(landmarks.T @ (whiten @ B[:-1])) / variance
        return cls(slope, CONSTANT * B[-1], surprise)

    def __call__(self, table: Any) -> np.ndarray:
        """Return (n, classes) logits of the rows of a table."""
        return np.asarray(table @ self.slope + self.shift)


def choose_penalty(phi: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the weights B with the λ of the least surprise, and that surprise.

    Y is one-hot. Labels are dealt to groups class by class, and are judged by weights that were
    fitted to the other groups.
    """
    group = np.empty(len(Y), dtype=np.int64)
    group[np.argsort(Y.argmax(axis=1), kind="stable")] = np.arange(len(Y)) % FOLDS
    used = min(FOLDS, -(-ENOUGH * FOLDS // len(Y)), len(Y))
    weights = [np.zeros((phi.shape[1], Y.shape[1])) for _ in range(used)]
    surprises: list[float] = []
    for penalty in PENALTIES:
        total = count = 0.0
        for number in range(used):
            out = group == number
            weights[number] = fit(phi[~out], Y[~out], penalty, weights[number])
            total -= float((log_softmax(phi[out] @ weights[number], axis=1) * Y[out]).sum())
            count += int(out.sum())
        surprises.append(total / count)
        if surprises[-1] > WORSE * min(surprises):
            break
    best = int(np.argmin(surprises))
    return fit(phi, Y, PENALTIES[best], np.mean(weights, axis=0)), surprises[best]


def fit(phi: np.ndarray, Y: np.ndarray, penalty: float, start: np.ndarray) -> np.ndarray:
    """Return the weights B that minimise −Σ Y log softmax(Φ B) + λ/2 ‖B‖².

    The Hessian along a column φ of Φ is at most ‖φ‖²/2 + λ (Böhning, 1992). The search runs in
    coordinates in which a quarter of ‖φ‖² and λ make one, so columns of any size take few steps.
    """
    scale = 1 / np.sqrt((phi**2).sum(axis=0) / 4 + penalty)[:, None]
    scaled, lengths = phi * scale.T, penalty * scale**2

    def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
        C = flat.reshape(start.shape)
        logs = log_softmax(scaled @ C, axis=1)
        shrunk = lengths * C
        value = 0.5 * float((shrunk * C).sum()) - float((Y * logs).sum())
        return value, (scaled.T @ (np.exp(logs) - Y) + shrunk).ravel()

    found = minimize(
        objective, (start / scale).ravel(), jac=True, method="L-BFGS-B",
        options={"maxiter": STEPS, "ftol": TOLERANCE, "gtol": 0.0},
    )  # fmt: skip
    return np.asarray(found.x.reshape(start.shape) * scale)
