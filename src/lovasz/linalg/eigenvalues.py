"""Extreme eigenvalues of large symmetric matrices from products with vectors, on any device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg
from scipy import sparse
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

CHECK_EVERY = 8


def largest(
    product: Callable[[Any], Any], start: Any, *, tol: float, most: int = 300
) -> tuple[float, float, Any]:
    """The top Ritz value of a symmetric operator, the norm of its residual, and its vector.

    Lanczos with full reorthogonalisation from ``start``, a NumPy or torch vector, until the
    residual is ``tol`` times the norm or after ``most`` products. An eigenvalue lies within
    the residual of the value. That it is the largest is likely; nothing here relies on it.

    >>> value, residual, _ = largest(lambda v: np.arange(5.0) * v, np.ones(5), tol=1e-12)
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
            value, weights = _top(alpha[: k + 1], beta[:k])
            residual = float(beta[k] * abs(weights[-1]))
            if last or residual <= tol * scale:
                break
        q = image / beta[k]
    coefficients = Q.new_tensor(weights) if hasattr(Q, "new_tensor") else weights
    return value, residual, coefficients @ Q[: k + 1]


def _top(diagonal: np.ndarray, beside: np.ndarray) -> tuple[float, np.ndarray]:
    """The largest eigenvalue of a tridiagonal matrix and its vector."""
    k = len(diagonal)
    if k == 1:
        return float(diagonal[0]), np.ones(1)
    values, vectors = scipy.linalg.eigh_tridiagonal(
        diagonal, beside, select="i", select_range=(k - 1, k - 1)
    )
    return float(values[0]), vectors[:, 0]


def start_vector(n: int) -> np.ndarray:
    """A vector no eigenvector is orthogonal to, the same in every run."""
    return np.random.default_rng(0).standard_normal(n)


EXACT_UP_TO = 600  # nodes; a dense eigenvalue is as fast as Lanczos there, and has no tolerance


def depth(C: sparse.csr_array, *, tol: float = 1e-5) -> float:
    """|λ_min(C)| of a symmetric matrix with zero trace, from above by the error of its method.

    The sum of the eigenvalues is zero, so λ_min < 0 unless C = 0. Erring upwards keeps
    I + C/depth positive semidefinite. A dense solver errs by a few n·ε‖C‖. A Lanczos pair
    (θ, v) has an eigenvalue within ‖Cv − θv‖ of θ; it is taken to be the smallest.
    """
    n = C.shape[0]
    if n <= EXACT_UP_TO:
        values = scipy.linalg.eigvalsh(C.toarray())
        return float(-values[0] + n * np.finfo(float).eps * np.abs(values).max())
    start = np.random.default_rng(0).standard_normal(n)  # fixed: the same graph, the same kernel
    try:
        (value,), vectors = eigsh(C, k=1, which="SA", v0=start, tol=tol, maxiter=100 * 20)
    except ArpackNoConvergence:
        return spectral_bound(C)
    vector = vectors[:, 0] / np.linalg.norm(vectors[:, 0])
    return float(min(-value + np.linalg.norm(C @ vector - value * vector), spectral_bound(C)))


def spectral_bound(C: sparse.csr_array) -> float:
    """A proven bound: ‖C‖₂² = ‖C²‖₂ ≤ the largest row sum of |C|²."""
    magnitude = abs(C)
    return float(np.sqrt((magnitude @ magnitude.sum(axis=1)).max()))
