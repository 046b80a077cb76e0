"""What the features of nodes say about their classes, learned from soft classes of all nodes.

The model is one Gaussian per class with a common covariance matrix (linear discriminant analysis):

    log P(x_i | class a) = x_iᵀ S⁻¹ m_a − ½ m_aᵀ S⁻¹ m_a + a number that is the same for all a.

Every node counts for a class as much as it is believed to belong to it. So unlabelled nodes count
too, and the means m_a become as exact as if all classes were known, which a model that is trained
on few labels cannot reach (Nigam et al., 2000; for block models Deshpande et al., 2018).
"""

from __future__ import annotations

import numpy as np

MEAN_NODES = 3.0
"""Strength of the prior of a class mean, which is the mean of all nodes, in nodes."""
COVARIANCE_NODES = 100.0
"""Strength of the prior of the covariance, which is a multiple of the identity, in nodes."""
LEAST_SPREAD = 1e-3
"""Lower bound of the variance within classes, as a share of the variance of all nodes."""


class GaussianEvidence:
    """The log-likelihoods of the classes of every node, given (n, d) dense features.

    Columns should be on a common scale, because the covariance is drawn towards a multiple of the
    identity. A rotation of the columns changes nothing.

    >>> rows = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> state = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 1.0]])  # two are unknown
    >>> GaussianEvidence(rows)(state).argmax(axis=1).tolist()
    [0, 0, 1, 1]
    """

    def __init__(self, features: np.ndarray) -> None:
        rows = np.asarray(features, dtype=np.float64)
        self.rows = rows - rows.mean(axis=0)
        self.spread = float((self.rows**2).mean()) if self.rows.size else 0.0

    def __call__(self, state: np.ndarray) -> np.ndarray:
        """Return (n, classes) log-likelihoods, up to a number per node.

        ``state`` is (n, classes): how much each node counts for each class, nothing at all for a
        row of zeros.
        """
        if self.spread == 0:  # all nodes are alike
            return np.zeros(state.shape)
        size, total = state.sum(axis=0), state.T @ self.rows
        means = total / (size + MEAN_NODES)[:, None]
        weight, d = state.sum(axis=1), self.rows.shape[1]
        cross = total.T @ means
        scatter = (self.rows * weight[:, None]).T @ self.rows
        scatter += means.T @ (means * size[:, None]) - cross - cross.T
        nodes = max(float(size.sum()), 1.0)
        usual = max(float(np.trace(scatter)) / (nodes * d), LEAST_SPREAD * self.spread)
        scatter += COVARIANCE_NODES * usual * np.eye(d)
        slopes = np.linalg.solve(scatter / (nodes + COVARIANCE_NODES), means.T)
        return np.asarray(self.rows @ slopes - (means.T * slopes).sum(axis=0) / 2)
