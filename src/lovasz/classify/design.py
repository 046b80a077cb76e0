"""Which nodes tell the most about all others: greedy experimental design on vectors of nodes.

Every node v has a unit vector z_v. Two things are wanted of a set of labels.

- *Information*. The unknown label of a node is a Gaussian with covariance K = Z Zᵀ, and a label of
  node c with noise σ² lowers the variance at v by K_vc² / (K_cc + σ²). The sum Σ_v w_v Var(v)
  should fall the most (V-optimal design: Yu, Bi and Tresp, 2006). K is replaced by its posterior
  after each choice.
- *Coverage*. Every node should be similar to some label: Σ_v w_v max_c max(z_v·z_c, 0) over the
  labelled c should grow the most (facility location).

Nodes are chosen one by one for the greatest sum of both, as shares of what could be had. Neither
part is the better one everywhere (``benchmarks/suggest.txt``): information is on Cora with three or
more labels per class, coverage on Cora and a block model with one, on MNIST always, on Pubmed with
three, ten or twenty, and on Amazon Photo with up to five. The sum is at most 3.4 points behind the
better part there, but up to 10 on MNIST and 8 on Amazon Photo. With w = 1 nothing is known of the
classes; with w the doubt of a model, labels go where it errs. Both are submodular or nearly so, and
a batch does not repeat itself.

One choice takes O(nd) time, because only the (d, d) posterior of the weights is updated, and
coverage is measured on a sample of nodes if the graph is large.
"""

from __future__ import annotations

import numpy as np

NOISE = 1.0
"""Variance of the noise of one label, in units of the prior variance of a node."""
INFORMATION = 10.0
"""How much a share of the variance counts beside a share of the coverage."""
PAIRS = 4 * 10**7
"""Largest number of pairs of a candidate and a node whose similarity is stored."""
LEAST_TARGETS = 2000
"""Coverage is measured on at least this many nodes, if there are as many."""


class Information:
    """The variance that is left, and what a label of each node would take from it."""

    def __init__(self, vectors: np.ndarray, weights: np.ndarray, known: np.ndarray) -> None:
        self.vectors = Z = vectors
        self._gram = (Z * weights[:, None]).T @ Z
        self.total = max(float(weights @ np.einsum("ij,ij->i", Z, Z)), 1e-12)
        """The weighted variance before any label."""
        self.posterior = np.eye(Z.shape[1])
        image = Z
        if len(known):  # all given labels at once, which is faster than one by one
            self.posterior = np.linalg.inv(self.posterior + Z[known].T @ Z[known] / NOISE)
            image = Z @ self.posterior
        self.variance = np.einsum("ij,ij->i", image, Z)
        """(n,) the variance that is left at each node."""
        self._reduction = np.einsum("ij,ij->i", image @ self._gram, image)

    def gains(self) -> np.ndarray:
        """Return the share of the weighted variance that a label of each node would settle."""
        return np.asarray(self._reduction / ((self.variance + NOISE) * self.total))

    def observe(self, row: int) -> None:
        """Account for a label of node ``row``."""
        Z = self.vectors
        direction = self.posterior @ Z[row]
        reach = Z @ direction
        scale = self.variance[row] + NOISE
        step = reach / scale
        image = self._gram @ direction
        # _reduction = diag(Z M G M Zᵀ) changes by products with vectors only, because the
        # posterior M loses a matrix of rank one.
        self._reduction -= step * (2 * (Z @ (self.posterior @ image)) - step * (direction @ image))
        np.maximum(self._reduction, 0, out=self._reduction)
        self.posterior -= np.outer(direction, direction) / scale
        self.variance = np.maximum(self.variance - step * reach, 0)


class Coverage:
    """How similar every node is to some label, and what each candidate would add.

    Gains only fall, so a gain that was computed earlier is an upper bound (lazy greedy: Minoux,
    1978), and few gains are computed anew for a choice.
    """

    def __init__(
        self, vectors: np.ndarray, weights: np.ndarray, candidates: np.ndarray, targets: np.ndarray
    ) -> None:
        self.vectors = vectors
        Z = vectors.astype(np.float32)
        self._similar = np.maximum(Z[candidates] @ Z[targets].T, 0)
        share = weights[targets]
        self._weights = (share / max(float(share.sum()), 1e-12)).astype(np.float32)
        self._targets = Z[targets]
        self._best = np.zeros(len(targets), dtype=np.float32)
        self.bounds = self._similar @ self._weights
        """(candidates,) upper bounds of the gains."""

    def renew(self, candidate: int) -> float:
        """Compute the gain of one candidate, and return it."""
        more = np.maximum(self._similar[candidate] - self._best, 0)
        self.bounds[candidate] = more @ self._weights
        return float(self.bounds[candidate])

    def observe(self, row: int) -> None:
        """Account for a label of node ``row``."""
        alike = self._targets @ self.vectors[row].astype(np.float32)
        np.maximum(self._best, alike, out=self._best)


def choose_nodes(
    vectors: np.ndarray,
    weights: np.ndarray,
    k: int,
    *,
    known: np.ndarray,
    allowed: np.ndarray,
    must_cover: list[np.ndarray],
    seed: int,
    share: float = INFORMATION,
) -> list[tuple[int, float]]:
    """Return ``k`` allowed rows, each with its share of what a set of labels could bring.

    ``known`` rows have a label. ``must_cover`` holds sets of rows that need a choice each: when as
    many of them as choices are left, only their members are candidates. ``share`` is how much
    information counts beside coverage.
    """
    candidates, targets = draw_candidates(allowed, must_cover, k, seed)
    information = Information(vectors, weights, known)
    coverage = Coverage(vectors, weights, candidates, targets)
    for row in known.tolist():
        coverage.observe(row)
    open_ = np.ones(len(candidates), dtype=bool)
    uncovered = [np.isin(candidates, rows) for rows in must_cover]
    found: list[tuple[int, float]] = []
    for left in range(k, 0, -1):
        uncovered = [members for members in uncovered if (members & open_).any()]
        eligible = open_ & uncovered[0] if uncovered and len(uncovered) >= left else open_
        told = share * information.gains()[candidates]
        score = np.where(eligible, coverage.bounds + told, -np.inf)
        while True:
            best = int(score.argmax())
            score[best] = coverage.renew(best) + told[best]
            if score[best] >= score.max():
                break
        row = int(candidates[best])
        found.append((row, float(score[best]) / (1 + share)))
        information.observe(row)
        coverage.observe(row)
        open_[best] = False
        uncovered = [members for members in uncovered if not members[best]]
    return found


def draw_candidates(
    allowed: np.ndarray, must_cover: list[np.ndarray], k: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to choose from and the rows to cover: all, or samples of a large graph."""
    rows, n = np.flatnonzero(allowed), len(allowed)
    if len(rows) * n <= PAIRS:
        return rows, np.arange(n)
    rng = np.random.default_rng(seed)
    targets = np.sort(rng.choice(n, min(n, max(LEAST_TARGETS, PAIRS // len(rows))), replace=False))
    most = max(PAIRS // len(targets), 2 * k)
    if len(rows) <= most:
        return rows, targets
    drawn = [rng.choice(rows, most, replace=False)]
    for part in must_cover:
        members = part[allowed[part]]
        drawn.append(rng.choice(members, min(len(members), max(1, most // n)), replace=False))
    return np.unique(np.concatenate(drawn)), targets
