"""Which nodes tell the most about all others: greedy experimental design on vectors of nodes.

Every node v has a unit vector z_v, and its unknown label is a Gaussian with covariance K = Z Zᵀ. A
label of node c with noise σ² lowers the variance at v by K_vc² / (K_cc + σ²). Nodes are chosen one
by one so that Σ_v w_v Var(v) falls the most (V-optimal design: Yu, Bi and Tresp, 2006); with
w = 1 that is blind to labels, and with w the uncertainty of a model it goes where the model errs.
After each choice K is replaced by its posterior, so a batch does not repeat itself.

Only the (d, d) posterior of the weights is updated, so one choice takes O(nd) time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

NOISE = 1.0
"""Variance of the noise of one label, in units of the prior variance of a node."""


@dataclass
class Design:
    """The state of the greedy choice."""

    vectors: np.ndarray
    """(n, d) unit vectors, zero for nodes about which nothing is known."""
    weights: np.ndarray
    """(n,) how much the variance of each node counts."""
    noise: float = NOISE

    def __post_init__(self) -> None:
        Z = self.vectors
        self.posterior = np.eye(Z.shape[1])
        self._gram = (Z * self.weights[:, None]).T @ Z
        self.variance = np.einsum("ij,ij->i", Z, Z)
        """(n,) the variance that is left at each node."""
        self._covered = np.einsum("ij,ij->i", Z @ self._gram, Z)
        self.total = max(float(self.weights @ self.variance), 1e-12)
        """The weighted variance before any choice."""

    def gains(self) -> np.ndarray:
        """Return by how much a label of each node would lower the weighted variance."""
        return np.asarray(self._covered / (self.variance + self.noise))

    def observe(self, row: int) -> None:
        """Account for a label of node ``row``."""
        Z = self.vectors
        direction = self.posterior @ Z[row]
        reach = Z @ direction
        step = reach / (self.variance[row] + self.noise)
        image = self._gram @ direction
        # _covered = diag(Z M G M Zᵀ) changes by two products with vectors, because M loses a
        # matrix of rank one.
        self._covered -= step * (2 * (Z @ (self.posterior @ image)) - step * (direction @ image))
        np.maximum(self._covered, 0, out=self._covered)
        self.posterior -= np.outer(direction, direction) / (self.variance[row] + self.noise)
        self.variance = np.maximum(self.variance - step * reach, 0)


def choose_nodes(
    design: Design, k: int, allowed: np.ndarray, must_cover: list[np.ndarray], tie: np.ndarray
) -> list[tuple[int, float]]:
    """Return ``k`` rows with the share of the weighted variance that each settles.

    ``must_cover`` holds sets of rows that need a choice each; when as many sets as choices are
    left, only their members are candidates. ``tie`` orders rows with equal gains.
    """
    allowed = allowed.copy()
    uncovered = [rows for rows in must_cover if allowed[rows].any()]
    found: list[tuple[int, float]] = []
    small = 1e-9 * tie / max(float(np.abs(tie).max(initial=0)), 1.0)
    for left in range(k, 0, -1):
        candidates = allowed
        if uncovered and len(uncovered) >= left:
            candidates = np.zeros_like(allowed)
            candidates[uncovered[0]] = allowed[uncovered[0]]
        gains = design.gains()
        row = int(np.where(candidates, gains + small, -np.inf).argmax())
        found.append((row, float(gains[row]) / design.total))
        design.observe(row)
        allowed[row] = False
        uncovered = [rows for rows in uncovered if row not in rows]
    return found
