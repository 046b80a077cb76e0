"""Bounds on ϑ that are proven, from anything a solver returns.

Every bound here accounts for rounding: a matrix counts as positive semidefinite only when a
floating-point Cholesky factorisation of it, shifted down by more than its own error, runs to
completion (Rump, *Verification of positive definiteness*, BIT 2006). What is assumed is IEEE
double arithmetic and a LAPACK whose Cholesky sums products in some order.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.linalg
from scipy import sparse

from lovasz.graphs import Graph
from lovasz.number.variants import Variant

UNIT = 2.0**-53


def gamma(k: int) -> float:
    """γ_k = k u / (1 − k u): the relative error of k roundings in a row."""
    return k * UNIT / (1 - k * UNIT)


def down(x: float, steps: int = 2) -> float:
    """``x``, rounded towards −∞ past the rounding of ``steps`` operations."""
    for _ in range(steps):
        x = math.nextafter(x, -math.inf)
    return x


def up(x: float, steps: int = 2) -> float:
    """``x``, rounded towards +∞ past the rounding of ``steps`` operations."""
    return -down(-x, steps)


def proves_psd(S: np.ndarray) -> bool:
    """Whether a symmetric matrix of doubles is proven positive semidefinite; S is overwritten.

    If the Cholesky factorisation of S − εI completes, its smallest eigenvalue is at least
    −γ/(1−γ) tr(S) with γ = γ_{n+2}; so ε = γ/(1−γ) tr(S) proves S ⪰ 0. Only the lower
    triangle is read.
    """
    diagonal = np.diag(S)
    if not (diagonal > 0).all() or not np.isfinite(S).all():
        return False
    g = gamma(len(S) + 2)
    shift = up(g / (1 - g) * float(diagonal.sum()) * (1 + gamma(len(S))), 6)
    S[np.diag_indices_from(S)] = np.nextafter(diagonal - shift, -np.inf)
    _, info = scipy.linalg.lapack.dpotrf(S, lower=1, overwrite_a=1, clean=0)
    return info == 0


def dual_matrix(
    graph: Graph,
    c: np.ndarray,
    edge_values: np.ndarray,
    excess: np.ndarray | None = None,
    variant: Variant = Variant.LOVASZ,
) -> np.ndarray:
    """M = c cᵀ − A*(y): given by y on the edges, by c elsewhere.

    For ϑ⁺ y ≥ 0. For ϑ′ M may exceed c cᵀ on the non-edges.
    """
    i, j = graph.edges()
    M = np.outer(c, c)
    diagonal = np.diag(M).copy()
    if variant is Variant.SCHRIJVER and excess is not None and np.isfinite(excess).all():
        M += np.maximum((excess + excess.T) / 2, 0)
        M[np.diag_indices_from(M)] = diagonal
        M[i, j] = c[i] * c[j]
    M[i, j] -= edge_values.clip(min=0) if variant is Variant.SZEGEDY else edge_values
    M[j, i] = M[i, j]
    return M


def upper_bound(
    graph: Graph,
    c: np.ndarray,
    edge_values: np.ndarray,
    excess: np.ndarray | None = None,
    variant: Variant = Variant.LOVASZ,
) -> tuple[float, sparse.csr_array]:
    """A proven t ≥ ϑ and K = I + A*(y)/t, which is in 𝒦(G) and satisfies t K ⪰ c cᵀ.

    ϑ ≤ t whenever t I − M ⪰ 0. The entries of M on the edges are free, so they are what the
    doubles say; c cᵀ elsewhere is rounded (not for c = 1), by at most 4u‖c‖² in norm. So are
    the signs of M − c cᵀ in ϑ′ and ϑ⁺: right for the rounded c cᵀ, and M is as near to a matrix
    where they are right for the exact one.
    """
    M = dual_matrix(graph, c, edge_values, excess, variant)
    n = graph.n
    guess = float(scipy.linalg.eigvalsh(M, subset_by_index=[n - 1, n - 1])[0])
    guess = max(guess, float(np.diag(M).max()))
    slack = 0.0 if (c == 1).all() else up(4 * UNIT * float(c @ c) * (1 + gamma(n + 2)))
    step = 2 * gamma(n + 2) * n * guess
    while True:
        t = up(guess + step)
        S = -M
        S[np.diag_indices_from(S)] = np.nextafter(t - np.diag(M), -np.inf)
        if proves_psd(S):
            break
        step *= 2
    t = up(t + slack)
    B = np.outer(c, c) - M
    return t, kernel_on(sparse.csr_array(B) if excess is not None else graph.adjacency, B, t)


def kernel_on(places: sparse.csr_array, B: np.ndarray, t: float) -> sparse.csr_array:
    """I + B/t on these places, pulled towards I by more than the rounding of its entries."""
    K = places.copy()
    K.data = np.ones_like(K.data)
    rows = np.repeat(np.arange(len(B)), np.diff(K.indptr))
    K.data = B[rows, K.indices] / t
    K.data *= 1 - 8 * UNIT * max(1.0, float(np.linalg.norm(K.data)))
    return (sparse.eye_array(len(B), format="csr") + K).tocsr()


def lower_bound(
    graph: Graph, c: np.ndarray, X: np.ndarray, variant: Variant = Variant.LOVASZ
) -> float:
    """A proven bound cᵀXc / tr X ≤ ϑ, after X has been made feasible.

    X is rescaled from both sides to the best of its shape, zeroed on the edges (or given its
    signs), and its diagonal raised until X ⪰ 0 is proven. Where there are signs, X is also tried
    as it is: scaling may blow up the small entries of the wrong sign. 0 when X is of no use.
    """
    diagonal = np.diag(X)
    if not np.isfinite(X).all() or diagonal.max() <= 0:
        return 0.0
    X = (X + X.T) / 2
    shapes = [best_scaling(X, c, variant)] + ([X] if variant.sign else [])
    return max(_raised(variant.nearest(shape, *graph.edges()), c) for shape in shapes)


def _raised(X: np.ndarray, c: np.ndarray) -> float:
    """cᵀXc / tr X after the diagonal has been raised until X ⪰ 0 is proven; overwrites X."""
    n = len(c)
    smallest = float(scipy.linalg.eigvalsh(X, subset_by_index=[0, 0])[0])
    raise_by = max(0.0, -smallest) + 4 * gamma(n + 2) * float(np.trace(X))
    for _ in range(60):
        X[np.diag_indices_from(X)] += raise_by
        if proves_psd(X.copy()):
            return _ratio(X, c)
        raise_by *= 2
    return 0.0


def _ratio(X: np.ndarray, c: np.ndarray) -> float:
    """cᵀXc / tr X, rounded down by more than the error of both sums and of c = √w."""
    n = len(c)
    error = gamma(2 * n + 8) * float(c @ (np.abs(X) @ c)) * (1 + gamma(2 * n))
    above = down(float(c @ (X @ c)) - error, 3)
    below = up(float(np.trace(X)) * (1 + gamma(n)), 3)
    return max(0.0, down(above / below))


def best_scaling(X: np.ndarray, c: np.ndarray, variant: Variant = Variant.LOVASZ) -> np.ndarray:
    """D X D with the diagonal D that makes cᵀDXDc / tr DXD largest.

    With p = D1 that is a Rayleigh quotient of (c cᵀ)∘X against diag X: its top eigenvector.
    Zeros and semidefiniteness survive, so nothing is lost by it. Signs survive |D|, which is as
    good as D where X ≥ 0 (Perron) and may be worse in ϑ⁺.
    """
    diagonal = np.diag(X)
    root = np.where(diagonal > 1e-14 * diagonal.max(), diagonal, np.inf) ** -0.5
    n = len(c)
    _, top = scipy.linalg.eigh(
        X * np.outer(c * root, c * root), subset_by_index=[n - 1, n - 1], overwrite_a=True
    )
    scale = top[:, 0] * root
    if variant.sign:
        scale = np.abs(scale)
    X = X * np.outer(scale, scale)
    return X / np.trace(X)
