"""Bounds on ϑ that are proven, from anything a solver returns.

Every bound here accounts for rounding: a matrix counts as positive semidefinite only when a
floating-point Cholesky factorisation of it, shifted down by more than its own error, runs to
completion (Rump, *Verification of positive definiteness*, BIT 2006). What is assumed is IEEE
double arithmetic and a LAPACK whose Cholesky sums products in some order.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import scipy.linalg
from scipy import sparse

from lovasz.graphs import Graph
from lovasz.number.lanczos import largest, start_vector
from lovasz.number.variants import Variant

UNIT = 2.0**-53
EXACT_UP_TO = 700  # nodes: λ_max by LAPACK, to rounding
RESOLUTION = 1e-9  # of t beyond


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
    if variant is Variant.SCHRIJVER and excess is not None and np.isfinite(excess).all():
        M += np.maximum((excess + excess.T) / 2, 0)
        np.fill_diagonal(M, c * c)
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
    doubles say; c cᵀ elsewhere is rounded (not for c = 1), by at most 4u‖c‖² in norm. The signs
    of M − c cᵀ in ϑ′ and ϑ⁺ are right for the rounded c cᵀ, so that M is as near to a matrix
    where they are right for the exact one.
    """
    M = dual_matrix(graph, c, edge_values, excess, variant)
    n = graph.n
    guess = max(largest_eigenvalue(M), float(np.diag(M).max()))
    slack = 0.0 if (c == 1).all() else up(4 * UNIT * float(c @ c) * (1 + gamma(n + 2)))

    def proven(step: float) -> bool:
        S = -M
        S[np.diag_indices_from(S)] = np.nextafter(up(guess + step) - np.diag(M), -np.inf)
        return proves_psd(S)

    first = 2 * gamma(n + 2) * n if n <= EXACT_UP_TO else RESOLUTION
    t = up(up(guess + smallest_step(proven, first * guess)) + slack)
    B = np.outer(c, c) - M
    return t, kernel_on(graph.adjacency if excess is None else sparse.csr_array(B), B, t)


def largest_eigenvalue(M: np.ndarray) -> float:
    """λ_max, to rounding for small matrices, from below by a few digits less for large ones."""
    n = len(M)
    if n <= EXACT_UP_TO:
        return float(scipy.linalg.eigvalsh(M, subset_by_index=[n - 1, n - 1])[0])
    return largest(lambda v: M @ v, start_vector(n), tol=1e-9, most=100)[0]


def smallest_step(proven: Callable[[float], bool], first: float) -> float:
    """A step for which ``proven`` holds, at most twice as long as the shortest, unless ``first``.

    A factorisation that fails costs less than one that succeeds, and both less than an
    eigenvalue in the middle of a cluster, where optimal matrices have theirs.
    """
    step, most = first, 60
    while not proven(step):
        step, most = 4 * step, most - 1
        if most == 0:
            return math.inf
    if step > first and proven(step / 2):
        step /= 2
    return step


def kernel_on(places: sparse.csr_array, B: np.ndarray, t: float) -> sparse.csr_array:
    """I + B/t on these places, pulled towards I by more than the rounding of its entries."""
    K = places.copy()
    rows = np.repeat(np.arange(len(B)), np.diff(K.indptr))
    K.data = B[rows, K.indices] / t
    K.data *= 1 - 8 * UNIT * max(1.0, float(np.linalg.norm(K.data)))
    return (sparse.eye_array(len(B), format="csr") + K).tocsr()


def lower_bound(
    graph: Graph, c: np.ndarray, X: np.ndarray, variant: Variant = Variant.LOVASZ
) -> float:
    """A proven bound cᵀXc / tr X ≤ ϑ, after X has been made feasible.

    X is zeroed on the edges (or given its signs), rescaled from both sides to the best of its
    shape, and its diagonal raised until X ⪰ 0 is proven. 0 when X is of no use.
    """
    diagonal = np.diag(X)
    if not np.isfinite(X).all() or diagonal.max() <= 0:
        return 0.0
    gone = (X + X.T) / 2
    X = variant.nearest(gone.copy(), *graph.edges())
    # What a row loses says how much its diagonal needs: a part of the norm where many entries
    # cancel, all of it where there is one.
    gone -= X
    lost = np.sqrt(np.einsum("ij,ij->i", gone, gone))
    scale = best_scaling(X, diagonal + lost, c)
    X *= np.outer(scale, scale)
    needed = lost * scale**2 + 4 * gamma(graph.n + 2) * float(np.trace(X))  # X is rounded, too

    def raised(step: float) -> np.ndarray:
        Y = X.copy()
        Y[np.diag_indices_from(Y)] += step * needed
        return Y

    step = smallest_step(lambda step: proves_psd(raised(step)), 1 / 8)
    return _ratio(raised(step), c) if math.isfinite(step) else 0.0


def _ratio(X: np.ndarray, c: np.ndarray) -> float:
    """cᵀXc / tr X, rounded down by more than the error of both sums and of c = √w."""
    n = len(c)
    error = gamma(2 * n + 8) * float(c @ (np.abs(X) @ c)) * (1 + gamma(2 * n))
    above = down(float(c @ (X @ c)) - error, 3)
    below = up(float(np.trace(X)) * (1 + gamma(n)), 3)
    return max(0.0, down(above / below))


def best_scaling(X: np.ndarray, diagonal: np.ndarray, c: np.ndarray) -> np.ndarray:
    """The diagonal D that makes cᵀDXDc / tr DXD largest, X with the given diagonal.

    With p = D1 that is a Rayleigh quotient of (c cᵀ)∘X against diag X: its top eigenvector.
    Zeros, signs (D ≥ 0) and semidefiniteness survive, so nothing is lost by it. Where X ≥ 0 the
    eigenvector is ≥ 0 as it comes (Perron).
    """
    root = np.where(diagonal > 1e-14 * diagonal.max(), diagonal, np.inf) ** -0.5
    Y = X * np.outer(c * root, c * root)
    Y[np.diag_indices_from(Y)] = (c * root) ** 2 * diagonal
    top = np.abs(largest(lambda v: Y @ v, c * np.sqrt(diagonal), tol=1e-10)[2])
    return top * root
