"""The eigenspace of the least eigenvalue of a large sparse matrix, with all its dimensions.

ARPACK starts from one vector and misses copies of a multiple eigenvalue. Here a block of vectors
is multiplied by Chebyshev polynomials of the matrix that are small on the part of the spectrum
that is not wanted, and large below it (Zhou, Saad, Tiago and Chelikowsky 2006). It converges as
fast as the least eigenvalue is apart from those that the block has no room for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy import sparse

from lovasz.base.compiled import compiled
from lovasz.base.threads import in_bands

COLUMNS = 16
"""Number of vectors in the block; eigenspaces with fewer dimensions are found whole."""
GAIN = 1e5
"""Factor by which a polynomial makes the least eigenvector longer than what is not wanted."""
LONGEST = 400
"""Largest degree of a polynomial."""
FIRST = 10
"""Degree of the first polynomial, when nothing is known of the spectrum."""
ROUNDS = 60
"""Largest number of polynomials."""


class Ritz(NamedTuple):
    """What the block knows of the spectrum."""

    values: np.ndarray
    """(columns,) approximate eigenvalues, in ascending order."""
    vectors: np.ndarray
    """(n, columns) their vectors, orthonormal."""
    residuals: np.ndarray
    """(columns,) norms of A v − θ v."""


def least_eigenvectors(
    A: sparse.csr_array, bound: float, stop: Callable[[], bool]
) -> Iterator[Ritz]:
    """Better and better approximations of the least eigenvalues of a symmetric matrix.

    No eigenvalue is larger than ``bound``. The iteration ends when ``stop()`` is true, or after
    ``ROUNDS`` polynomials.

    >>> path = sparse.csr_array(np.diag(np.ones(99), 1) + np.diag(np.ones(99), -1))
    >>> for found in least_eigenvectors(path, 2.0, lambda: False):
    ...     if found.residuals[0] < 1e-9:
    ...         break
    >>> bool(abs(found.values[0] - 2 * np.cos(100 * np.pi / 101)) < 1e-12)
    True
    """
    rng = np.random.default_rng(0)
    V = np.linalg.qr(rng.standard_normal((A.shape[0], min(COLUMNS, A.shape[0]))))[0]
    ritz = _ritz(A, V)
    if V.shape[0] == V.shape[1]:  # the block is the whole space
        yield ritz
        return
    for _ in range(ROUNDS):
        least, last = float(ritz.values[0]), float(ritz.values[-1])
        middle, half = (bound + last) / 2, (bound - last) / 2
        if not half > 0:
            return
        away = max((middle - least) / half, 1.0)  # the least eigenvalue in units of the interval
        degree = FIRST if away == 1 else math.ceil(math.acosh(GAIN) / math.acosh(away))
        V = _filtered(A, ritz.vectors, middle, half, away, min(degree, LONGEST), stop)
        if stop():
            return
        ritz = _ritz(A, np.linalg.qr(V)[0])
        yield ritz


def _ritz(A: sparse.csr_array, V: np.ndarray) -> Ritz:
    AV = A @ V
    values, Q = np.linalg.eigh(V.T @ AV)
    V, AV = V @ Q, AV @ Q
    return Ritz(values, V, np.linalg.norm(AV - V * values, axis=0))


def _filtered(
    A: sparse.csr_array,
    V: np.ndarray,
    middle: float,
    half: float,
    away: float,
    degree: int,
    stop: Callable[[], bool],
) -> np.ndarray:
    """The Chebyshev polynomial of (A − middle) / half times V, divided by its value at ``away``."""
    parts, (n, k) = (A.indptr, A.indices, A.data), V.shape
    before, now = np.zeros_like(V), np.ascontiguousarray(V)
    ratio = 0.0  # T_{s−1}(away) / T_s(away) after s steps, which keeps numbers in range
    for step in range(degree):
        if stop():
            break
        # T_{s+1}(x) = 2 x T_s(x) − T_{s−1}(x), but T_1(x) = x.
        twice = 1 if step == 0 else 2
        following = 1 / (twice * away - ratio)
        factor, past = twice * following / half, ratio * following
        in_bands(_step, A.nnz * k, 0, n, *parts, middle, factor, past, now, before)
        before, now, ratio = now, before, following
    return now


@compiled(fastmath={"contract"})
def _step(
    first: np.ndarray,
    columns: np.ndarray,
    data: np.ndarray,
    middle: float,
    factor: float,
    past: float,
    now: np.ndarray,
    before: np.ndarray,
    begin: int,
    end: int,
) -> None:
    """Write factor (A − middle) now − past before over rows ``begin`` to ``end`` of ``before``."""
    for i in range(begin, end):
        for k in range(now.shape[1]):
            before[i, k] = -past * before[i, k] - factor * middle * now[i, k]
        for p in range(first[i], first[i + 1]):
            value, j = factor * data[p], columns[p]
            for k in range(now.shape[1]):
                before[i, k] += value * now[j, k]
