"""The bounds of :mod:`.certify` for large sparse graphs, without an n × n array.

Upper: for K in 𝒦(G) with K ⪰ λI, λ > 0, ϑ ≤ cᵀK⁻¹c. For any z and e = c − Kz this is
cᵀz + zᵀe + eᵀK⁻¹e ≤ cᵀz + zᵀe + |e|²/λ. That K ⪰ λI is shown by a Cholesky factorisation of
K − 2λI that runs to completion, where λ exceeds its rounding (see :mod:`.elimination`); it also
gives the z for which e is nearly zero. The entries of K on the edges are free, so the doubles of K
are exact, and its diagonal is exactly 1. Where a factorisation is too dear, λ comes from a test
that fails with a known, tiny probability (see :mod:`.probable`), and z from conjugate gradients.

Lower: remove the entries R on the edges from X = V Vᵀ and add Σ_j |R_ij| to the diagonal. The
result is feasible, because the added diagonal minus R is diagonally dominant. For ϑ⁺, where X ≤ 0
on the edges, only positive entries are removed.

Vectors are scaled by powers of two before, so that nothing that matters underflows: the largest
weight, and with it ϑ, is then at least ¼, beside which numbers near 1e-300 are nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import sparse

from lovasz.base.rounding import UNIT, gamma
from lovasz.graphs import Graph
from lovasz.linalg.eigenvalues import lanczos_largest, start_vector
from lovasz.number.proofs.certify import MakeKernel
from lovasz.number.proofs.elimination import Cholesky, NotPositive, TooDear
from lovasz.number.proofs.probable import TooFew, least_eigenvalue
from lovasz.number.solvers.contract import Approximation, unlimited
from lovasz.number.solvers.low_rank_compiled import edge_products
from lovasz.number.solvers.low_rank_primal import conjugate_gradients

PULLS = 40
"""Largest number of times that K is pulled towards I, four times as far each time."""
CORRECTIONS = 3
"""Number of corrections of z, whose factor is that of K less a shift."""
VANISHING = 1e-100
"""Numbers below this share of the largest are set to zero, so that no product underflows."""
SOLVED = 0.02
"""Share of ``room`` that the residual of z may cost a probable bound."""
SOLVE_STEPS = 2_000
"""Largest number of steps of conjugate gradients for z."""
BAND = 16_384
"""Number of rows of V of which there are copies at a time."""
FEW = 256
"""Number of columns of V up to which VᵀV is formed for its top eigenvector."""
TURNED = 1e-6
"""Relative residual up to which that of more columns is found by iteration; it enters squared."""
ITERATIONS = 40
"""Largest number of steps for that."""


def upper_bound(
    graph: Graph,
    c: np.ndarray,
    edge_values: np.ndarray,
    guess: float | None = None,
    left: Callable[[], float] = unlimited,
) -> tuple[float, MakeKernel]:
    """A proven t ≥ ϑ and, when called, K = I + A*(y)/t₀ in 𝒦(G) with t K ⪰ c cᵀ.

    ``guess`` is t₀, a little above λ_max(c cᵀ − A*(y)); it is estimated if None. Where K is not
    proven positive definite, it is pulled towards I. The bound is that of I if the proof would
    take more seconds than ``left()``.
    """
    n, eye = graph.n, sparse.eye_array(graph.n, format="csr")
    A = _edges_of_kernel(graph, c, edge_values, guess)
    # The factorisation of S = K − 2·rounding·I proves S ⪰ −rounding·I, because its trace is at most
    # n and four of the units u in γ are for the rounding of its diagonal and for underflow.
    rounding = gamma(n + 6) * n
    pull = 0.0
    for _ in range(PULLS if np.isfinite(A.data).all() else 0):
        K = sparse.csr_array(A / (1 + pull) + eye)
        try:
            factor = Cholesky(K - 2 * rounding * eye, left)
        except NotPositive:
            pull = max(4 * pull, 4 * rounding)
            continue
        except TooDear:
            break
        z = factor.solve(_normalised(c)[0])
        for _ in range(CORRECTIONS):
            z = z + factor.solve(_normalised(c)[0] - K @ z)
        return quadratic_bound(K, c, z, rounding), partial(sparse.csr_array, K)
    return float((c * c).sum()) * (1 + gamma(n + 8)), lambda: eye


def _edges_of_kernel(
    graph: Graph, c: np.ndarray, edge_values: np.ndarray, guess: float | None
) -> sparse.csr_array:
    """K − I = A*(y)/t₀ for the ``guess`` t₀."""
    n, (i, j) = graph.n, graph.edges()
    half = sparse.coo_array((edge_values, (i, j)), shape=(n, n)).tocsr()
    A = sparse.csr_array(half + half.T)
    if guess is None:
        start = c + 0.1 * start_vector(n)
        value, residual, _ = lanczos_largest(lambda v: c * (c @ v) - A @ v, start, tol=1e-10)
        guess = max(value + residual, float((c * c).max()))
    with np.errstate(all="ignore"):
        A.data /= guess
    return A


def probable_bound(
    graph: Graph,
    c: np.ndarray,
    approximation: Approximation,
    room: float,
    chance: float,
    left: Callable[[], float] = unlimited,
) -> tuple[float, MakeKernel]:
    """A number that is less than ϑ with a probability of at most ``chance``, and its kernel K.

    K is as in :func:`upper_bound`; that t K ⪰ c cᵀ fails with the same probability. ``room`` is the
    relative loss that the tests may cost. Raises :class:`.probable.TooFew` where time is too short.
    """
    if approximation.edge_values is None:
        raise TooFew
    A = _edges_of_kernel(graph, c, approximation.edge_values, approximation.t)
    if not np.isfinite(A.data).all():
        raise TooFew
    eye = sparse.eye_array(graph.n, format="csr")
    lowest = least_eigenvalue(
        sparse.csr_array(A + eye), room, chance, left, device=approximation.device
    )
    pull = max(-0.5, room - lowest)  # away from I if there is more room than needed
    K = sparse.csr_array(A / (1 + pull) + eye)
    # (1 + pull) K is at least (lowest + pull) I but for the rounding of its entries.
    rounded = 4 * UNIT * float(np.abs(K).sum(axis=1).max())
    least = (lowest + pull) / (1 + pull) * (1 - 1e-9) - rounded
    if least <= 0:
        raise TooFew
    small, exponent = _normalised(c)
    z = approximation.solution
    start = np.zeros(graph.n) if z is None else np.ldexp(z, -exponent)
    goal = math.sqrt(SOLVED * room * least * float(small @ small))
    z = conjugate_gradients(
        lambda v: K @ v, np.copy, small, start,
        lambda residual: float(np.linalg.norm(residual)) <= goal, SOLVE_STEPS,
        lambda: left() < 0,
    )  # fmt: skip
    return quadratic_bound(K, c, z, least), partial(sparse.csr_array, K)


def quadratic_bound(K: sparse.csr_array, c: np.ndarray, z: np.ndarray, least: float) -> float:
    """A proven bound on cᵀK⁻¹c, given K ⪰ ``least`` I and any z; the best z is 2⁻ᵉK⁻¹c.

    2ᵉ is the power of two next above the largest entry of c. The bound holds for the exact square
    roots of weights of which c has the rounded ones.
    """
    c, exponent = _normalised(c)
    e = c - K @ z
    # |e| is at most ``most`` entry by entry. The rounding of e takes half of γ. The rest, at least
    # sixteen units u, is for the products and sums below, and because ϑ grows with the weights,
    # which are at most (1 + 3u) c².
    terms = int(np.diff(K.indptr).max()) + 16
    error = 2 * gamma(terms) * (c + abs(K) @ np.abs(z))
    most = np.abs(e) + error
    missed = float(np.abs(z) @ error)
    quadratic = math.fsum((most * most).tolist()) / least
    value = math.fsum((c * z).tolist()) + math.fsum((z * e).tolist())
    return math.ldexp(value + missed + quadratic, 2 * exponent)


def _normalised(values: np.ndarray) -> tuple[np.ndarray, int]:
    """``values`` over a power of two, so that the largest is in [½, 1), and its exponent."""
    exponent = math.frexp(float(np.abs(values).max()))[1]
    return np.ldexp(values, -exponent), exponent


def lower_bound(graph: Graph, c: np.ndarray, V: np.ndarray, *, signed: bool = False) -> float:
    """A proven bound cᵀQXQc / tr QXQ ≤ ϑ, with X made of V Vᵀ as above and Q diagonal.

    With ``signed`` it is a bound on ϑ⁺.

    Q = I gives the plain bound. For X = V Vᵀ with the diagonal A that it has in the end, the best
    Q comes from the top eigenvector of Vᵀ Diag(c²/A) V.
    """
    largest = float(np.max([np.abs(rows).max(initial=0.0) for rows in bands(V)], initial=0.0))
    if not math.isfinite(largest) or largest == 0:
        return 0.0
    V = np.ldexp(V, -math.frexp(largest)[1])
    for rows in bands(V):
        rows[np.abs(rows) < VANISHING] = 0.0
    c, exponent = _normalised(c)
    i, j = graph.edges()
    square = np.einsum("ij,ij->i", V, V)
    size = np.sqrt(square)
    R = edge_products(V, V, i, j)
    # What R lacks, and the rounding of the sum of a row.
    terms = V.shape[1] + int(graph.degrees.max()) + 8
    doubt = gamma(terms) * size[i] * size[j]
    if signed:  # as much as makes every entry on an edge nonpositive, rounding included
        R = np.maximum(R + doubt, 0)
    lost = np.abs(R) + doubt
    excess = np.bincount(i, lost, graph.n) + np.bincount(j, lost, graph.n)
    diagonal = square + excess
    choices = [np.ones(graph.n), best_scaling(V, c, diagonal)]
    parts = V, diagonal, excess, R
    return math.ldexp(max(_ratio(graph, c, *parts, q) for q in choices), 2 * exponent)


def bands(V: np.ndarray) -> list[np.ndarray]:
    """Views of some rows of V each, for whose copies there is room."""
    return [V[begin : begin + BAND] for begin in range(0, len(V), BAND)]


def best_scaling(V: np.ndarray, c: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
    """The diagonal of the best Q, whose largest entry is 1, for X with this ``diagonal``."""
    inverse = 1 / np.where(diagonal > 1e-14 * diagonal.max(), diagonal, np.inf)
    best = np.abs(inverse * c * (V @ _top_vector(V, c, c * c * inverse)))
    return np.asarray(best / max(float(best.max()), VANISHING))


def _top_vector(V: np.ndarray, c: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The eigenvector of VᵀDiag(weights)V for its largest eigenvalue, which is near Vᵀc."""
    if V.shape[1] > FEW and (start := V.T @ c).any():
        return np.asarray(
            lanczos_largest(
                lambda h: V.T @ (weights * (V @ h)), start, tol=TURNED, most=ITERATIONS
            )[2]
        )
    gram = np.zeros((V.shape[1],) * 2)
    for rows, weight in zip(bands(V), bands(weights), strict=True):
        gram += rows.T @ (rows * weight[:, None])
    return np.asarray(np.linalg.eigh(gram)[1][:, -1])


def _ratio(
    graph: Graph,
    c: np.ndarray,
    V: np.ndarray,
    diagonal: np.ndarray,
    excess: np.ndarray,
    R: np.ndarray,
    q: np.ndarray,
) -> float:
    """pᵀXp / Σ q_i² X_ii with p = q c, rounded down by more than the error of every sum.

    The doubles of p are taken as exact. They belong to q = p/√w, which is that of the argument up
    to four roundings of its square. With a = Σ p_i |v_i|, the square of Vᵀp is off by at most
    γ_{2n+r} a², the sum over the edges by γ_{r+m+3} a², and the denominator by a share γ_{n+r+10}.
    """
    i, j = graph.edges()
    p = q * c
    p, q = np.where(p < VANISHING, 0.0, p), np.where(p < VANISHING, 0.0, q)
    whole, extra = p @ V, float((p * p) @ excess)
    above = float(whole @ whole) + extra - 2 * float((p[i] * p[j]) @ R)
    size = float(p @ np.sqrt(np.einsum("ij,ij->i", V, V)))
    error = gamma(3 * sum(V.shape) + graph.m + 32) * (size**2 + extra)
    below = float((q * q) @ diagonal)
    return 0.0 if below < VANISHING else max(0.0, (above - error) / below)
