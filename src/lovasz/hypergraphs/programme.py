"""The semidefinite programme of ϑ_h(H) on one component; see :mod:`lovasz.hypergraphs`.

    min t  over z ≥ 0, S = t I + Σ_e z_e B_e − J ⪰ 0
    max ⟨J, X⟩  over X ⪰ 0, tr X = 1, ⟨B_e, X⟩ + s_e = 0, s ≥ 0

It is solved by a primal-dual interior-point method (HKM direction, predictor and centred step).
With P = S⁻¹, H the incidence matrix and ∘ the entrywise product, its equations need only products:

    tr(B_e X B_f P) = (HᵀPH ∘ HᵀXH)_ef − Q_ef − Q_fe + (Hᵀ(P∘X)H)_ef,   Q = Hᵀ(PH ∘ XH).
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import scipy.linalg
from scipy import sparse

from lovasz.base.rounding import down, gamma, up
from lovasz.graphs.graph import Graph
from lovasz.linalg.eigenvalues import dense_largest
from lovasz.number.proofs.certify import upper_bound

GRID = 2.0**32
"""Weights z are multiples of 1/GRID, so that their sums, the entries of Σ z_e B_e, are exact."""


class Programme:
    """One connected component: products with the matrices B_e, and proven bounds."""

    def __init__(self, incidence: sparse.csr_array) -> None:
        self.H = incidence
        self.n, self.m = incidence.shape
        whole = sparse.coo_array(incidence @ incidence.T)
        off = whole.row < whole.col
        self.graph = Graph.from_edges(whole.row[off], whole.col[off], n=self.n)
        i, j = self.graph.edges()
        # One row per pair of adjacent nodes, one column per hyperedge.
        self.pairs = sparse.csr_array(incidence[i].multiply(incidence[j]))

    def matrix(self, t: float, z: np.ndarray) -> np.ndarray:
        """t I + Σ_e z_e B_e − J."""
        S = np.full((self.n, self.n), -1.0)
        i, j = self.graph.edges()
        S[i, j] = S[j, i] = self.pairs @ z - 1.0
        S[np.diag_indices(self.n)] = t - 1.0
        return S

    def gather(self, X: np.ndarray) -> np.ndarray:
        """tr X, then ⟨B_e, X⟩ for every hyperedge."""
        i, j = self.graph.edges()
        return np.concatenate([[np.trace(X)], 2 * (self.pairs.T @ X[i, j])])

    def schur(self, P: np.ndarray, X: np.ndarray) -> np.ndarray:
        """tr(A X A′ P) for A, A′ among I and the B_e."""
        PH, XH = (self.H.T @ P).T, (self.H.T @ X).T
        both = P * X
        Q = self.H.T @ (PH * XH)
        M = np.empty((self.m + 1, self.m + 1))
        M[0, 0] = both.sum()
        M[0, 1:] = M[1:, 0] = (PH * XH).sum(axis=0) - self.H.T @ both.sum(axis=1)
        M[1:, 1:] = (self.H.T @ PH) * (self.H.T @ XH) - Q - Q.T + self.H.T @ (self.H.T @ both).T
        return (M + M.T) / 2

    def upper(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        """A proven t with t I + Σ z_e B_e ⪰ J, and z, rounded to the grid, for which it holds."""
        z = np.round(np.clip(z, 0.0, 2.0**10) * GRID) / GRID
        t, _ = upper_bound(self.graph, np.ones(self.n), self.pairs @ z)
        return t, z

    def lower(self, V: np.ndarray) -> float:
        """⟨J, X⟩ / (tr X + Σ_e max(0, ⟨B_e, X⟩)) for X = V Vᵀ, rounded down."""
        n, k = V.shape
        error = gamma(2 * (n + k) + 8)
        total = float((V.sum(axis=0) ** 2).sum())
        size = float((np.abs(V).sum(axis=0) ** 2).sum())
        squares = (V**2).sum(axis=1)
        own = self.H.T @ squares
        inner = ((self.H.T @ V) ** 2).sum(axis=1) - own
        doubt = error * (((self.H.T @ np.abs(V)) ** 2).sum(axis=1) + own)
        excess = np.maximum(inner + doubt, 0.0)
        trace = up(float((squares.sum() + excess.sum()) * (1 + gamma(n * k + self.m))), 4)
        return max(1.0, down((total - error * size) / trace, 4))  # a single node proves 1


def solve_programme(
    incidence: sparse.csr_array, *, tol: float, iterations: int
) -> tuple[float, float, np.ndarray]:
    """Proven bounds on ϑ_h of a connected hypergraph, and the weights z of the upper one."""
    n, m = incidence.shape
    if m <= 1:  # for a single node or hyperedge I + (J − I) ⪰ J
        return 1.0, 1.0, np.ones(m)
    # A start in the interior: Σ z_e B_e ⪰ −max_i Σ_{e ∋ i} z_e = −t/4 and J ⪯ n = t/4, so S ⪰ t/2.
    programme, t = Programme(incidence), 4.0 * n
    z = np.full(m, t / 4 / int(np.diff(incidence.indptr).max()))
    X, s = np.eye(n) / n, np.full(m, t / z.sum())
    lower, upper, best = 1.0, np.inf, z
    for _ in range(iterations):
        S = programme.matrix(t, z)
        gap = float((X * S).sum() + s @ z)
        try:
            if gap < tol * t:
                lower = max(lower, programme.lower(np.linalg.cholesky(X)))
                high, tried = programme.upper(z)
                upper, best = (high, tried) if high < upper else (upper, best)
                if upper - lower <= tol * upper or gap < 1e-3 * tol * t:
                    break
            step = _step(programme, X, s, S, z, gap / (n + m))
        except (np.linalg.LinAlgError, ValueError):  # double precision is exhausted
            break
        X, s, t, z = X + step[0], s + step[1], t + step[2], z + step[3]
    if not np.isfinite(upper):  # out of iterations; the current point still gives bounds
        upper, best = programme.upper(z)
        with suppress(np.linalg.LinAlgError):
            lower = max(lower, programme.lower(np.linalg.cholesky(X)))
    return lower, upper, best


def _step(
    programme: Programme, X: np.ndarray, s: np.ndarray, S: np.ndarray, z: np.ndarray, mu: float
) -> tuple[np.ndarray, np.ndarray, float, np.ndarray]:
    """The changes of X, s, t and z in one iteration."""
    n, m = programme.n, programme.m
    half, root = _inverse(S), _inverse(X)
    P = half.T @ half
    M = programme.schur(P, X)
    # Scaling by z keeps the equations well conditioned when entries of z go to 0.
    unit = np.concatenate([[1 / np.sqrt(M[0, 0])], np.sqrt(z / s)])
    M *= np.outer(unit, unit)
    M[np.diag_indices(m + 1)] += np.concatenate([[0.0], np.ones(m)])
    factor = scipy.linalg.lu_factor(M)
    inner = programme.gather(P) + np.concatenate([[0.0], 1 / z])

    def direction(aim: float) -> tuple[np.ndarray, np.ndarray, float, np.ndarray, float, float]:
        """The direction to the point ``aim`` of the central path, and the longest step lengths."""
        right = aim * inner - np.concatenate([[1.0], np.zeros(m)])
        dy = unit * scipy.linalg.lu_solve(factor, unit * right)
        dS = programme.matrix(dy[0], dy[1:]) + 1.0
        XdSP = X @ dS @ P
        dX = aim * P - X - (XdSP + XdSP.T) / 2
        ds = aim / z - s - s * dy[1:] / z
        first = _longest(root @ dX @ root.T, ds / s)
        return dX, ds, float(dy[0]), dy[1:], first, _longest(half @ dS @ half.T, dy[1:] / z)

    dX, ds, dt, dz, first, second = direction(0.0)
    change = np.eye(n) * dt + programme.matrix(0.0, dz) + 1.0
    left = ((X + first * dX) * (S + second * change)).sum() + (s + first * ds) @ (z + second * dz)
    sigma = min(0.9, max(1e-3, float(left / ((n + m) * mu))) ** 2)
    dX, ds, dt, dz, first, second = direction(sigma * mu)
    return first * dX, first * ds, second * dt, second * dz


def _inverse(S: np.ndarray) -> np.ndarray:
    """L⁻¹ of S = L Lᵀ."""
    L = np.linalg.cholesky(S)
    inverse: np.ndarray = scipy.linalg.solve_triangular(L, np.eye(len(S)), lower=True)
    return inverse


def _longest(change: np.ndarray, rates: np.ndarray) -> float:
    """The longest step α ≤ 1 that keeps I + α·change ≻ 0 and 1 + α·rates > 0 with some margin."""
    least = -dense_largest(-(change + change.T) / 2)
    least = min(least, float(rates.min()))
    return 1.0 if least > -0.9 else 0.9 / -least
