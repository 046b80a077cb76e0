"""Cholesky factorisation of sparse symmetric matrices whose factors fill up.

Nodes without an edge between them are eliminated at once, those of low degree first, by products
of sparse matrices. What is left when the rest has filled up is factored by LAPACK. So the sparse
part is sparse, and the dense part runs at the speed of dense matrices.

*Rounding.* With the rows in the order of elimination, every entry of the computed factor R comes
from s_ij = a_ij − Σ_{k<i} r_ki r_kj, summed in some order, as r_ii = √s_ii or r_ij = s_ij (1/r_ii);
only one of s_ij and s_ji is computed. That takes at most n + 1 roundings on the way of any term,
so |A − RᵀR| ≤ γ |R|ᵀ|R| entry by entry with γ = γ_{n+2} (Higham, *Accuracy and Stability of
Numerical Algorithms*, lemma 8.4 and theorem 10.3). The squares of a column of R add up to at most
a_jj/(1 − γ), so by Cauchy and Schwarz the norm of the difference is at most γ/(1 − γ) tr A. Hence
A ⪰ −γ/(1 − γ) tr A · I whenever the factorisation runs to completion, as in Rump, *Verification of
positive definiteness* (BIT 2006). Nothing depends on which rows are eliminated together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from scipy import sparse

from lovasz.base.memory import free_memory
from lovasz.number.solvers.contract import unlimited

FULL = 0.05
"""Share of entries from which the rest is factored as a dense matrix."""
SMALL = 300
"""Number of rows up to which the rest is factored as a dense matrix."""
SPARSE_RATE = 5e7
"""Products of two numbers per second that a product of sparse matrices is expected to do."""
DENSE_RATE = 1e10
"""The same for a dense factorisation."""
STAGES_AHEAD = 10
"""Number of stages like the present one that are expected before the rest is dense, at most."""
MEMORY_SHARE = 0.8
"""Largest share of the free memory that the dense rest may take."""


class NotPositive(ArithmeticError):
    """A pivot is not positive."""


class TooDear(RuntimeError):
    """The factorisation would take more time or memory than there is."""


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
    """S = L Lᵀ up to rounding, in an order of its own; S is symmetric with nonzero diagonal.

    Raises :class:`NotPositive`, or :class:`TooDear` where the next part of the work is expected
    to take more seconds than ``left()``.
    """

    def __init__(self, S: sparse.csr_array, left: Callable[[], float] = unlimited) -> None:
        self.stages: list[Stage] = []
        rng = np.random.default_rng(0)
        while True:
            n, diagonal = S.shape[0], S.diagonal()
            if not ((diagonal > 0) & np.isfinite(diagonal)).all():
                raise NotPositive
            if n <= SMALL or S.nnz >= FULL * n**2:
                break
            S = self._eliminate(S, diagonal, independent_rows(S, rng), left)
        if not affordable(n, left):
            raise TooDear
        dense = S.toarray(order="F")
        self.dense, info = scipy.linalg.lapack.dpotrf(dense, lower=1, overwrite_a=1, clean=0)
        pivots = np.diag(self.dense)
        # Some libraries let NaN pass. A NaN or ∞ anywhere in a row would reach its pivot.
        if info != 0 or not ((pivots > 0) & np.isfinite(pivots)).all():
            raise NotPositive

    def _eliminate(
        self,
        S: sparse.csr_array,
        diagonal: np.ndarray,
        mask: np.ndarray,
        left: Callable[[], float],
    ) -> sparse.csr_array:
        chosen, rest = np.flatnonzero(mask), np.flatnonzero(~mask)
        counts = np.diff(S.indptr)[chosen].astype(np.float64)
        if float(counts @ counts) + S.nnz > SPARSE_RATE * left():
            raise TooDear
        # Stages get smaller, so what is left after a few more like this one becomes dense.
        if not affordable(len(rest) - STAGES_AHEAD * len(chosen), left):
            raise TooDear
        pivots = np.sqrt(diagonal[chosen])
        with np.errstate(over="ignore"):
            inverse = 1 / pivots
        R = sparse.csr_array(sparse.diags_array(inverse) @ S[chosen][:, rest])
        self.stages.append(Stage(chosen, rest, pivots, R))
        lower = sparse.tril(S[rest][:, rest] - R.T @ R, format="csr")
        # The upper triangle is a copy of the lower one, so rounding cannot make it asymmetric.
        return sparse.csr_array(lower + sparse.tril(lower, k=-1).T)

    def solve(self, b: np.ndarray) -> np.ndarray:
        """Return x with S x = b up to rounding."""
        halves = []
        for stage in self.stages:
            half = b[stage.chosen] / stage.pivots
            halves.append(half)
            b = b[stage.rest] - stage.R.T @ half
        x: np.ndarray = scipy.linalg.cho_solve((self.dense, True), b)
        for stage, half in zip(reversed(self.stages), reversed(halves), strict=True):
            whole = np.empty(len(stage.chosen) + len(stage.rest))
            whole[stage.rest] = x
            whole[stage.chosen] = (half - stage.R @ x) / stage.pivots
            x = whole
        return x


def affordable(n: int, left: Callable[[], float]) -> bool:
    """Whether there are time and memory for a dense factorisation of n rows."""
    if n <= 0:
        return True
    fits = n <= SMALL or 8 * n**2 <= MEMORY_SHARE * free_memory()
    return fits and n**3 / 3 <= DENSE_RATE * left()


def independent_rows(S: sparse.csr_array, rng: np.random.Generator) -> np.ndarray:
    """A mask of rows without an entry between them, which have fewer entries than their neighbours.

    Ties are broken at random. The diagonal of S has no zeros.
    """
    n = S.shape[0]
    degree = np.diff(S.indptr)
    rank = np.empty(n, dtype=np.int64)
    rank[np.lexsort((rng.random(n), degree))] = np.arange(n)
    others = np.where(S.indices == np.repeat(np.arange(n), degree), n, rank[S.indices])
    return np.asarray(rank < np.minimum.reduceat(others, S.indptr[:-1]))
