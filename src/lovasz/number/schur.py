"""The Schur matrix of the interior-point method: built in one block a node, factored in place."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy import sparse

GATHER = 200
"""Up to so many pairs the matrix is gathered at once: fewer calls, more temporaries."""
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
        self.starts = np.searchsorted(self.first, np.arange(n + 1))

    def __len__(self) -> int:
        return self.first.size

    @cached_property
    def _columns(self) -> tuple[np.ndarray, np.ndarray]:
        """(size, 4) places in a row of [V; W] and in a row of [W, V] that belong to each pair."""
        k, m = self.first, self.second
        return (
            np.stack([m, k, self.n + m, self.n + k], axis=1).astype(np.int32),
            np.stack([k, m, self.n + k, self.n + m], axis=1),
        )


def schur(pairs: Pairs, W: np.ndarray, V: np.ndarray, out: np.ndarray) -> None:
    """Lower triangle of O_pq = tr(B_p W B_q V), for p = (i, j) and q = (k, l)

        O_pq = W_ik V_jl + W_il V_jk + V_ik W_jl + V_il W_jk.

    For one node i, the columns (i, j) of all j together are a sparse matrix, four entries a row q,
    times the columns j of V and W stacked: compiled code does all but a loop over the nodes.
    """
    if len(pairs) <= GATHER:
        i, j = pairs.first, pairs.second
        Wi, Wj, Vi, Vj = W[i], W[j], V[i], V[j]
        cross = Wi[:, j] * Vj[:, i]
        np.multiply(Wi[:, i], Vj[:, j], out=out)
        out += Vi[:, i] * Wj[:, j]
        out += cross
        out += cross.T
        return
    size, n = len(pairs), pairs.n
    stacked, beside = np.vstack([V, W]), np.hstack([W, V])
    indices, places = pairs._columns
    pointers = np.arange(0, 4 * size + 1, 4, dtype=np.int32 if size < 2**29 else np.int64)
    for node in range(n):
        a, b = pairs.starts[node], pairs.starts[node + 1]
        if a == b:
            continue
        entries = (beside[node][places[a:]].ravel(), indices[a:].ravel(), pointers[: size - a + 1])
        left = sparse.csr_array(entries, shape=(size - a, 2 * n))
        out[a:, a:b] = left @ stacked[:, pairs.second[a:b]]
