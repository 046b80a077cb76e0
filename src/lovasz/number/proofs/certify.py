"""Bounds on ϑ that are proven, from anything a solver returns.

Every bound here accounts for rounding: a matrix counts as positive semidefinite only if the
floating-point Cholesky factorisation of the matrix, shifted down by more than the error of the
factorisation, runs to completion (Rump, *Verification of positive definiteness*, BIT 2006). The
assumptions are IEEE double arithmetic and a LAPACK whose Cholesky sums products in some order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import scipy.linalg
from scipy import sparse

from lovasz.base.rounding import UNIT, gamma
from lovasz.graphs import Graph
from lovasz.linalg import blocks
from lovasz.linalg.eigenvalues import dense_largest, lanczos_largest
from lovasz.number.solvers.algebra import Host
from lovasz.number.variants import Variant

TINY = 2.0**-300
"""A matrix counts as proven only if its largest diagonal entry is at least this."""
EXACT_UP_TO = 50
"""Number of rows up to which LAPACK finds an eigenvector faster than Lanczos."""
MakeKernel = Callable[[], sparse.csr_array]
"""A function that forms the kernel of an upper bound when it is needed."""


def proves_psd(S: np.ndarray) -> bool:
    """Whether a symmetric matrix of doubles is proven positive semidefinite; S is overwritten.

    If the Cholesky factorisation of S − εI completes, the smallest eigenvalue of that matrix is at
    least −γ/(1−γ) tr S with γ = γ_{n+2}, so ε = γ_{n+6} tr S proves S ⪰ 0. The four units u tr S
    more are for the rounding of S_ii − ε, for that of ε itself, and for underflow, which stays far
    below u tr S because the largest entry of the diagonal is at least TINY. Only the lower triangle
    is read.
    """
    diagonal = np.diag(S)
    if not (diagonal > 0).all() or diagonal.max() < TINY or not math.isfinite(float(S.sum())):
        return False
    S.flat[:: len(S) + 1] = diagonal - gamma(len(S) + 6) * float(diagonal.sum())
    if len(S) > 2 * blocks.BLOCK:
        host = Host()
        try:
            blocks.factor(S, host.cholesky, host.solve_lower)
        except scipy.linalg.LinAlgError:
            return False
        return True
    # LAPACK reads by columns. The transpose of a symmetric matrix is itself, and is not copied.
    _, info = scipy.linalg.lapack.dpotrf(S.T, lower=0, overwrite_a=1, clean=0)
    return bool(info == 0)


def dual_matrix(
    graph: Graph,
    c: np.ndarray,
    edge_values: np.ndarray,
    excess: np.ndarray | None = None,
    variant: Variant = Variant.LOVASZ,
) -> np.ndarray:
    """M = c cᵀ − A*(y), which differs from c cᵀ only on the edges.

    For ϑ⁺ y ≥ 0. For ϑ′ M may exceed c cᵀ on the non-edges, by ``excess``.
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
    guess: float | None = None,
    excess: np.ndarray | None = None,
    variant: Variant = Variant.LOVASZ,
) -> tuple[float, MakeKernel]:
    """A proven t ≥ ϑ and, when called, K = I + A*(y)/t in 𝒦(G) with t K ⪰ √w√wᵀ, c ≈ √w.

    ``guess`` is λ_max(M) to rounding; it is computed if None.

    Let P be the rounded c cᵀ and t₀ I − M ⪰ 0 be proven, up to u t₀ for the rounding of its
    diagonal. Then P differs from √w√wᵀ by 3u‖c‖² ≤ 3u n t₀ in norm, because t₀ is at least the
    diagonal of M. The kernel has t K = t I + P − M up to 2u|P − M| ≤ 2u t₀ entry by entry, because
    t₀ I + P − M ⪰ 0 has t₀ on its diagonal; that is 2u n t₀ in norm. So t = t₀ (1 + 8 n u) has
    t K ⪰ √w√wᵀ. In ϑ′ and ϑ⁺ the signs of P − M are right, so those of K are, too.
    """
    M = dual_matrix(graph, c, edge_values, excess, variant)
    n = graph.n
    if guess is None:
        guess = dense_largest(M)
    guess = max(guess, float(np.diag(M).max()))
    S = np.empty_like(M)

    def proven(step: float) -> bool:
        np.negative(M, out=S)
        S.flat[:: n + 1] = (guess + step) - np.diag(M)
        return proves_psd(S)

    step = smallest_step(proven, 2 * gamma(n + 2) * n * guess)
    t = (guess + step) * (1 + 8 * n * UNIT)
    return t, partial(_kernel, graph, c, M, t, everywhere=excess is not None)


def smallest_step(proven: Callable[[float], bool], first: float, halvings: int = 1) -> float:
    """A step that is ``proven``: ``first``, or at most 4^(1/2^halvings) times the shortest."""
    step, most = first, 60
    while not proven(step):
        step, most = 4 * step, most - 1
        if most == 0:
            return math.inf
    short = step / 4
    for _ in range(halvings if step > first else 0):
        middle = math.sqrt(short * step)
        short, step = (short, middle) if proven(middle) else (middle, step)
    return step


def _kernel(
    graph: Graph, c: np.ndarray, M: np.ndarray, t: float, *, everywhere: bool
) -> sparse.csr_array:
    """I + (c cᵀ − M)/t on the edges or ``everywhere``."""
    K = sparse.csr_array(np.outer(c, c) - M) if everywhere else graph.adjacency
    rows = np.repeat(np.arange(graph.n), np.diff(K.indptr))
    data = (c[rows] * c[K.indices] - M[rows, K.indices]) / t
    if everywhere:
        K.data = data
        return (sparse.eye_array(graph.n, format="csr") + K).tocsr()
    # Insert a 1 between the entries of each row that are left and right of the diagonal.
    ends = K.indptr + np.arange(graph.n + 1, dtype=K.indptr.dtype)
    ones = ends[:-1] + np.bincount(rows[K.indices < rows], minlength=graph.n)
    there = np.ones(ends[-1], dtype=bool)
    there[ones] = False
    columns, values = np.empty(ends[-1], dtype=K.indices.dtype), np.ones(ends[-1])
    columns[ones] = np.arange(graph.n)
    columns[there], values[there] = K.indices, data
    return sparse.csr_array((values, columns, ends), shape=K.shape)


def lower_bound(
    graph: Graph, c: np.ndarray, X: np.ndarray, variant: Variant = Variant.LOVASZ
) -> float:
    """A proven bound cᵀXc / tr X ≤ ϑ, after X has been made feasible; 0 if X is of no use."""
    feasible = feasible_matrix(graph, c, X, variant)
    return 0.0 if feasible is None else _ratio(feasible, c)


def feasible_matrix(
    graph: Graph, c: np.ndarray, X: np.ndarray, variant: Variant = Variant.LOVASZ
) -> np.ndarray | None:
    """A matrix near X that is proven to be feasible, up to its trace; None if X is of no use.

    X is set to zero on the edges (or given the signs of the variant) and rescaled from both sides
    by the best diagonal matrix. Then its diagonal is raised until X ⪰ 0 is proven.
    """
    diagonal = np.diag(X)
    if not np.isfinite(X).all() or diagonal.max() <= 0:
        return None
    gone = (X + X.T) / 2
    X = variant.nearest(gone.copy(), *graph.edges())
    # The diagonal of a row needs at most the norm of what the row lost: all of it if one entry was
    # lost, a part of it if many were and cancel.
    gone -= X
    lost = np.sqrt(np.einsum("ij,ij->i", gone, gone))
    scale = best_scaling(X, diagonal.clip(min=0) + lost, c)
    X *= np.outer(scale, scale)
    # The second term covers the rounding of X itself.
    needed = lost * scale**2 + 4 * gamma(graph.n + 2) * float(np.trace(X))

    own, Y = np.diag(X).copy(), gone

    def proven(step: float) -> bool:
        np.copyto(Y, X)
        np.fill_diagonal(Y, own + step * needed)
        return proves_psd(Y)

    step = smallest_step(proven, 1 / 2, 2)
    np.fill_diagonal(X, own + step * needed)
    return X if math.isfinite(step) else None


def _ratio(X: np.ndarray, c: np.ndarray) -> float:
    """√wᵀX√w / tr X, rounded down by more than the error of both sums and of c ≈ √w.

    The numerator is within γ_{2n+4} a of cᵀXc, the trace within γ_n of tr X and a at least the
    numerator; the other twelve units u a are for c and for the operations here.
    """
    n = len(c)
    error = gamma(3 * n + 16) * float(c @ (np.abs(X) @ c))
    return max(0.0, (float(c @ (X @ c)) - error) / float(np.trace(X)))


def best_scaling(X: np.ndarray, diagonal: np.ndarray, c: np.ndarray) -> np.ndarray:
    """The diagonal D that maximises cᵀDXDc / tr DXD for X with the given diagonal.

    With p = D1 that is a Rayleigh quotient of (c cᵀ)∘X against diag X, maximised by its top
    eigenvector. Zeros, signs (D ≥ 0) and semidefiniteness are kept, so nothing is lost. If X ≥ 0
    the eigenvector is nonnegative (Perron).
    """
    root = np.where(diagonal > 1e-14 * diagonal.max(), diagonal, np.inf) ** -0.5
    Y = X * np.outer(c * root, c * root)
    Y.flat[:: len(Y) + 1] = (c * root) ** 2 * diagonal
    if len(Y) <= EXACT_UP_TO:
        _, found, _, _, _ = scipy.linalg.lapack.dsyevr(Y, range="I", il=len(Y), iu=len(Y))
        top: np.ndarray = found[:, 0]
    else:
        top = lanczos_largest(lambda v: Y @ v, c * np.sqrt(diagonal), tol=1e-10)[2]
    scale: np.ndarray = np.abs(top) * root
    return scale
