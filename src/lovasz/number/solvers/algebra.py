"""The few operations in which NumPy and torch differ, for code that runs on both.

A matrix is an ndarray on the :class:`Host` and a float64 tensor on a :class:`Device`. Products,
sums, indexing and ``.T`` are written the same for both and need no help.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.linalg import lapack

from lovasz.linalg import blocks
from lovasz.linalg.blocks import BLOCK
from lovasz.linalg.eigenvalues import lanczos_largest, start_vector
from lovasz.number.solvers.schur import Pairs, schur

EXACT_UP_TO = 200
"""Rows up to which an extreme eigenvalue is found by LAPACK."""
CELLS = 2**27
"""Entries of the temporaries of its assembly there (1 GB each)."""


class Host:
    """NumPy and SciPy."""

    def put(self, array: np.ndarray) -> Any:
        """The array where the work is done."""
        return array

    def get(self, matrix: Any) -> np.ndarray:
        """And back."""
        return matrix

    def set_diagonal(self, matrix: Any, values: Any) -> None:
        """Overwrite the diagonal."""
        matrix.flat[:: len(matrix) + 1] = values

    def cholesky(self, matrix: Any) -> Any:
        """Lower L with L Lᵀ = matrix; raises LinAlgError."""
        # For LAPACK, which reads by columns, a row-major matrix is its transpose.
        upper, info = lapack.dpotrf(matrix.T, lower=0)
        if info:
            raise linalg.LinAlgError("not positive definite")
        return upper.T

    def inverse(self, root: Any) -> Any:
        """(L Lᵀ)⁻¹."""
        half, _ = lapack.dtrtri(root.T, lower=0)
        return half @ half.T

    def solve_lower(self, root: Any, right: Any, transposed: bool = False) -> Any:
        """L⁻¹ right, or L⁻ᵀ right."""
        return lapack.dtrtrs(root.T, right, lower=0, trans=int(not transposed))[0]

    def times_sparse(self, W: Any, S: Any) -> Any:
        """W S of symmetric matrices, S mostly zeros."""
        return (sparse.csr_array(S) @ W).T

    def smallest(self, matrix: Any) -> float:
        """λ_min of a symmetric matrix, to a few digits for large ones, rather too low."""
        n = len(matrix)
        if n <= EXACT_UP_TO:
            return float(lapack.dsyevr(matrix, compute_v=0, range="I", il=1, iu=1)[0][0])
        value, residual, _ = lanczos_largest(
            lambda v: -(matrix @ v), self.put(start_vector(n)), tol=3e-3, most=80
        )
        return -value - residual

    def schur_memory(self, size: int) -> Any:
        """Room for a matrix of this order, used again in every iteration."""
        # LAPACK factors a lower triangle stored by columns a tenth to a quarter faster.
        return np.empty((size, size), order="F" if size <= BLOCK else "C")

    def schur_factor(
        self,
        pairs: Pairs,
        W: Any,
        V: Any,
        memory: Any,
        places: np.ndarray,
        ridge: float,
        stiff: Any = None,
    ) -> tuple[Any, float]:
        """A factor of O + diag(stiff) + ρ b bᵀ, and ρ; in ``memory``.

        The diagonal is raised by ``ridge``, relatively.
        """
        self._assemble(pairs, W, V, memory)
        diagonal, weight = self._diagonal(memory), 0.0
        if places.size:
            at = self.put(places)
            weight = float(diagonal[at].mean()) / (4 * places.size)
            for row in range(0, places.size, BLOCK):
                memory[at[row : row + BLOCK, None], at] += 4 * weight
        if stiff is not None:
            diagonal += stiff
        diagonal *= 1 + ridge
        self._factor(memory)
        return memory, weight

    def _assemble(self, pairs: Pairs, W: Any, V: Any, out: Any) -> None:
        """The lower triangle of O."""
        schur(pairs, W, V, out)

    def _diagonal(self, matrix: Any) -> Any:
        """A view that can be written to."""
        return np.einsum("ii->i", matrix)

    def _factor(self, matrix: Any) -> None:
        """Cholesky in place, in the lower triangle."""
        if len(matrix) > 2 * BLOCK:
            blocks.factor(matrix, self.cholesky, self.solve_lower)
            return
        by_columns = matrix.flags.f_contiguous
        columns = matrix if by_columns else matrix.T
        if lapack.dpotrf(columns, lower=by_columns, clean=0, overwrite_a=1)[1]:
            raise linalg.LinAlgError("not positive definite")

    def schur_solve(self, factor: Any, right: Any) -> Any:
        """The solution of factor · factorᵀ x = right."""
        if len(factor) <= BLOCK:
            return lapack.dpotrs(factor, right, lower=1)[0]
        return blocks.solve(factor, right, self.solve_lower)


class Device(Host):
    """torch, on a GPU; see :class:`Host` for what the methods promise."""

    def __init__(self, device: Any) -> None:
        import torch

        self.torch, self.device = torch, device

    def put(self, array: np.ndarray) -> Any:  # noqa: D102
        return self.torch.as_tensor(array, device=self.device)

    def get(self, matrix: Any) -> np.ndarray:  # noqa: D102
        return matrix.cpu().numpy()

    def set_diagonal(self, matrix: Any, values: Any) -> None:  # noqa: D102
        matrix.diagonal()[:] = values

    def schur_solve(self, factor: Any, right: Any) -> Any:  # noqa: D102
        return blocks.solve(factor, right, self.solve_lower)

    def cholesky(self, matrix: Any) -> Any:  # noqa: D102
        root, info = self.torch.linalg.cholesky_ex(matrix.contiguous())
        if int(info):
            raise linalg.LinAlgError("not positive definite")
        return root

    def inverse(self, root: Any) -> Any:  # noqa: D102
        return self.torch.cholesky_inverse(root)

    def solve_lower(self, root: Any, right: Any, transposed: bool = False) -> Any:  # noqa: D102
        one = right.ndim == 1
        found = self.torch.linalg.solve_triangular(
            root.T if transposed else root, right[:, None] if one else right, upper=transposed
        )
        return found[:, 0] if one else found

    def times_sparse(self, W: Any, S: Any) -> Any:  # noqa: D102
        return W @ S

    def smallest(self, matrix: Any) -> float:  # noqa: D102
        if len(matrix) <= EXACT_UP_TO:
            return float(self.torch.linalg.eigvalsh(matrix)[0])
        return super().smallest(matrix)

    def schur_memory(self, size: int) -> Any:  # noqa: D102
        return self.torch.empty((size, size), dtype=self.torch.float64, device=self.device)

    def _diagonal(self, matrix: Any) -> Any:
        return matrix.diagonal()

    def _factor(self, matrix: Any) -> None:
        blocks.factor(matrix, self.cholesky, self.solve_lower)

    def _assemble(self, pairs: Pairs, W: Any, V: Any, out: Any) -> None:
        """The lower triangle of O, some rows at a time: four gathered products, see ``schur``."""
        i, j = self.put(pairs.first), self.put(pairs.second)
        size = len(pairs)
        rows = max(1, min(BLOCK, CELLS // max(size, pairs.n)))
        for start in range(0, size, rows):
            stop = min(start + rows, size)
            block = out[start:stop, :stop]
            Wi, Wj, Vi, Vj = (M[end[start:stop]] for M in (W, V) for end in (i, j))
            k, m = i[:stop], j[:stop]
            self.torch.mul(Wi[:, k], Vj[:, m], out=block)
            block.addcmul_(Wi[:, m], Vj[:, k])
            block.addcmul_(Vi[:, k], Wj[:, m])
            block.addcmul_(Vi[:, m], Wj[:, k])
