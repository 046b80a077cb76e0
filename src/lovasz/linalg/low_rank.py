"""Matrices of low rank that are never formed. Nothing here needs torch."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from lovasz.base.errors import LovaszError


class LowRank:
    """The n × n matrix Z Zᵀ of an (n, d) factor Z, or some of its rows, which is never formed.

    :func:`lovasz.nn.train` takes it as a kernel. An epoch costs O(n d) instead of O(n²).

    >>> K = LowRank([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    >>> K.shape, K[[0, 2]].toarray().tolist()
    ((3, 3), [[1.0, 0.6, 0.0], [0.0, 0.8, 1.0]])
    """

    def __init__(self, factor: Any) -> None:
        Z = np.asarray(factor)
        if Z.ndim != 2 or Z.dtype.kind not in "fiu" or not np.isfinite(Z).all():
            raise LovaszError(
                f"the factor of a low-rank kernel has shape {Z.shape} and type {Z.dtype}; "
                "pass one row of finite numbers per node"
            )
        self.left = self.right = Z

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return len(self.left), len(self.right)

    def __getitem__(self, rows: Any) -> LowRank:
        part = copy(self)
        part.left = self.left[np.asarray(rows)]
        return part

    def toarray(self) -> np.ndarray:
        """Return the matrix itself."""
        matrix: np.ndarray = self.left @ self.right.T
        return matrix
