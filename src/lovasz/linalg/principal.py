"""Principal components: the directions in which vectors vary most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

OVERSAMPLING = 10
"""Number of vectors beyond those asked for in a subspace iteration."""
SUBSPACE_STEPS = 4
"""Number of steps of a subspace iteration."""
ROUNDING = 1e-10
"""Directions whose singular value is below this share of the largest are taken for rounding."""


def principal_plane(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n, 2) coordinates along the two directions of most variance, and their shares of it.

    The sign of a singular vector is arbitrary; its largest entry is made positive. NaN counts
    as 0. The second coordinate is 0 if the vectors vary in one direction only, up to rounding.
    """
    points = np.nan_to_num(np.asarray(vectors, dtype=float).reshape(len(vectors), -1))
    points = np.pad(points, ((0, 0), (0, max(0, 2 - points.shape[1]))))
    centred = points - points.mean(axis=0)
    _, singular, axes = np.linalg.svd(centred, full_matrices=False)
    directions = np.zeros((2, points.shape[1]))
    directions[: len(axes[:2])] = axes[:2]
    directions[: len(axes[:2])][singular[:2] <= ROUNDING * singular[0]] = 0
    largest = np.abs(directions).argmax(axis=1)
    directions *= np.where(directions[[0, 1], largest] < 0, -1, 1)[:, None]
    share = np.zeros(2)
    share[: len(singular[:2])] = singular[:2] ** 2 / max(float((singular**2).sum()), 1e-300)
    return centred @ directions.T, share


@dataclass(frozen=True)
class PrincipalAxes:
    """The main directions of the rows of a matrix, and where their centre is."""

    centre: np.ndarray
    """(d,) coordinates of the mean row."""
    directions: np.ndarray
    """(columns, d) orthonormal directions, the one of most variance first."""

    @classmethod
    def of(cls, rows: Any, d: int) -> PrincipalAxes:
        """Return the d main directions of a dense or sparse matrix, or fewer if it has fewer.

        The rows are centred, without making a sparse matrix dense. Above ``d + OVERSAMPLING`` rows
        or columns the directions come from a randomised subspace iteration (Halko, Martinsson and
        Tropp, 2011) that starts from the same vectors in every run; its time is linear in the
        entries.
        """
        X = rows.astype(np.float64)
        mean = np.asarray(X.mean(axis=0)).ravel()
        width = d + OVERSAMPLING
        if min(X.shape) <= width:
            basis = np.eye(X.shape[1])
            dense = X.toarray() if sparse.issparse(X) else X
            left, _, axes = np.linalg.svd(dense - mean, full_matrices=False)
        else:
            basis = np.random.default_rng(0).standard_normal((X.shape[1], width))
            for _ in range(SUBSPACE_STEPS):
                basis, _ = np.linalg.qr(X @ basis - mean @ basis)
                basis, _ = np.linalg.qr(X.T @ basis - np.outer(mean, basis.sum(axis=0)))
            left, _, axes = np.linalg.svd(X @ basis - mean @ basis, full_matrices=False)
        directions = basis @ axes[:d].T
        largest = np.abs(left[:, :d]).argmax(axis=0)
        directions *= np.where(left[largest, np.arange(len(largest))] < 0, -1, 1)
        return cls(mean @ directions, directions)

    def __call__(self, rows: Any) -> np.ndarray:
        """Return (n, d) coordinates of rows of as many columns, dense or sparse.

        >>> rows = np.array([[0.0, 3.0], [0.0, -3.0]])
        >>> PrincipalAxes.of(rows, 1)(rows).round(6).tolist()
        [[3.0], [-3.0]]
        """
        return np.asarray(rows.astype(np.float64) @ self.directions - self.centre)
