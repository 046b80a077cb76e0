"""The first product of a network, X W, for many runs at once: identity, dense or sparse X."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from lovasz.nn.dropout import Dropout
from lovasz.nn.operators import DENSE_ABOVE, Operator, csr, csr_tensor


def as_inputs(X: Any, nodes: np.ndarray, n: int, *, device: Any, dtype: torch.dtype) -> Inputs:
    """The rows ``nodes`` of X in the form that multiplies fastest; ``X=None`` is the identity."""
    everything = len(nodes) == n
    if X is None:
        return Identity(None if everything else torch.as_tensor(nodes, device=device))
    rows = X if everything else X[nodes]
    if sparse.issparse(X) and X.nnz <= DENSE_ABOVE * X.shape[0] * X.shape[1]:
        return Sparse(rows.tocsr(), device, dtype)
    dense = rows.toarray() if sparse.issparse(rows) else np.asarray(rows)
    return Dense(torch.as_tensor(dense, dtype=dtype, device=device))


class Inputs:
    """``project(W, dropout)``: weights (d, runs, h) to (nodes, runs · h)."""

    def project(self, W: Tensor, dropout: Dropout | None) -> Tensor:
        """X W of every run, with its own entries of X dropped when ``dropout`` is given."""
        raise NotImplementedError


class Identity(Inputs):
    """X = I is never built: I W = W, and to drop an entry of I is to drop a row of W."""

    def __init__(self, nodes: Tensor | None) -> None:
        self.nodes = nodes

    def project(self, W: Tensor, dropout: Dropout | None) -> Tensor:
        """Rows of W."""
        rows = W if self.nodes is None else W.index_select(0, self.nodes)
        if dropout:
            rows = rows * dropout.factors(len(rows))
        return rows.flatten(1)


class Dense(Inputs):
    """A dense feature table."""

    def __init__(self, X: Tensor) -> None:
        self.X = X

    def project(self, W: Tensor, dropout: Dropout | None) -> Tensor:
        """One product for all runs, or one a run when each drops other entries."""
        if not dropout:
            return self.X @ W.flatten(1)
        parts = []
        for run, weight in enumerate(W.unbind(1)):
            keep = dropout.keep(run, self.X.numel()).view_as(self.X)
            parts.append((self.X * keep) @ (dropout.scale * weight))
        return torch.cat(parts, dim=1)


class Sparse(Inputs):
    """A sparse feature table: only its non-zeros are dropped, multiplied and read."""

    def __init__(self, X: sparse.csr_array, device: Any, dtype: torch.dtype) -> None:
        self.matrix = csr_tensor(X, device, dtype)
        # The transpose shares the values through a permutation, so that a run only has to
        # draw a mask, not to sort its matrix.
        numbered = sparse.csr_array((np.arange(X.nnz), X.indices, X.indptr), shape=X.shape)
        transposed = numbered.T.tocsr()
        self.permutation = torch.as_tensor(transposed.data, device=device)
        self.transposed = csr_tensor(transposed, device, dtype)
        self.plain = self._operator(self.matrix.values())

    def _operator(self, values: Tensor) -> Operator:
        return Operator(
            csr(self.matrix.crow_indices(), self.matrix.col_indices(), values, self.matrix.shape),
            csr(
                self.transposed.crow_indices(),
                self.transposed.col_indices(),
                values[self.permutation],
                self.transposed.shape,
            ),
        )

    def project(self, W: Tensor, dropout: Dropout | None) -> Tensor:
        """As :class:`Dense`, on the non-zeros."""
        if not dropout:
            return self.plain @ W.flatten(1)
        values = self.matrix.values()
        parts = []
        for run, weight in enumerate(W.unbind(1)):
            kept = values * dropout.keep(run, values.numel())
            parts.append(self._operator(kept) @ (dropout.scale * weight))
        return torch.cat(parts, dim=1)
