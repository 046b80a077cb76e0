"""The Schur matrix of the interior-point method, assembled by compiled code."""

from __future__ import annotations

import numpy as np
from numba import njit

RIDGE = 1e-15
"""First relative increase of the diagonal; a hundred times more after each failed Cholesky."""


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


def schur(pairs: Pairs, W: np.ndarray, V: np.ndarray, out: np.ndarray) -> None:
    """Lower triangle of O_pq = tr(B_p W B_q V), for p = (i, j) and q = (k, l)

    O_pq = W_ik V_jl + W_il V_jk + V_ik W_jl + V_il W_jk.

    Where ``out`` is stored by columns it is filled so.
    """
    by_columns = not out.flags.c_contiguous
    W, V = np.ascontiguousarray(W), np.ascontiguousarray(V)
    _fill(pairs.first, pairs.second, W, V, out.T if by_columns else out, by_columns)


@njit(cache=True)
def _fill(first, second, W, V, out, upper):
    for p in range(first.size):
        i, j = first[p], second[p]
        # Four rows that stay in the cache while q runs; slices, so that q counts from 0.
        Wi, Wj, Vi, Vj = W[i], W[j], V[i], V[j]
        start, stop = (p, first.size) if upper else (0, p + 1)
        row, ks, ms = out[p, start:stop], first[start:stop], second[start:stop]
        for q in range(stop - start):
            k, m = ks[q], ms[q]
            row[q] = Wi[k] * Vj[m] + Wi[m] * Vj[k] + Vi[k] * Wj[m] + Vi[m] * Wj[k]
