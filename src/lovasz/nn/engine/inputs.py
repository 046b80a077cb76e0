"""The first product of a network, X W, for many runs at once; X may be the identity."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from lovasz.linalg.torch_sparse import csr
from lovasz.nn.engine.dropout import Dropout
from lovasz.nn.engine.operators import (
    DENSE_ABOVE,
    Operator,
    as_operator,
    csr_tensor,
    dense_tensor,
    multiply_plainly,
    stays_sparse,
)
from lovasz.nn.engine.row_products import RowOperator, Rows, multiply_rows

MANY_ENTRIES = 1_000_000
"""A table on a CPU with at least this many entries, between ``DENSE_ABOVE`` and ``HALF`` of them
not zero, is multiplied by compiled functions; below, loading these takes longer than they save."""
HALF = 0.5
"""With a larger share of non-zeros, dense products without dropout are faster than compiled."""


def as_inputs(X: Any, rows: np.ndarray, n: int, *, device: Any, dtype: torch.dtype) -> Inputs:
    """Return the given rows of X in the form that multiplies fastest; None is the identity."""
    chosen = None if len(rows) == n else rows
    if X is None:
        return IdentityInputs(chosen, n, device)
    X = X if sparse.issparse(X) else np.asarray(X)
    if suits_compiled(X, device, dtype):
        return CompiledInputs(X, chosen, dtype)
    if sparse.issparse(X) and X.nnz <= DENSE_ABOVE * X.shape[0] * X.shape[1]:
        # Copy with sorted indices: from here on non-zeros are identified by their position.
        canonical = sparse.csr_array(X, copy=True)
        canonical.sum_duplicates()
        return SparseInputs(canonical, chosen, device, dtype)
    return DenseInputs(X.toarray() if sparse.issparse(X) else X, chosen, device, dtype)


def suits_compiled(X: Any, device: Any, dtype: torch.dtype) -> bool:
    """Return whether X is for :class:`CompiledInputs`; the numbers decide, not how X is stored."""
    entries = X.shape[0] * X.shape[1]
    if entries < MANY_ENTRIES or torch.device(device).type != "cpu" or dtype.itemsize < 4:
        return False
    filled = X.count_nonzero() if sparse.issparse(X) else np.count_nonzero(X)
    return bool(DENSE_ABOVE * entries < filled <= HALF * entries)


def operator_beside(inputs: Inputs, K: Any, *, device: Any, dtype: torch.dtype) -> Operator:
    """Return K as an operator of the same kind as the inputs: compiled, or else of torch."""
    if isinstance(inputs, CompiledInputs) and stays_sparse(K, dtype):
        return RowOperator.of(K, dtype)
    return as_operator(K, device=device, dtype=dtype)


def as_index(rows: np.ndarray | None, device: Any) -> Tensor | None:
    """Return row numbers as a tensor; None means all rows."""
    return None if rows is None else torch.as_tensor(rows, device=device)


class Inputs(Protocol):
    """The features of some nodes, to be multiplied with the first weights of all runs."""

    def project(self, W: Tensor, dropout: Dropout | None) -> Tensor:
        """Return X W of every run, (nodes, runs · h), for weights W of shape (d, runs, h).

        If ``dropout`` is given, every run drops its own entries of X.
        """
        ...


class IdentityInputs(Inputs):
    """X = I, which is never built: I W = W, and dropping an entry of I is dropping a row of W."""

    def __init__(self, rows: np.ndarray | None, n: int, device: Any) -> None:
        self.n, self.rows = n, as_index(rows, device)

    def project(self, W: Tensor, dropout: Dropout | None) -> Tensor:
        """Return rows of W."""
        part = W if self.rows is None else W.index_select(0, self.rows)
        if dropout:
            part = part * dropout.factors(self.n, rows=self.rows)
        return part.flatten(1)


class DenseInputs(Inputs):
    """A dense feature table."""

    def __init__(
        self, X: np.ndarray, rows: np.ndarray | None, device: Any, dtype: torch.dtype
    ) -> None:
        self.shape, self.rows = X.shape, as_index(rows, device)
        self.X, self.dtype = dense_tensor(X if rows is None else X[rows], device, dtype), dtype

    def project(self, W: Tensor, dropout: Dropout | None) -> Tensor:
        """Use one product for all runs, or one per run if each drops other entries."""

        def product(run: int, weight: Tensor, dropout: Dropout) -> Tensor:
            keep = dropout.keep(run, self.shape[0] * self.shape[1]).view(self.shape)
            keep = keep if self.rows is None else keep.index_select(0, self.rows)
            return self._times(self.X * keep, dropout.scales[run] * weight)

        return by_run(partial(self._times, self.X), product, W, dropout)

    def _times(self, X: Tensor, W: Tensor) -> Tensor:
        return Operator(X, X.T, self.dtype) @ W


class SparseInputs(Inputs):
    """A sparse feature table, of which only the non-zeros are dropped, multiplied and read."""

    def __init__(
        self, X: sparse.csr_array, rows: np.ndarray | None, device: Any, dtype: torch.dtype
    ) -> None:
        # Number the non-zeros, and let the rows in use and the transpose carry the numbers: a run
        # then only has to draw a mask and gather, and never cuts or sorts its matrix.
        numbered = sparse.csr_array((np.arange(X.nnz), X.indices, X.indptr), shape=X.shape)
        part = numbered if rows is None else numbered[rows]
        self.count, self.numbers = X.nnz, None if rows is None else as_index(part.data, device)
        values = X.data[part.data]
        self.matrix = csr_tensor(
            sparse.csr_array((values, part.indices, part.indptr), shape=part.shape), device, dtype
        )
        self.dtype = dtype
        self.scattered: sparse.csc_array | None = None
        if self.matrix.is_cpu and self.matrix.dtype == dtype:
            index = np.int32 if max(part.nnz, *part.shape) < 2**31 else np.int64
            self.scattered = sparse.csc_array(
                (values, part.indices.astype(index), part.indptr.astype(index)), part.shape[::-1]
            )
            return
        part.data = np.arange(part.nnz)
        transposed = part.T.tocsr()
        self.order = torch.as_tensor(transposed.data, device=device)
        transposed.data = values[transposed.data]
        self.transposed = csr_tensor(transposed, device, dtype)

    def _plain(self) -> Operator:
        if self.scattered is not None:
            return Scattered(self.matrix, self.scattered)
        return Operator(self.matrix, self.transposed, self.dtype)

    def _masked(self, keep: Tensor) -> Operator:
        keep = keep if self.numbers is None else keep.index_select(0, self.numbers)
        if self.scattered is not None:
            return Scattered(masked(self.matrix, keep), self.scattered)
        return Operator(
            masked(self.matrix, keep),
            masked(self.transposed, keep.index_select(0, self.order)),
            self.dtype,
        )

    def project(self, W: Tensor, dropout: Dropout | None) -> Tensor:
        """Do the same as :class:`DenseInputs` on the non-zeros."""

        def product(run: int, weight: Tensor, dropout: Dropout) -> Tensor:
            return self._masked(dropout.keep(run, self.count)) @ (dropout.scales[run] * weight)

        return by_run(lambda weights: self._plain() @ weights, product, W, dropout)


class CompiledInputs(Inputs):
    """A large table on a CPU of which a fifth to a half is not zero.

    The non-zeros are dropped as in :class:`SparseInputs`, and those that are dropped are neither
    multiplied nor copied.
    """

    def __init__(self, X: Any, rows: np.ndarray | None, dtype: torch.dtype) -> None:
        canonical = sparse.csr_array(X, copy=True)
        canonical.sum_duplicates()
        canonical.eliminate_zeros()
        precise = np.float32 if dtype == torch.float32 else np.float64
        self.table = canonical.astype(precise, copy=False)
        self.rows = Rows(self.table, rows)

    def project(self, W: Tensor, dropout: Dropout | None) -> Tensor:
        """Do the same as :class:`SparseInputs`, to rounding."""

        def product(run: int, weight: Tensor, dropout: Dropout) -> Tensor:
            keep = dropout.keep(run, self.rows.count).contiguous()
            return multiply_rows(dropout.scales[run] * weight, self.rows, keep)

        return by_run(lambda weights: multiply_rows(weights, self.rows, None), product, W, dropout)


class Scattered(Operator):
    """A sparse matrix M on a CPU whose gradient Mᵀ G is summed row by row of M.

    That reads G, which is long, from front to back, and adds to a short matrix that stays in the
    cache. A product with a stored Mᵀ jumps about in G and takes up to three times as long; also, no
    transpose has to be masked.
    """

    def __init__(self, matrix: Tensor, transposed: sparse.csc_array) -> None:
        self.matrix, self.pattern, self.dtype = matrix, transposed, matrix.dtype

    def __matmul__(self, H: Tensor) -> Tensor:
        return _scatter_differentiably(H, self.matrix, self.pattern)


class _Scatter(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, H: Tensor, matrix: Tensor, pattern: sparse.csc_array) -> Tensor:
        ctx.matrix, ctx.pattern = matrix, pattern
        return multiply_plainly(matrix, H)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        ctx.pattern.data = ctx.matrix.values().numpy()
        return torch.from_numpy(ctx.pattern @ gradient.contiguous().numpy()), None, None


_scatter_differentiably: Callable[[Tensor, Tensor, sparse.csc_array], Tensor] = _Scatter.apply


def by_run(
    plain: Callable[[Tensor], Tensor],
    product: Callable[[int, Tensor, Dropout], Tensor],
    W: Tensor,
    dropout: Dropout | None,
) -> Tensor:
    """Use ``plain`` for all runs that drop nothing together, ``product`` for each other run.

    Runs that share their masks are one product.
    """
    if not dropout:
        return plain(W.flatten(1))
    if dropout.shared:
        return product(0, W.flatten(1), dropout)
    runs = W.unbind(1)
    whole = [run for run in range(len(runs)) if not dropout.thresholds[run]]
    parts: dict[int, Tensor] = {}
    if whole:
        together = plain(torch.cat([runs[run] for run in whole], dim=1))
        parts = dict(zip(whole, together.split(W.shape[2], 1), strict=True))
    for run, weight in enumerate(runs):
        if dropout.thresholds[run]:
            parts[run] = product(run, weight, dropout)
    return torch.cat([parts[run] for run in range(len(runs))], dim=1)


def masked(matrix: Tensor, keep: Tensor) -> Tensor:
    """Return a CSR tensor whose values are zero where they are not kept."""
    return csr(matrix.crow_indices(), matrix.col_indices(), matrix.values() * keep, matrix.shape)
