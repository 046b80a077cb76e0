"""Extreme eigenvalues of symmetric matrices: every method that the library uses, in one place.

==============================  ==================================================================
:func:`dense_largest`           λ_max of a dense matrix, to rounding
:func:`lanczos_largest`         the top Ritz pair of an operator, NumPy or torch, with its residual
:func:`largest_eigenpairs`      several of the largest pairs of a dense or sparse matrix
:func:`largest_eigenvalue_bound`  λ_max from above by the error of the method
:func:`smallest_eigenvalue_depth`  |λ_min| from above by the error of the method
==============================  ==================================================================

The last three use LAPACK up to some number of rows and ARPACK above. ARPACK always starts from
the same vector, so that the same matrix gives the same numbers in every run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import scipy.linalg
from scipy import sparse
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from lovasz.base.deadline import Deadline
from lovasz.base.errors import LovaszError

CHECK_EVERY = 8
"""Number of Lanczos steps between two tests of convergence."""
DEPTH_DENSE_UP_TO = 600
"""Number of rows up to which λ_min comes from LAPACK: it is as fast there and has no tolerance."""
BOUND_DENSE_UP_TO = 32
"""Number of rows up to which λ_max comes from LAPACK."""
PAIRS_DENSE_UP_TO = 1200
"""Number of rows up to which eigenpairs come from LAPACK."""
PAIRS_TOL = 1e-3
"""Relative tolerance of ARPACK for eigenpairs. Those of the bulk converge slowly and matter to
nobody."""
ARPACK_STEPS = 2000
"""Largest number of restarts of ARPACK for one extreme eigenvalue."""
DENSE_SECONDS = 3e-10
"""CPU seconds per cube of the number of rows that LAPACK is expected to take."""


class OutOfTime(Exception):
    """Raised when eigenvalues cannot be had before a deadline."""


def start_vector(n: int) -> np.ndarray:
    """A random vector, the same in every run, so that no eigenvector is orthogonal to it."""
    return np.random.default_rng(0).standard_normal(n)


def dense_largest(M: np.ndarray) -> float:
    """λ_max of a dense symmetric matrix, to rounding.

    Optimal matrices of ϑ have a cluster of eigenvalues at the top, in which no iteration would
    find the largest one.
    """
    n = len(M)
    try:
        return float(scipy.linalg.eigvalsh(M, subset_by_index=[n - 1, n - 1])[0])
    except scipy.linalg.LinAlgError:  # bisection fails on some matrices with few eigenvalues
        return float(scipy.linalg.eigvalsh(M, driver="evd")[-1])


def lanczos_largest(
    product: Callable[[Any], Any], start: Any, *, tol: float, most: int = 300
) -> tuple[float, float, Any]:
    """The top Ritz value of a symmetric operator, the norm of its residual, and its vector.

    Lanczos with full reorthogonalisation from ``start``, a NumPy or torch vector, until the
    residual is ``tol`` times the norm or after ``most`` products. An eigenvalue lies within
    the residual of the value. It is likely, but not proven, that it is the largest one, and no
    caller relies on that.

    >>> value, residual, _ = lanczos_largest(lambda v: np.arange(5.0) * v, np.ones(5), tol=1e-12)
    >>> abs(value - 4) < 1e-9, residual < 1e-9
    (True, True)
    """
    n = len(start)
    steps = min(most, n)
    Q = start.new_zeros((steps, n)) if hasattr(start, "new_zeros") else np.zeros((steps, n))
    alpha, beta = np.zeros(steps), np.zeros(steps)
    q = start / float(start @ start) ** 0.5
    for k in range(steps):
        Q[k] = q
        image = product(q)
        alpha[k] = float(q @ image)
        for _ in range(2):  # once is not enough when Ritz values have converged
            image = image - (Q[: k + 1] @ image) @ Q[: k + 1]
        beta[k] = float(image @ image) ** 0.5
        scale = max(abs(alpha[: k + 1]).max(), beta[: k + 1].max(), 1e-300)
        last = k + 1 == steps or beta[k] <= 1e-14 * scale
        if last or (k + 1) % CHECK_EVERY == 0:
            value, weights = _tridiagonal_largest(alpha[: k + 1], beta[:k])
            residual = float(beta[k] * abs(weights[-1]))
            if last or residual <= tol * scale:
                break
        q = image / beta[k]
    coefficients = Q.new_tensor(weights) if hasattr(Q, "new_tensor") else weights
    return value, residual, coefficients @ Q[: k + 1]


def _tridiagonal_largest(diagonal: np.ndarray, beside: np.ndarray) -> tuple[float, np.ndarray]:
    """The largest eigenvalue of a tridiagonal matrix and its vector."""
    k = len(diagonal)
    if k == 1:
        return float(diagonal[0]), np.ones(1)
    values, vectors = scipy.linalg.eigh_tridiagonal(
        diagonal, beside, select="i", select_range=(k - 1, k - 1)
    )
    return float(values[0]), vectors[:, 0]


def largest_eigenpairs(
    C: Any, d: int, *, magnitude: bool = False, deadline: Deadline | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The ``d`` algebraically largest eigenpairs of a symmetric matrix, dense or sparse.

    With ``magnitude`` they are the ``d`` largest in magnitude. Values, or magnitudes, descend. The
    entry of largest magnitude of every vector is positive, so that signs do not depend on the
    solver. There may be fewer than ``d`` pairs if ARPACK does not converge. :class:`OutOfTime` is
    raised if ``deadline`` comes first.

    >>> largest_eigenpairs(np.diag([3.0, 1.0, 2.0]), 2)[0].tolist()
    [3.0, 2.0]
    """
    n = C.shape[0]
    d = min(d, n)
    if n <= PAIRS_DENSE_UP_TO or 5 * d > n:
        if deadline is not None and not deadline.fits(DENSE_SECONDS * n**3):
            raise OutOfTime
        wanted = None if magnitude else [n - d, n - 1]
        values, vectors = scipy.linalg.eigh(_dense(C), subset_by_index=wanted)
    else:
        options: dict[str, Any] = {
            "v0": start_vector(n), "ncv": min(n, 2 * d + 20), "tol": PAIRS_TOL,
            "which": "LM" if magnitude else "LA",
        }  # fmt: skip
        try:
            values, vectors = eigsh(_watched(C, deadline), k=d, **options)
        except ArpackNoConvergence as short:
            values, vectors = short.eigenvalues, short.eigenvectors
            if not len(values):
                raise LovaszError(
                    f"none of the {d} largest eigenvalues of a kernel of {n:,} nodes converged; "
                    "ask for fewer communities or dimensions, or give labels"
                ) from None
    order = np.argsort(-np.abs(values) if magnitude else -values, kind="stable")[:d]
    values, vectors = values[order], vectors[:, order]
    top = np.abs(vectors).argmax(axis=0)
    return values, vectors * np.where(vectors[top, np.arange(len(top))] < 0, -1.0, 1.0)


def largest_eigenvalue_bound(K: Any, *, tol: float = 1e-5) -> float:
    """λ_max of a symmetric matrix, dense or sparse, from above by the error of ARPACK.

    >>> round(largest_eigenvalue_bound(np.diag(np.arange(100.0))), 6)
    99.0
    """
    n = K.shape[0]
    if n <= BOUND_DENSE_UP_TO:
        return float(np.linalg.eigvalsh(_dense(K))[-1])
    gershgorin = float(abs(K).sum(axis=1).max())
    if gershgorin == 0:
        return 0.0
    found = _outward(K, "LA", tol)
    return gershgorin if found is None else min(found, gershgorin)


def smallest_eigenvalue_depth(
    C: sparse.csr_array, *, tol: float = 1e-5, deadline: Deadline | None = None
) -> float:
    """|λ_min(C)| of a symmetric matrix with zero trace, from above by the error of its method.

    The sum of the eigenvalues is zero, so λ_min < 0 unless C = 0. Erring upwards keeps
    I + C/depth positive semidefinite. A dense solver errs by a few n·ε‖C‖. A Lanczos pair
    (θ, v) has an eigenvalue within ‖Cv − θv‖ of θ, which is taken to be the smallest one. If
    ``deadline`` comes first, :func:`spectral_norm_bound` is returned.
    """
    n = C.shape[0]
    if n <= DEPTH_DENSE_UP_TO:
        values = scipy.linalg.eigvalsh(C.toarray())
        return float(-values[0] + n * np.finfo(float).eps * np.abs(values).max())
    found = _outward(C, "SA", tol, deadline)
    return spectral_norm_bound(C) if found is None else min(-found, spectral_norm_bound(C))


def spectral_norm_bound(C: sparse.csr_array) -> float:
    """A proven bound on the spectral norm: ‖C‖₂² = ‖C²‖₂ ≤ the largest row sum of |C|²."""
    magnitude = abs(C)
    return float(np.sqrt((magnitude @ magnitude.sum(axis=1)).max()))


def _outward(
    A: Any, end: Literal["LA", "SA"], tol: float, deadline: Deadline | None = None
) -> float | None:
    """The largest ("LA") or smallest ("SA") eigenvalue, moved outward by its residual.

    None if ARPACK does not converge, or not in time.
    """
    start, watched = start_vector(A.shape[0]), _watched(A, deadline)
    try:
        (value,), vectors = eigsh(watched, k=1, which=end, v0=start, tol=tol, maxiter=ARPACK_STEPS)
    except (ArpackNoConvergence, OutOfTime):
        return None
    vector = vectors[:, 0] / np.linalg.norm(vectors[:, 0])
    residual = np.linalg.norm(A @ vector - value * vector)
    return float(value + residual if end == "LA" else value - residual)


def _watched(A: Any, deadline: Deadline | None) -> Any:
    """The matrix as an operator whose products raise :class:`OutOfTime` after the deadline."""
    if deadline is None or not deadline.limited:
        return A

    def product(x: np.ndarray) -> np.ndarray:
        if deadline.over():
            raise OutOfTime
        image: np.ndarray = A @ x
        return image

    return LinearOperator(A.shape, matvec=product, dtype=A.dtype)


def _dense(matrix: Any) -> np.ndarray:
    return matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)
