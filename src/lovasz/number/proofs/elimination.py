"""Cholesky factorisation of sparse symmetric matrices whose factors fill up.

Nodes without an edge between them are eliminated at once, those of low degree first, by products
of sparse matrices. What is left when the rest has filled up is factored by LAPACK. So the sparse
part is sparse, and the dense part runs at the speed of dense matrices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from scipy import sparse

FULL = 0.15
"""Share of entries from which the rest is factored as a dense matrix."""
SMALL = 300
"""Number of rows up to which the rest is factored as a dense matrix."""


class NotPositive(ArithmeticError):
    """A pivot is not positive."""


@dataclass(frozen=True)
class Stage:
    """One set of nodes that are eliminated at once: [[Diag(p²), p R], [·, ·]]."""

    chosen: np.ndarray
    """Rows that are eliminated, as positions in what was left before."""
    rest: np.ndarray
    """Rows that are left."""
    pivots: np.ndarray
    """Square roots of the diagonal of the chosen rows."""
    R: sparse.csr_array
    """(chosen, rest) part of the factor."""


class Cholesky:
    """S = L Lᵀ up to rounding, in an order of its own; raises :class:`NotPositive`."""

    def __init__(self, S: sparse.csr_array) -> None:
        self.stages: list[Stage] = []
        rng = np.random.default_rng(0)
        while S.shape[0] > SMALL and S.nnz < FULL * S.shape[0] ** 2:
            S = self._eliminate(S, independent_rows(S, rng))
        dense = S.toarray(order="F")
        self.dense, info = scipy.linalg.lapack.dpotrf(dense, lower=1, overwrite_a=1, clean=0)
        if info != 0:
            raise NotPositive

    def _eliminate(self, S: sparse.csr_array, mask: np.ndarray) -> sparse.csr_array:
        chosen, rest = np.flatnonzero(mask), np.flatnonzero(~mask)
        diagonal = S.diagonal()[chosen]
        if not (diagonal > 0).all():
            raise NotPositive
        pivots = np.sqrt(diagonal)
        rows = S[chosen]
        R = sparse.csr_array(sparse.diags_array(1 / pivots) @ rows[:, rest])
        self.stages.append(Stage(chosen, rest, pivots, R))
        left = sparse.tril(S[rest][:, rest] - R.T @ R, format="csr")
        # The upper triangle is a copy of the lower one, so rounding cannot make it asymmetric.
        return sparse.csr_array(left + sparse.tril(left, k=-1).T)

    def solve(self, b: np.ndarray) -> np.ndarray:
        """Return x with S x = b up to rounding."""
        halves = []
        for stage in self.stages:
            half = b[stage.chosen] / stage.pivots
            halves.append(half)
            b = b[stage.rest] - stage.R.T @ half
        x = scipy.linalg.cho_solve((self.dense, True), b)
        for stage, half in zip(reversed(self.stages), reversed(halves), strict=True):
            whole = np.empty(len(stage.chosen) + len(stage.rest))
            whole[stage.rest] = x
            whole[stage.chosen] = (half - stage.R @ x) / stage.pivots
            x = whole
        return x


def independent_rows(S: sparse.csr_array, rng: np.random.Generator) -> np.ndarray:
    """A mask of rows without an entry between them, which have fewer entries than their neighbours.

    Ties are broken at random.
    """
    n = S.shape[0]
    degree = np.diff(S.indptr)
    rank = np.empty(n, dtype=np.int64)
    rank[np.lexsort((rng.random(n), degree))] = np.arange(n)
    others = np.where(S.indices == np.repeat(np.arange(n), degree), n, rank[S.indices])
    return np.asarray(rank < np.minimum.reduceat(others, S.indptr[:-1]))
