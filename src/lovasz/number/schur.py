"""The Schur matrix of the interior-point method: built in one block a node, factored in place."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy import linalg, sparse

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

    def combine(self, values: np.ndarray) -> np.ndarray:
        """Σ_p values_p B_p."""
        half = np.zeros((self.n, self.n))
        half[self.first, self.second] = values
        return half + half.T

    def measure(self, matrix: np.ndarray) -> np.ndarray:
        """⟨B_p, M⟩ = 2 M_ij of a symmetric M."""
        return 2 * matrix[self.first, self.second]

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


class Cholesky:
    """L Lᵀ = O + diag(stiff) + ρ b bᵀ in the memory of O, with as little ridge as makes it work.

    b = tr B_p, and ρ > 0 where diagonal places are among the pairs. Then bᵀv = r₀ is one of the
    equations, so that adding ρ b r₀ on the right changes nothing. But O itself is nearly
    singular: along dU = U it has the energy tr(U W U V) = ⟨U, V⟩, the gap.
    """

    def __init__(
        self, pairs: Pairs, W: np.ndarray, V: np.ndarray, memory: np.ndarray, stiff: np.ndarray
    ) -> None:
        places = np.flatnonzero(pairs.first == pairs.second)
        ridge = RIDGE
        while True:
            schur(pairs, W, V, memory)
            diagonal = np.einsum("ii->i", memory)
            self.weight = diagonal[places].mean() / (4 * places.size) if places.size else 0.0
            memory[np.ix_(places, places)] += 4 * self.weight
            diagonal += stiff
            diagonal *= 1 + ridge
            try:
                # Row-major lower is column-major upper: LAPACK works on the transposed view.
                self._factor = linalg.cho_factor(
                    memory.T, lower=False, overwrite_a=True, check_finite=False
                )
                return
            except linalg.LinAlgError:
                ridge *= 100
                if ridge > 1e-6:
                    raise

    def solve(self, right: np.ndarray) -> np.ndarray:
        """(O + diag(stiff) + ρ b bᵀ)⁻¹ right."""
        if right.size == 0:
            return right.copy()
        return linalg.cho_solve(self._factor, right, check_finite=False)
