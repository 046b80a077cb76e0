"""A first partition of the nodes: k-means on the directions of their vectors, with known labels.

In a block model all nodes of a block have the same direction in the eigenspace, and lengths that
depend on their degrees. So rows are scaled to length one first (Ng, Jordan and Weiss 2002; Qin and
Rohe 2013).
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from lovasz.base.deadline import Deadline
from lovasz.base.extras import needed_for

STARTS = 10
"""Number of k-means restarts below MANY nodes."""
FEW_STARTS = 3
"""Number of k-means restarts from MANY nodes on."""
MANY = 20_000
"""Number of nodes from which k-means has FEW_STARTS restarts."""
ITERATIONS = 300
"""Largest number of iterations of a restart."""
STRIDE = 5
"""Number of iterations between two looks at the clock if there is a time limit."""
START_SECONDS = 1e-8
"""CPU seconds per node, community and dimension that the first centres and STRIDE iterations are
expected to take."""
STEPS = 50
"""Largest number of iterations of k-means with labels."""


def partition_vectors(
    vectors: np.ndarray,
    k: int,
    codes: np.ndarray,
    rng: np.random.Generator,
    deadline: Deadline | None = None,
) -> np.ndarray:
    """A community in 0..k−1 for each row of ``vectors``; rows with ``codes`` ≥ 0 keep their code.

    Without codes this is scikit-learn's k-means. With them its centres are matched to the codes
    of the labelled rows, and the means of the labelled rows are tried as a second start. The
    result with the smaller sum of squares, labelled rows in their places, is kept. If there is no
    time for this before the deadline, rows are put together whose largest entry is the same.
    """
    deadline = Deadline() if deadline is None else deadline
    seed = int(rng.integers(2**31))
    if not deadline.fits(START_SECONDS * len(vectors) * k * vectors.shape[1]):
        largest: np.ndarray = np.abs(vectors[:, :k]).argmax(axis=1)
        return np.where(codes >= 0, codes, largest)
    found = _cluster(vectors, k, seed, deadline)
    labels: np.ndarray = found.labels_.astype(np.int64)
    if not (codes >= 0).any():
        return labels
    matched = _match_centres(labels, found.cluster_centers_, codes)
    means = matched.copy()
    for code in np.unique(codes[codes >= 0]):
        means[code] = vectors[codes == code].mean(axis=0)
    tried = [_settle(vectors, start, codes, deadline) for start in (matched, means)]
    return min(tried, key=lambda pair: pair[1])[0]


def _cluster(vectors: np.ndarray, k: int, seed: int, deadline: Deadline) -> Any:
    """scikit-learn's k-means, the best of the restarts before the deadline."""
    with needed_for("lovasz.communities"):
        from sklearn.cluster import KMeans
        from sklearn.exceptions import ConvergenceWarning

    state, best = np.random.RandomState(seed), None
    steps = STRIDE if deadline.limited else ITERATIONS
    for _ in range(STARTS if len(vectors) < MANY else FEW_STARTS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than k
            found = KMeans(k, n_init=1, max_iter=steps, random_state=state).fit(vectors)
            for _ in range(ITERATIONS // steps - 1):
                if found.n_iter_ < steps or deadline.over():
                    break
                centres = found.cluster_centers_
                found = KMeans(k, init=centres, n_init=1, max_iter=steps).fit(vectors)
        if best is None or found.inertia_ < best.inertia_:
            best = found
        if deadline.over():
            break
    return best


def _match_centres(labels: np.ndarray, centres: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The centres in the order of the codes for which most labelled rows agree."""
    from scipy.optimize import linear_sum_assignment

    known = codes >= 0
    votes = np.zeros((len(centres), len(centres)))
    np.add.at(votes, (codes[known], labels[known]), 1)
    order: np.ndarray = linear_sum_assignment(-votes)[1]
    matched: np.ndarray = centres[order]
    return matched


def _settle(
    vectors: np.ndarray, centres: np.ndarray, codes: np.ndarray, deadline: Deadline
) -> tuple[np.ndarray, float]:
    """Lloyd's iteration with the labelled rows in their places, and the sum of squares."""
    known = codes >= 0
    labels = np.full(len(vectors), -1)
    for _ in range(STEPS):
        before = labels
        distance = (centres**2).sum(axis=1) - 2 * vectors @ centres.T
        labels = np.where(known, codes, distance.argmin(axis=1))
        if (labels == before).all() or deadline.over():
            break
        for code in np.unique(labels):
            centres[code] = vectors[labels == code].mean(axis=0)
    return labels, float(((vectors - centres[labels]) ** 2).sum())


def share_by_distance(vectors: np.ndarray, labels: np.ndarray, k: int) -> np.ndarray:
    """(n, k) shares proportional to exp(−distance² / 2s²), s² the mean within the communities.

    They are no posterior probabilities; they only show which rows lie between two centres.
    """
    centres = np.zeros((k, vectors.shape[1]))
    for code in np.unique(labels):
        centres[code] = vectors[labels == code].mean(axis=0)
    square = (vectors**2).sum(axis=1)[:, None] - 2 * vectors @ centres.T + (centres**2).sum(axis=1)
    scale = max(float(square[np.arange(len(labels)), labels].mean()), 1e-9)
    score: np.ndarray = np.exp((square.min(axis=1, keepdims=True) - square) / (2 * scale))
    score /= score.sum(axis=1, keepdims=True)
    return score
