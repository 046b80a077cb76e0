"""The principal plane: the two directions in which vectors vary most."""

from __future__ import annotations

import numpy as np


def principal_plane(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n, 2) coordinates along the two directions of most variance, and their shares of it.

    The sign of a singular vector is arbitrary; its largest entry is made positive. NaN counts
    as 0, and vectors with a single entry get a second coordinate of 0.
    """
    points = np.nan_to_num(np.asarray(vectors, dtype=float).reshape(len(vectors), -1))
    points = np.pad(points, ((0, 0), (0, max(0, 2 - points.shape[1]))))
    centred = points - points.mean(axis=0)
    _, singular, axes = np.linalg.svd(centred, full_matrices=False)
    directions = np.zeros((2, points.shape[1]))
    directions[: len(axes[:2])] = axes[:2]
    largest = np.abs(directions).argmax(axis=1)
    directions *= np.where(directions[[0, 1], largest] < 0, -1, 1)[:, None]
    share = np.zeros(2)
    share[: len(singular[:2])] = singular[:2] ** 2 / max(float((singular**2).sum()), 1e-300)
    return centred @ directions.T, share
