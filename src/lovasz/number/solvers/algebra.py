"""The few operations in which NumPy and torch differ, for code that runs on both.

A matrix is an ndarray on the :class:`Host` and a float64 tensor on a :class:`Device`. Products,
sums, indexing and ``.T`` are written the same for both and need no help.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.linalg import lapack

from lovasz.linalg import blocks
from lovasz.linalg.blocks import BLOCK
from lovasz.linalg.eigenvalues import lanczos_largest, start_vector
from lovasz.number.solvers.schur import Pairs, schur

EXACT_UP_TO = 200
"""Number of rows up to which an extreme eigenvalue is found by LAPACK."""
CELLS = 2**27
"""Number of entries of a temporary array in the assembly on a device (1 GB each)."""


def place(device: str) -> Host:
    """Return NumPy for ``"cpu"`` and torch for every other device."""
    return Host() if device == "cpu" else Device(device)


class Host:
    """NumPy and SciPy."""

    def put(self, array: np.ndarray) -> Any:
        """Copy the array to where the work is done."""
        return array

    def get(self, matrix: Any) -> np.ndarray:
        """Return the matrix as an ndarray of this machine."""
        return np.asarray(matrix)

    def single(self, matrix: Any) -> Any:
        """Return the matrix in single precision."""
        return matrix.astype(np.float32, copy=False)

    def double(self, matrix: Any) -> Any:
        """Return the matrix in double precision."""
        return matrix.astype(np.float64, copy=False)

    def take(self, matrix: Any, index: Any) -> Any:
        """Return the entries at these places of the matrix as one vector, row after row."""
        return matrix.reshape(-1).take(index)

    def add(self, a: Any, b: Any, factor: float) -> Any:
        """a + factor · b."""
        out = factor * b
        out += a
        return out

    def maximum(self, a: Any, b: Any) -> Any:
        """Return the larger of each two entries."""
        return np.maximum(a, b)

    def sum_by(self, index: Any, values: Any, n: int) -> Any:
        """Return the n sums of the values with index 0, 1, …, n − 1."""
        return np.bincount(index, values, n)

    def diagonal(self, matrix: Any) -> Any:
        """Return a view of the diagonal that can be written to."""
        return np.einsum("ii->i", matrix)

    def set_diagonal(self, matrix: Any, values: Any) -> None:
        """Overwrite the diagonal."""
        matrix.flat[:: len(matrix) + 1] = values

    def eigh(self, matrix: Any) -> tuple[Any, Any]:
        """Ascending eigenvalues and eigenvectors of a symmetric matrix of either precision."""
        # For LAPACK, which reads by columns, a row-major matrix is its transpose. Its own
        # routine in single precision takes half as long as what numpy.linalg.eigh does.
        syevd = lapack.ssyevd if matrix.dtype == np.float32 else lapack.dsyevd
        values, vectors, info = syevd(matrix.T, lower=0)
        if info:
            raise linalg.LinAlgError("the eigenvalues did not converge")
        return values, vectors

    def eigvalsh(self, matrix: Any) -> Any:
        """Ascending eigenvalues of a symmetric matrix."""
        return np.linalg.eigvalsh(matrix)

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
        """W S of symmetric matrices, most entries of S being zero."""
        return (sparse.csr_array(S) @ W).T

    def smallest(self, matrix: Any) -> float:
        """λ_min of a symmetric matrix; of a large one a lower estimate, good to a few digits."""
        n = len(matrix)
        if n <= EXACT_UP_TO:
            return float(lapack.dsyevr(matrix, compute_v=0, range="I", il=1, iu=1)[0][0])
        value, residual, _ = lanczos_largest(
            lambda v: -(matrix @ v), self.put(start_vector(n)), tol=3e-3, most=80
        )
        return -value - residual

    def schur_memory(self, size: int) -> Any:
        """Allocate a matrix of this order, which every iteration uses again."""
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
        """Return a factor of O + diag(stiff) + ρ b bᵀ, computed in ``memory``, and ρ.

        The diagonal is multiplied by 1 + ``ridge`` first.
        """
        self._assemble(pairs, W, V, memory)
        diagonal, weight = self.diagonal(memory), 0.0
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
        """Fill the lower triangle of O."""
        schur(pairs, W, V, out)

    def _factor(self, matrix: Any) -> None:
        """Overwrite the lower triangle by its Cholesky factor."""
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
        return np.asarray(matrix.cpu().numpy())

    def single(self, matrix: Any) -> Any:  # noqa: D102
        return matrix.float()

    def double(self, matrix: Any) -> Any:  # noqa: D102
        return matrix.double()

    def take(self, matrix: Any, index: Any) -> Any:  # noqa: D102
        return matrix.reshape(-1).index_select(0, index)

    def add(self, a: Any, b: Any, factor: float) -> Any:  # noqa: D102
        return self.torch.add(a, b, alpha=factor)

    def maximum(self, a: Any, b: Any) -> Any:  # noqa: D102
        return self.torch.maximum(a, b)

    def sum_by(self, index: Any, values: Any, n: int) -> Any:  # noqa: D102
        return values.new_zeros(n).index_add_(0, index, values)

    def diagonal(self, matrix: Any) -> Any:  # noqa: D102
        return matrix.diagonal()

    def eigh(self, matrix: Any) -> tuple[Any, Any]:  # noqa: D102
        values, vectors = self.torch.linalg.eigh(matrix)
        return values, vectors

    def eigvalsh(self, matrix: Any) -> Any:  # noqa: D102
        return self.torch.linalg.eigvalsh(matrix)

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

    def _factor(self, matrix: Any) -> None:
        blocks.factor(matrix, self.cholesky, self.solve_lower)

    def _assemble(self, pairs: Pairs, W: Any, V: Any, out: Any) -> None:
        """Fill the lower triangle of O, some rows at a time, by gathering; see ``schur``."""
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


def dot(A: Any, B: Any) -> float:
    """⟨A, B⟩."""
    return float((A * B).sum())


def norm(vector: Any) -> float:
    """Euclidean norm of a vector."""
    return math.sqrt(float(vector @ vector))


def symmetric(matrix: Any) -> Any:
    """(M + Mᵀ)/2."""
    return (matrix + matrix.T) / 2
