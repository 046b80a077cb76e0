"""The Schur matrix of the interior-point method."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from lovasz.base.compiled import PLAIN, compiled

RIDGE = 1e-15
"""First relative increase of the diagonal; it grows a hundredfold after each failed Cholesky."""
ASSEMBLIES = 9
"""Number of times that a matrix is assembled, for the choice between NumPy and numba."""
ENTRIES_PER_STEP = 40
"""Number of entries that NumPy assembles in the time of a plain step."""
CELLS = 2**15
"""Number of entries that NumPy assembles at a time."""


class Pairs:
    """The matrices B_p = e_i e_jᵀ + e_j e_iᵀ of pairs p = (i, j), i ≤ j, ordered by i, then j.

    A pair may be a diagonal place: then B_p = 2 e_i e_iᵀ and every formula stays the same.
    """

    def __init__(self, first: np.ndarray, second: np.ndarray, n: int) -> None:
        self.n = n
        self.first = np.asarray(first, dtype=np.int64)
        self.second = np.asarray(second, dtype=np.int64)

    def __len__(self) -> int:
        return self.first.size

    @cached_property
    def few(self) -> bool:
        """Whether there are so few pairs that numba is not worth loading for them."""
        return PLAIN.spend(ASSEMBLIES * len(self) ** 2 / ENTRIES_PER_STEP)


def schur(pairs: Pairs, W: np.ndarray, V: np.ndarray, out: np.ndarray) -> None:
    """Lower triangle of O_pq = tr(B_p W B_q V), for p = (i, j) and q = (k, l)

    O_pq = W_ik V_jl + W_il V_jk + V_ik W_jl + V_il W_jk.

    If ``out`` is stored by columns, it is filled by columns.
    """
    if pairs.few:
        _gather(pairs, W, V, out)
        return
    by_columns = not out.flags.c_contiguous
    W, V = np.ascontiguousarray(W), np.ascontiguousarray(V)
    _fill(pairs.first, pairs.second, W, V, out.T if by_columns else out, by_columns)


def _gather(pairs: Pairs, W: np.ndarray, V: np.ndarray, out: np.ndarray) -> None:
    """Fill the lower triangle with NumPy, some rows at a time, in the order of `_fill`."""
    size, rows = len(pairs), max(1, CELLS // max(1, len(pairs)))
    for start in range(0, size, rows):
        stop = min(start + rows, size)
        i, j = pairs.first[start:stop, None], pairs.second[start:stop, None]
        k, m = pairs.first[:stop], pairs.second[:stop]
        block = W[i, k] * V[j, m]
        block += W[i, m] * V[j, k]
        block += V[i, k] * W[j, m]
        block += V[i, m] * W[j, k]
        out[start:stop, :stop] = block


@compiled
def _fill(
    first: np.ndarray,
    second: np.ndarray,
    W: np.ndarray,
    V: np.ndarray,
    out: np.ndarray,
    upper: bool,
) -> None:
    """Fill the lower triangle, or the upper one, row by row."""
    for p in range(first.size):
        i, j = first[p], second[p]
        # Four rows that stay in the cache while q runs; slices, so that q counts from 0.
        Wi, Wj, Vi, Vj = W[i], W[j], V[i], V[j]
        start, stop = (p, first.size) if upper else (0, p + 1)
        row, ks, ms = out[p, start:stop], first[start:stop], second[start:stop]
        for q in range(stop - start):
            k, m = ks[q], ms[q]
            row[q] = Wi[k] * Vj[m] + Wi[m] * Vj[k] + Vi[k] * Wj[m] + Vi[m] * Wj[k]
