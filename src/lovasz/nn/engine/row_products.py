"""Compiled products with sparse matrices that have many non-zeros per row.

M H is summed row by row: row i of the result is Σ_j M_ij H_j. If H fits into the cache of the
processor, that takes half as long as torch's product. Entries that dropout removes are left out
before anything is multiplied, so half of the entries cost half of the time. Threads share out the
rows, or for a gradient the columns, so the result is the same for any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from lovasz.base.compiled import compiled
from lovasz.base.threads import in_bands
from lovasz.nn.engine.operators import Operator

FUSED = {"contract"}
"""What the compiler may change: a product and a sum become one instruction with one rounding."""


@compiled(fastmath=FUSED)
def _add_row(
    columns: np.ndarray, values: np.ndarray, first: int, last: int, H: np.ndarray, out: np.ndarray
) -> None:
    """Add Σ values[p] H[columns[p]] for p from ``first`` to ``last`` to ``out``.

    Eight rows of H at a time are read for every number of ``out`` that is read and written.
    """
    p = first
    while p + 8 <= last:
        a, b, c, d = H[columns[p]], H[columns[p + 1]], H[columns[p + 2]], H[columns[p + 3]]
        e, f, g, h = H[columns[p + 4]], H[columns[p + 5]], H[columns[p + 6]], H[columns[p + 7]]
        s, t, u, v = values[p], values[p + 1], values[p + 2], values[p + 3]
        w, x, y, z = values[p + 4], values[p + 5], values[p + 6], values[p + 7]
        for k in range(len(out)):
            out[k] += (s * a[k] + t * b[k] + u * c[k] + v * d[k]) + (
                w * e[k] + x * f[k] + y * g[k] + z * h[k]
            )
        p += 8
    while p < last:
        a, s = H[columns[p]], values[p]
        for k in range(len(out)):
            out[k] += s * a[k]
        p += 1


@compiled(fastmath=FUSED)
def _select(
    columns: np.ndarray,
    values: np.ndarray,
    keep: np.ndarray,
    first: int,
    last: int,
    kept_columns: np.ndarray,
    kept_values: np.ndarray,
) -> int:
    """Copy the entries from ``first`` to ``last`` that are kept, and return their number."""
    count = 0
    for p in range(first, last):  # without a branch, which nobody could predict
        kept_columns[count] = columns[p]
        kept_values[count] = values[p]
        count += keep[p]
    return count


@compiled(fastmath=FUSED)
def _longest(rows: np.ndarray, ends: np.ndarray) -> int:
    """Return the largest number of entries in one of the rows."""
    most = 0
    for i in rows:
        most = max(most, ends[i + 1] - ends[i])
    return most


@compiled(fastmath=FUSED)
def _multiply(
    rows: np.ndarray,
    ends: np.ndarray,
    columns: np.ndarray,
    values: np.ndarray,
    H: np.ndarray,
    out: np.ndarray,
    begin: int,
    end: int,
) -> None:
    """Write the rows of M H with numbers ``rows[begin:end]`` to ``out[begin:end]``."""
    for r in range(begin, end):
        out[r] = 0
        _add_row(columns, values, ends[rows[r]], ends[rows[r] + 1], H, out[r])


@compiled(fastmath=FUSED)
def _multiply_kept(
    rows: np.ndarray,
    ends: np.ndarray,
    columns: np.ndarray,
    values: np.ndarray,
    keep: np.ndarray,
    H: np.ndarray,
    out: np.ndarray,
    begin: int,
    end: int,
) -> None:
    """Do the same as :func:`_multiply` with the entries of M that are kept."""
    most = _longest(rows, ends) + 1
    kept_columns, kept_values = np.empty(most, columns.dtype), np.empty(most, values.dtype)
    for r in range(begin, end):
        first, last = ends[rows[r]], ends[rows[r] + 1]
        count = _select(columns, values, keep, first, last, kept_columns, kept_values)
        out[r] = 0
        _add_row(kept_columns, kept_values, 0, count, H, out[r])


@compiled(fastmath=FUSED)
def _multiply_transposed(
    rows: np.ndarray,
    ends: np.ndarray,
    columns: np.ndarray,
    values: np.ndarray,
    keep: np.ndarray,
    G: np.ndarray,
    out: np.ndarray,
    begin: int,
    end: int,
) -> None:
    """Add columns ``begin`` to ``end`` of Mᵀ G to those of ``out``, for the kept entries of M."""
    most = _longest(rows, ends) + 1
    kept_columns, kept_values = np.empty(most, columns.dtype), np.empty(most, values.dtype)
    for r in range(len(rows)):
        first, last = ends[rows[r]], ends[rows[r] + 1]
        count = _select(columns, values, keep, first, last, kept_columns, kept_values)
        row = G[r, begin:end]
        for p in range(count):
            total, value = out[kept_columns[p], begin:end], kept_values[p]
            for k in range(end - begin):
                total[k] += value * row[k]


class Rows:
    """Some rows of a sparse matrix M on a CPU, as the compiled functions take them."""

    def __init__(self, M: sparse.csr_array, rows: np.ndarray | None = None) -> None:
        self.rows = np.arange(M.shape[0]) if rows is None else np.asarray(rows, np.int64)
        self.shape = torch.Size([len(self.rows), M.shape[1]])
        self.count = int(M.nnz)
        """Number of entries of M, those of other rows included."""
        self.used = int(np.diff(M.indptr)[self.rows].sum())
        """Number of entries of the rows in use."""
        index = np.int32 if max(M.nnz, *M.shape) < 2**31 else np.int64
        self.parts = M.indptr.astype(np.int64), M.indices.astype(index, copy=False), M.data

    def product(self, H: Tensor, keep: Tensor | None = None) -> Tensor:
        """Return M H, of the entries that are kept if ``keep`` is given, without a gradient."""
        given = H.detach().contiguous()
        out = given.new_empty(self.shape[0], given.shape[1])
        arrays = [*self.parts, *([] if keep is None else [keep.numpy()])]
        function = _multiply if keep is None else _multiply_kept
        self._share(function, self.shape[0], given.shape[1], *arrays, given.numpy(), out.numpy())
        return out

    def transposed_product(self, G: Tensor, keep: Tensor | None = None) -> Tensor:
        """Return Mᵀ G, of the entries that are kept if ``keep`` is given, without a gradient."""
        given = G.detach().contiguous()
        keep = torch.ones(self.count, dtype=torch.bool) if keep is None else keep
        out, width = given.new_zeros(self.shape[1], given.shape[1]), given.shape[1]
        arrays = (*self.parts, keep.numpy(), given.numpy(), out.numpy())
        self._share(_multiply_transposed, width, width, *arrays)
        return out

    def _share(self, function: Callable[..., None], end: int, width: int, *arrays: Any) -> None:
        """Call a compiled function, in as many threads as torch may use: one, or all."""
        work = self.used * width if torch.get_num_threads() > 1 else 0
        in_bands(function, work, 0, end, self.rows, *arrays)


class RowOperator(Operator):
    """A sparse matrix on a CPU and its transpose, multiplied row by row."""

    def __init__(self, rows: Rows, transposed: Rows) -> None:
        self.rows, self.transposed_rows = rows, transposed

    @classmethod
    def of(cls, K: sparse.csr_array, dtype: torch.dtype) -> RowOperator:
        """Return the operator of a matrix in the given precision."""
        precise = np.float32 if dtype == torch.float32 else np.float64
        return cls(*(Rows(sparse.csr_array(M).astype(precise)) for M in (K, K.T)))

    @property
    def shape(self) -> torch.Size:
        """Number of rows and columns."""
        return self.rows.shape

    @property
    def T(self) -> RowOperator:
        """The transpose."""
        return RowOperator(self.transposed_rows, self.rows)

    def __matmul__(self, H: Tensor) -> Tensor:
        return _differentiable_product(H, self)

    def product(self, H: Tensor) -> Tensor:
        """Return M H without a gradient."""
        return self.rows.product(H)

    def add_product(self, X: Tensor, H: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
        """Return beta X + alpha M H, without a gradient."""
        return self.product(H).mul_(alpha).add_(X, alpha=beta)


class _OperatorProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, H: Tensor, operator: RowOperator) -> Tensor:
        ctx.operator = operator
        return operator.product(H)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return ctx.operator.T.product(gradient), None


_differentiable_product: Callable[[Tensor, RowOperator], Tensor] = _OperatorProduct.apply


class _RowsProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, H: Tensor, rows: Rows, keep: Tensor | None) -> Tensor:
        ctx.rows, ctx.keep = rows, keep
        return rows.product(H, keep)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        return ctx.rows.transposed_product(gradient, ctx.keep), None, None


multiply_rows: Callable[[Tensor, Rows, Tensor | None], Tensor] = _RowsProduct.apply
"""``multiply_rows(H, rows, keep)``: M H with its gradient Mᵀ G; ``keep`` may be None."""
