"""A kernel as a linear operator on torch tensors: dense, sparse or of low rank, differentiable."""

from __future__ import annotations

import warnings
from copy import copy
from functools import cache
from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from lovasz.base.errors import LovaszError

DENSE_ABOVE = 0.2  # share of non-zeros from which a dense product is the faster one
DENSE_BYTES = 2**30  # but never more than this


class Operator:
    """A fixed matrix M and its transpose: ``M @ H`` with the gradient Mᵀ G.

    torch differentiates a sparse product by transposing the matrix anew in every backward pass;
    here the transpose is made once. Where ``dtype`` is bfloat16, H is rounded to it first; the
    result is as H was.
    """

    def __init__(
        self, matrix: Tensor, transposed: Tensor, dtype: torch.dtype | None = None
    ) -> None:
        self.matrix, self.transposed = matrix, transposed
        self.dtype = dtype or matrix.dtype

    @property
    def shape(self) -> torch.Size:
        """Rows and columns."""
        return self.matrix.shape

    def __matmul__(self, H: Tensor) -> Tensor:
        return _Product.apply(H, self.matrix, self.transposed, self.dtype)


class LowRank:
    """The n × n matrix Z Zᵀ of an (n, d) factor, or some rows of it, never formed.

    :func:`lovasz.nn.train` takes it as a kernel. An epoch costs n d, not n².

    >>> K = LowRank([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    >>> K.shape, K[[0, 2]].toarray().tolist()
    ((3, 3), [[1.0, 0.6, 0.0], [0.0, 0.8, 1.0]])
    """

    def __init__(self, factor: Any) -> None:
        Z = np.asarray(factor)
        if Z.ndim != 2 or Z.dtype.kind not in "fiu" or not np.isfinite(Z).all():
            raise LovaszError(
                f"a low-rank kernel of a factor of shape {Z.shape} and type {Z.dtype}; "
                "pass one row of finite numbers a node"
            )
        self.left = self.right = Z

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.left), len(self.right)

    def __getitem__(self, rows: Any) -> LowRank:
        part = copy(self)
        part.left = self.left[np.asarray(rows)]
        return part

    def toarray(self) -> np.ndarray:
        """The matrix itself."""
        return self.left @ self.right.T


class Factored(Operator):
    """M = L R: ``M @ H`` is L (R H)."""

    def __init__(self, left: Operator, right: Operator) -> None:
        self.left, self.right = left, right

    @property
    def shape(self) -> torch.Size:
        """Rows and columns."""
        return torch.Size([self.left.shape[0], self.right.shape[1]])

    def __matmul__(self, H: Tensor) -> Tensor:
        return self.left @ (self.right @ H)


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


def _multiply(matrix: Tensor, H: Tensor, dtype: torch.dtype) -> Tensor:
    if dtype.itemsize >= 4:
        return matrix @ H
    rounded = H.to(dtype)
    if matrix.dtype != dtype:  # see kept_as
        return matrix @ rounded.to(matrix.dtype)
    if matrix.layout == torch.strided:
        # A sum of n numbers that is rounded only once it leaves: their errors average out, and a
        # part that all have in common does not drown what tells them apart.
        return torch.mm(matrix, rounded, out_dtype=H.dtype)
    return (matrix @ rounded).to(H.dtype)  # there is no wider result of a sparse product


@cache
def kept_as(device: str, dtype: torch.dtype, *, sparse: bool) -> torch.dtype:
    """The type to hold numbers of ``dtype`` in: float32 where torch has no product of such ones.

    That is so for bfloat16 on CPUs. The numbers are rounded all the same, so that training is
    the same everywhere.
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
    """``K`` (scipy sparse, dense or :class:`LowRank`) as an :class:`Operator`.

    >>> as_operator(np.eye(2)) @ torch.ones(2, 1)
    tensor([[1.],
            [1.]])
    """
    if isinstance(K, LowRank):
        parts = K.left, K.right.T
        return Factored(*(as_operator(part, device=device, dtype=dtype) for part in parts))
    if sparse.issparse(K):
        entries = K.shape[0] * K.shape[1]
        if K.nnz <= DENSE_ABOVE * entries or entries * dtype.itemsize > DENSE_BYTES:
            matrix = csr_tensor(K.tocsr(), device, dtype)
            symmetric = K.shape[0] == K.shape[1] and (K != K.T).nnz == 0
            transposed = matrix if symmetric else csr_tensor(K.T.tocsr(), device, dtype)
            return Operator(matrix, transposed, dtype)
        K = K.toarray()
    matrix = dense_tensor(np.asarray(K), device, dtype)
    return Operator(matrix, matrix.T, dtype)


def dense_tensor(matrix: np.ndarray, device: Any, dtype: torch.dtype) -> Tensor:
    """A table as a tensor that :class:`Operator` takes."""
    kept = kept_as(torch.device(device).type, dtype, sparse=False)
    return torch.as_tensor(matrix, dtype=dtype, device=device).to(kept)


def csr_tensor(matrix: sparse.csr_array, device: Any, dtype: torch.dtype) -> Tensor:
    """A scipy CSR matrix as a torch CSR tensor with 32-bit indices where they fit."""
    matrix = matrix if matrix.has_sorted_indices else matrix.sorted_indices()  # the caller's stays
    kept = kept_as(torch.device(device).type, dtype, sparse=True)
    index = np.int32 if max(matrix.nnz, *matrix.shape) < 2**31 else np.int64
    return csr(
        torch.as_tensor(matrix.indptr.astype(index), device=device),
        torch.as_tensor(matrix.indices.astype(index), device=device),
        torch.as_tensor(matrix.data, dtype=dtype, device=device).to(kept),
        matrix.shape,
    )


def csr(indptr: Tensor, indices: Tensor, values: Tensor, shape: Any) -> Tensor:
    """torch CSR tensor from parts that are known to be valid, so they are not checked again."""
    return torch.sparse_csr_tensor(indptr, indices, values, size=shape, check_invariants=False)


# torch says once a process that its CSR layout is in beta; say it now, to nobody. The parts of
# it used here are tested.
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    csr(torch.tensor([0, 0]), torch.tensor([], dtype=torch.int64), torch.tensor([]), (1, 1))


def receptive_field(K: Any, rows: np.ndarray, layers: int) -> tuple[list[Any], list[np.ndarray]]:
    """What of K a network of ``layers`` needs to know its output on ``rows`` only.

    R_L = rows, and R_{l-1} the columns where K[R_l, :] is not zero. Returns the matrices
    K[R_l, R_{l-1}] of the layers l = 1 … L, and the node sets R_0 … R_L. With few labels that
    is a small part of a large graph, and exact.
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
