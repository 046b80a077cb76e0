"""The recurrence of :mod:`.probable` with a sparse matrix, on the CPU or on a GPU.

A new vector is (K y_j − α_j y_j − β_{j−1} y_{j−1}) / β_j. An entry of it has at most five roundings
besides those of the row of K, in whatever order the row is summed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from lovasz.base.compiled import compiled
from lovasz.base.threads import SCATTERED, in_bands

GPU_FROM = 20_000
"""Number of rows from which a GPU is used."""


def recurrence(K: sparse.csr_array, device: str) -> Recurrence:
    """The recurrence on the CPU, or on a GPU if ``device`` is one and K is large."""
    gpu = device.startswith("cuda") and K.shape[0] >= GPU_FROM
    return DeviceRecurrence(K, device) if gpu else Recurrence(K)


class Recurrence:
    """The recurrence on the CPU, with several threads."""

    def __init__(self, K: sparse.csr_array) -> None:
        self.n, self.parts, self.work = K.shape[0], (K.data, K.indptr, K.indices), K.nnz * SCATTERED

    def put(self, array: np.ndarray) -> Any:
        """Copy the array to where the recurrence is."""
        return array

    def one(self, beta: float, now: Any, before: Any) -> float:
        """Write K now − β before over ``before`` and return its product with ``now``."""
        return sum(in_bands(step_one, self.work, 0, self.n, *self.parts, beta, now, before))

    def four(self, alpha: float, beta: float, after: float, now: Any, before: Any) -> float:
        """Write (K now − α now − β before) / after over ``before``, which have four columns.

        Returns the largest squared norm of a column of the result.
        """
        parts = *self.parts, alpha, beta, after, now, before
        return float(np.sum(in_bands(step_four, 4 * self.work, 0, self.n, *parts), axis=0).max())


class DeviceRecurrence(Recurrence):
    """The recurrence on a GPU, by torch."""

    def __init__(self, K: sparse.csr_array, device: str) -> None:
        import torch

        from lovasz.linalg.torch_sparse import csr

        super().__init__(K)
        self.device, self.torch = device, torch
        data, first, columns = (self.put(part) for part in self.parts)
        self.K = csr(first, columns, data, K.shape)

    def put(self, array: np.ndarray) -> Any:  # noqa: D102
        return self.torch.tensor(array, device=self.device)

    def one(self, beta: float, now: Any, before: Any) -> float:  # noqa: D102
        before.mul_(-beta).add_(self.K @ now)
        return float(before @ now)

    def four(  # noqa: D102
        self, alpha: float, beta: float, after: float, now: Any, before: Any
    ) -> float:
        before.mul_(-beta).add_(now, alpha=-alpha).add_(self.K @ now).div_(after)
        return float((before * before).sum(dim=0).max())


@compiled(fastmath={"contract", "nsz"})
def step_one(
    data: np.ndarray,
    first: np.ndarray,
    columns: np.ndarray,
    beta: float,
    now: np.ndarray,
    before: np.ndarray,
    begin: int,
    end: int,
) -> float:
    """Write K now − β before over ``before`` and return its product with ``now``.

    Only the rows from ``begin`` to ``end`` are written and counted.
    """
    product = 0.0
    for i in range(begin, end):
        total = -beta * before[i]
        for p in range(first[i], first[i + 1]):
            total += data[p] * now[columns[p]]
        before[i] = total
        product += total * now[i]
    return product


@compiled(fastmath={"contract", "nsz"})
def step_four(
    data: np.ndarray,
    first: np.ndarray,
    columns: np.ndarray,
    alpha: float,
    beta: float,
    after: float,
    now: np.ndarray,
    before: np.ndarray,
    begin: int,
    end: int,
) -> tuple[float, float, float, float]:
    """Write (K now − α now − β before) / after over ``before``, which have four columns.

    Returns the squared norms of the columns of the result. Only the rows from ``begin`` to ``end``
    are written and counted.
    """
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for i in range(begin, end):
        x, y = now[i], before[i]
        s = -alpha * x[0] - beta * y[0]
        t = -alpha * x[1] - beta * y[1]
        u = -alpha * x[2] - beta * y[2]
        v = -alpha * x[3] - beta * y[3]
        for p in range(first[i], first[i + 1]):
            value, z = data[p], now[columns[p]]
            s += value * z[0]
            t += value * z[1]
            u += value * z[2]
            v += value * z[3]
        s, t, u, v = s / after, t / after, u / after, v / after
        y[0], y[1], y[2], y[3] = s, t, u, v
        a, b, c, d = a + s * s, b + t * t, c + u * u, d + v * v
    return a, b, c, d
