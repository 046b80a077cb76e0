"""A kernel as a linear operator on torch tensors: dense, sparse or of low rank, differentiable."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from lovasz.linalg.low_rank import LowRank
from lovasz.linalg.torch_sparse import csr

DENSE_ABOVE = 0.2
"""A sparse matrix with a larger share of non-zeros is held as a dense one, which is faster."""
DENSE_BYTES = 2**30
"""A sparse matrix that would take more bytes than this as a dense one stays sparse."""


class Operator:
    """A fixed matrix M and its transpose: ``M @ H`` with the gradient Mᵀ G.

    torch differentiates a sparse product by transposing the matrix again in every backward pass;
    here the transpose is made once. If ``dtype`` is bfloat16, H is rounded to it first; the result
    has the type of H.
    """

    def __init__(
        self, matrix: Tensor, transposed: Tensor, dtype: torch.dtype | None = None
    ) -> None:
        self.matrix, self.transposed = matrix, transposed
        self.dtype = dtype or matrix.dtype

    @property
    def shape(self) -> torch.Size:
        """Number of rows and columns."""
        return self.matrix.shape

    @property
    def T(self) -> Operator:
        """The transpose."""
        return Operator(self.transposed, self.matrix, self.dtype)

    def __matmul__(self, H: Tensor) -> Tensor:
        return _multiply_differentiably(H, self.matrix, self.transposed, self.dtype)

    def product(self, H: Tensor) -> Tensor:
        """Return M H without a gradient."""
        return _multiply(self.matrix, H, self.dtype)

    def add_product(self, X: Tensor, H: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
        """Return beta X + alpha M H in one pass, without a gradient."""
        if self.dtype.itemsize >= 4:
            return torch.addmm(X, self.matrix, H, beta=beta, alpha=alpha)
        return _multiply(self.matrix, H, self.dtype).mul_(alpha).add_(X, alpha=beta)


class Factored(Operator):
    """M = L R: ``M @ H`` is L (R H)."""

    def __init__(self, left: Operator, right: Operator) -> None:
        self.left, self.right = left, right

    @property
    def shape(self) -> torch.Size:
        """Number of rows and columns."""
        return torch.Size([self.left.shape[0], self.right.shape[1]])

    @property
    def T(self) -> Factored:
        """The transpose."""
        return Factored(self.right.T, self.left.T)

    def __matmul__(self, H: Tensor) -> Tensor:
        return self.left @ (self.right @ H)

    def product(self, H: Tensor) -> Tensor:
        """Return M H without a gradient."""
        return self.left.product(self.right.product(H))

    def add_product(self, X: Tensor, H: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
        """Return beta X + alpha M H."""
        return (alpha * self.product(H)).add_(X, alpha=beta)


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, H: Tensor, matrix: Tensor, transposed: Tensor, dtype: torch.dtype
    ) -> Tensor:
        ctx.transposed, ctx.dtype = transposed, dtype
        return _multiply(matrix, H, dtype)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None, None]:
        return _multiply(ctx.transposed, gradient.contiguous(), ctx.dtype), None, None, None


_multiply_differentiably: Callable[[Tensor, Tensor, Tensor, torch.dtype], Tensor] = _Product.apply


def multiply_plainly(matrix: Tensor, H: Tensor) -> Tensor:
    """Return M H without a gradient, to the last bit as ``M @ H``.

    Of a sparse matrix on a CPU, torch's own product makes a matrix of zeros, copies it, and adds
    M H to the copy; on graphs of a few thousand nodes that takes longer than the product.
    """
    if matrix.layout == torch.strided or not matrix.is_cpu:
        return matrix @ H
    out = H.new_zeros(matrix.shape[0], H.shape[1])
    return torch.addmm(out, matrix, H, beta=0, out=out)


def _multiply(matrix: Tensor, H: Tensor, dtype: torch.dtype) -> Tensor:
    if dtype.itemsize >= 4:
        return multiply_plainly(matrix, H)
    rounded = H.to(dtype)
    if matrix.dtype != dtype:  # see storage_dtype
        return matrix @ rounded.to(matrix.dtype)
    if matrix.layout == torch.strided:
        # The sum of n products is rounded only at the end: the errors of the factors average out,
        # and a part that all rows have in common does not drown what tells them apart.
        return torch.mm(matrix, rounded, out_dtype=H.dtype)
    return (matrix @ rounded).to(H.dtype)  # torch has no sparse product with a wider result


@cache
def storage_dtype(device: str, dtype: torch.dtype, *, sparse: bool) -> torch.dtype:
    """Return the type to hold numbers of ``dtype`` in: float32 if torch cannot multiply ``dtype``.

    That is the case for bfloat16 on CPUs. The numbers are rounded to ``dtype`` nevertheless, so
    that training is the same everywhere.
    """
    if dtype.itemsize >= 4:
        return dtype
    try:
        one = torch.ones(1, 1, dtype=dtype, device=device)
        if sparse:
            ends = torch.tensor([0, 1], dtype=torch.int32, device=device)
            _ = csr(ends, ends[:1], one[0], (1, 1)) @ one
        else:
            torch.mm(one, one, out_dtype=torch.float32)
    except (RuntimeError, TypeError):  # NotImplementedError is a RuntimeError
        return torch.float32
    return dtype


def as_operator(
    K: Any, *, device: torch.device | str = "cpu", dtype: torch.dtype = torch.float32
) -> Operator:
    """Return ``K`` (scipy sparse, dense or :class:`LowRank`) as an :class:`Operator`.

    >>> as_operator(np.eye(2)) @ torch.ones(2, 1)
    tensor([[1.],
            [1.]])
    """
    if isinstance(K, LowRank):
        parts = K.left, K.right.T
        return Factored(*(as_operator(part, device=device, dtype=dtype) for part in parts))
    if sparse.issparse(K):
        if stays_sparse(K, dtype):
            matrix = csr_tensor(K.tocsr(), device, dtype)
            symmetric = K.shape[0] == K.shape[1] and (K != K.T).nnz == 0
            transposed = matrix if symmetric else csr_tensor(K.T.tocsr(), device, dtype)
            return Operator(matrix, transposed, dtype)
        K = K.toarray()
    matrix = dense_tensor(np.asarray(K), device, dtype)
    return Operator(matrix, matrix.T, dtype)


def stays_sparse(K: Any, dtype: torch.dtype) -> bool:
    """Return whether a matrix is sparse, and multiplies faster or fits only as a sparse one."""
    if not sparse.issparse(K):
        return False
    entries = K.shape[0] * K.shape[1]
    return bool(K.nnz <= DENSE_ABOVE * entries or entries * dtype.itemsize > DENSE_BYTES)


def dense_tensor(matrix: np.ndarray, device: Any, dtype: torch.dtype) -> Tensor:
    """Return a dense matrix as a tensor that :class:`Operator` takes."""
    kept = storage_dtype(torch.device(device).type, dtype, sparse=False)
    return torch.as_tensor(matrix, dtype=dtype, device=device).to(kept)


def csr_tensor(matrix: sparse.csr_array, device: Any, dtype: torch.dtype) -> Tensor:
    """Return a scipy CSR matrix as a torch CSR tensor, with 32-bit indices if they fit."""
    matrix = (
        matrix if matrix.has_sorted_indices else matrix.sorted_indices()
    )  # the caller's matrix is not changed
    kept = storage_dtype(torch.device(device).type, dtype, sparse=True)
    index = np.int32 if max(matrix.nnz, *matrix.shape) < 2**31 else np.int64
    return csr(
        torch.as_tensor(matrix.indptr.astype(index), device=device),
        torch.as_tensor(matrix.indices.astype(index), device=device),
        torch.as_tensor(matrix.data, dtype=dtype, device=device).to(kept),
        matrix.shape,
    )


def receptive_field(K: Any, rows: np.ndarray, layers: int) -> tuple[list[Any], list[np.ndarray]]:
    """Return the part of K that a network of ``layers`` needs for its output on ``rows``.

    R_L = rows, and R_{l-1} are the columns where K[R_l, :] is not zero. The result is the matrices
    K[R_l, R_{l-1}] of the layers l = 1 … L, and the node sets R_0 … R_L. With few labels this is a
    small part of a large graph, and the output is exact.
    """
    matrices: list[Any] = []
    fields = [rows]
    for _ in range(layers):
        rows = fields[0]
        part = K if len(rows) == K.shape[0] else K[rows]
        columns = np.arange(K.shape[1])
        if sparse.issparse(K):
            seen = np.zeros(K.shape[1], dtype=bool)
            seen[part.indices] = True
            columns = np.flatnonzero(seen)
        matrices.insert(0, part if len(columns) == K.shape[1] else part[:, columns])
        fields.insert(0, columns)
    return matrices, fields
