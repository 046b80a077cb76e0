"""The bounds of :mod:`.certify` for large sparse graphs, without an n × n array.

Upper: t I + A*(y) ⪰ c cᵀ is the semidefiniteness of a sparse matrix with one more row,

    B = [ t I + A*(y)   √t c ]
        [   √t cᵀ         t  ],

which is shown by elimination with diagonal pivots, B = L U with pivots D > 0 up to rounding:
|B − L U| ≤ γ |L||U| entry by entry, and with F = D⁻¹U − Lᵀ, which only rounding makes non-zero,
xᵀBx ≥ xᵀLDLᵀx − ‖L D F‖‖x‖² − ‖γ|L||U|‖‖x‖². So λ_min(B) ≥ −δ with a computable δ, whence
(t+δ) I + A*(y) ⪰ t/(t+δ) c cᵀ and ϑ ≤ (t+δ)²/t.

Lower: remove the entries R on the edges from X = V Vᵀ and add Σ_j |R_ij| to the diagonal. The
result is feasible, because the added diagonal minus R is diagonally dominant.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import SuperLU, splu

from lovasz.base.rounding import UNIT, down, gamma, up
from lovasz.graphs import Graph
from lovasz.linalg.eigenvalues import lanczos_largest, start_vector
from lovasz.number.proofs.certify import MakeKernel

Product = Callable[[np.ndarray], np.ndarray]
"""A product of a matrix with a vector."""

RESOLUTION = 1e-9
"""First relative step above the estimate of λ_max at which a bound is tried."""
MARGIN = 1 + 1e-6
"""Factor that exceeds the rounding of a norm computed from sums of positive numbers."""


def upper_bound(graph: Graph, c: np.ndarray, edge_values: np.ndarray) -> tuple[float, MakeKernel]:
    """A proven t ≥ ϑ and, when called, K = I + A*(y)/t in 𝒦(G) with t K ⪰ c cᵀ."""
    i, j = graph.edges()
    half = sparse.coo_array((edge_values, (i, j)), shape=(graph.n, graph.n)).tocsr()
    A = sparse.csr_array(half + half.T)
    start = c + 0.1 * start_vector(graph.n)
    guess, residual, _ = lanczos_largest(lambda v: c * (c @ v) - A @ v, start, tol=1e-10)
    guess = max(guess, float((c * c).max()))
    step = RESOLUTION * guess + residual
    while True:
        t = up(guess + step)
        loss = _negativity(_bordered(A, c, t))
        if loss is not None:
            break
        step *= 4
    loss = up(loss + 4 * UNIT * math.sqrt(t) * float(np.linalg.norm(c)) * MARGIN)
    bound = up(up(t + loss) ** 2 / t, 6)
    if not (c == 1).all():
        bound = up(bound + 8 * UNIT * float(c @ c) * MARGIN)
    # Pull K towards I by more than the rounding of the entries.
    shrink = (1 - 8 * UNIT * max(1.0, float(np.linalg.norm(A.data)) / t)) / up(t + loss)
    eye = sparse.eye_array(graph.n, format="csr")
    return bound, lambda: sparse.csr_array(eye + A * shrink)


def _bordered(A: sparse.csr_array, c: np.ndarray, t: float) -> sparse.csc_array:
    """The matrix B, with its dense row last."""
    n = len(c)
    row = sparse.csr_array(math.sqrt(t) * c[None, :])
    top = sparse.hstack([A + t * sparse.eye_array(n), row.T])
    return sparse.csc_array(sparse.vstack([top, sparse.hstack([row, sparse.csr_array([[t]])])]))


def _negativity(B: sparse.csc_array) -> float | None:
    """A proven δ ≥ 0 with λ_min(B) ≥ −δ, or None if a pivot is not positive."""
    try:
        factors: SuperLU = splu(
            B, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0,
            options={"SymmetricMode": True, "Equil": False},
        )  # fmt: skip
    except RuntimeError:  # a pivot is exactly zero
        return None
    L, U = factors.L.tocsr(), factors.U.tocsr()
    pivots = U.diagonal()
    # P_r B P_c = L U is a symmetric permutation of B only if every pivot was diagonal.
    if not ((pivots > 0).all() and np.array_equal(factors.perm_r, factors.perm_c)):
        return None
    F = abs(sparse.diags_array(1 / pivots) @ U - L.T)
    L, U = abs(L), abs(U)
    size = B.shape[0]
    product = _norm(lambda v: L @ (U @ v), lambda v: U.T @ (L.T @ v), size)
    uneven = _norm(lambda v: L @ (pivots * (F @ v)), lambda v: F.T @ (pivots * (L.T @ v)), size)
    return float(MARGIN * ((gamma(size + 2) + 8 * UNIT) * product + uneven))


def _norm(times: Product, transposed: Product, n: int) -> float:
    """√(‖P‖₁‖P‖_∞) ≥ ‖P‖₂ of a matrix P ≥ 0."""
    ones = np.ones(n)
    return math.sqrt(float(times(ones).max()) * float(transposed(ones).max()))


def lower_bound(graph: Graph, c: np.ndarray, V: np.ndarray) -> float:
    """A proven bound cᵀQXQc / tr QXQ ≤ ϑ, with X made of V Vᵀ as above and Q diagonal.

    Q = I gives the plain bound. The top eigenvector of (c cᵀ)∘X against diag X gives the best Q.
    """
    if not np.isfinite(V).all():
        return 0.0
    i, j = graph.edges()
    r = V.shape[1]
    size = np.sqrt(np.einsum("ij,ij->i", V, V))
    R = np.einsum("ij,ij->i", V[i], V[j])
    rounding = gamma(r + 4) * size[i] * size[j]
    excess: np.ndarray = np.bincount(i, np.abs(R) + rounding, graph.n)
    excess = (excess + np.bincount(j, np.abs(R) + rounding, graph.n)) * MARGIN
    diagonal = size**2 + excess
    if diagonal.max() <= 0:
        return 0.0
    root = np.where(diagonal > 1e-14 * diagonal.max(), diagonal, np.inf) ** -0.5 * c
    removed = sparse.coo_array((R, (i, j)), shape=(graph.n, graph.n)).tocsr()

    def times(v: np.ndarray) -> np.ndarray:
        x = root * v
        image: np.ndarray = root * (V @ (x @ V) + excess * x - removed @ x - x @ removed)
        return image

    best = np.abs(lanczos_largest(times, np.sqrt(diagonal), tol=1e-8)[2]) * root / c
    return max(_ratio(graph, c, V, R, excess, q) for q in (np.ones(graph.n), best))


def _ratio(
    graph: Graph, c: np.ndarray, V: np.ndarray, R: np.ndarray, excess: np.ndarray, q: np.ndarray
) -> float:
    """pᵀXp / Σ q_i² X_ii with p = q c, rounded down by more than the error of every sum."""
    i, j = graph.edges()
    p, size = q * c, np.sqrt(np.einsum("ij,ij->i", V, V))
    ends = np.abs(p[i] * p[j])
    sums, taken = p @ V, 2 * float((p[i] * p[j] * R).sum())
    added = float((p**2 * excess).sum())
    below = float((q**2 * (size**2 + excess)).sum())
    magnitude = float((np.abs(p) @ np.abs(V)) @ np.abs(sums)) + added + below
    magnitude += 2 * float((ends * (np.abs(R) + size[i] * size[j])).sum())
    error = 4 * gamma(2 * graph.n + V.shape[1] + graph.m + 16) * magnitude
    return max(0.0, down((float(sums @ sums) - taken + added - error) / (below + error), 4))
