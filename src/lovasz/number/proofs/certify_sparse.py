"""The bounds of :mod:`.certify` for large sparse graphs, without an n × n array.

Upper: for K in 𝒦(G) with K ⪰ λI, λ > 0, ϑ ≤ cᵀK⁻¹c. For any z and e = c − Kz this is
2cᵀz − zᵀKz + eᵀK⁻¹e ≤ cᵀz + zᵀe + |e|²/λ. That K ⪰ λI is shown by a Cholesky factorisation of
K − (λ + ε)I that runs to completion, where ε exceeds its rounding (see :mod:`.certify`); it also
gives the z for which e is nearly zero. The order of elimination does not matter for that.

Lower: remove the entries R on the edges from X = V Vᵀ and add Σ_j |R_ij| to the diagonal. The
result is feasible, because the added diagonal minus R is diagonally dominant.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import sparse

from lovasz.base.rounding import UNIT, down, gamma, up
from lovasz.graphs import Graph
from lovasz.linalg.eigenvalues import lanczos_largest, start_vector
from lovasz.number.proofs.certify import MakeKernel
from lovasz.number.proofs.elimination import Cholesky, NotPositive

MARGIN = 1 + 1e-6
"""Factor that exceeds the rounding of a norm computed from sums of positive numbers."""
PULLS = 40
"""Largest number of times that K is pulled towards I, four times as far each time."""


def upper_bound(
    graph: Graph, c: np.ndarray, edge_values: np.ndarray, guess: float | None = None
) -> tuple[float, MakeKernel]:
    """A proven t ≥ ϑ and, when called, K = I + A*(y)/t₀ in 𝒦(G) with t K ⪰ c cᵀ.

    ``guess`` is t₀, a little above λ_max(c cᵀ − A*(y)); it is estimated if None. Where K is not
    proven positive definite, it is pulled towards I.
    """
    i, j = graph.edges()
    half = sparse.coo_array((edge_values, (i, j)), shape=(graph.n, graph.n)).tocsr()
    A = sparse.csr_array(half + half.T)
    if guess is None:
        start = c + 0.1 * start_vector(graph.n)
        value, residual, _ = lanczos_largest(lambda v: c * (c @ v) - A @ v, start, tol=1e-10)
        guess = max(value + residual, float((c * c).max()))
    A = A / guess
    g = gamma(graph.n + 2)
    rounding = 1.01 * g / (1 - g) * graph.n
    pull = 0.0
    for _ in range(PULLS):
        K = sparse.csr_array(A / (1 + pull) + sparse.eye_array(graph.n))
        try:
            # Half of the shift is for rounding; K ⪰ ``least`` I is what is left of it.
            least = rounding
            factor = Cholesky(K - 2 * rounding * sparse.eye_array(graph.n, format="csr"))
        except NotPositive:
            pull = max(4 * pull, 4 * rounding)
            continue
        bound = quadratic_bound(K, c, factor, least)
        return bound, lambda: K
    clique_like = up(float((c * c).sum()) * (1 + gamma(graph.n)))
    return clique_like, lambda: sparse.eye_array(graph.n, format="csr")


def quadratic_bound(K: sparse.csr_array, c: np.ndarray, factor: Cholesky, least: float) -> float:
    """A proven bound on cᵀK⁻¹c, given K ⪰ ``least`` I and a factor that is close to one of K."""
    n = len(c)
    size = abs(K)
    z = factor.solve(c)
    for _ in range(3):  # the factor is that of K less a shift
        z = z + factor.solve(c - K @ z)
    e = c - K @ z
    terms = int(np.diff(K.indptr).max()) + 4
    error = 2 * gamma(terms) * (np.abs(c) + size @ np.abs(z))
    quadratic = float(((np.abs(e) + error) ** 2).sum()) / least * MARGIN
    sums = float(c @ z) + float(z @ e)
    magnitude = float(np.abs(c) @ np.abs(z) + np.abs(z) @ (np.abs(e) + error)) * MARGIN
    bound = sums + float(np.abs(z) @ error) * MARGIN + quadratic + 4 * gamma(n + 8) * magnitude
    # c = √w is rounded unless all weights are 1.
    return up(bound * (1 if (c == 1).all() else 1 + 8 * UNIT), 4)


def lower_bound(graph: Graph, c: np.ndarray, V: np.ndarray) -> float:
    """A proven bound cᵀQXQc / tr QXQ ≤ ϑ, with X made of V Vᵀ as above and Q diagonal.

    Q = I gives the plain bound. For X = V Vᵀ with the diagonal A that it has in the end, the best
    Q comes from the top eigenvector of Vᵀ Diag(c²/A) V.
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
    inverse = 1 / np.where(diagonal > 1e-14 * diagonal.max(), diagonal, np.inf)
    _, vectors = np.linalg.eigh(V.T @ (V * (c * c * inverse)[:, None]))
    best = np.abs(inverse * c * (V @ vectors[:, -1]))
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
