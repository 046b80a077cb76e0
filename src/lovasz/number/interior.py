"""Interior-point method for ϑ(G, w): few, dear iterations to many digits, degenerate or not."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from scipy import linalg

from lovasz.graphs import Graph
from lovasz.number.candidate import Candidate, Stop
from lovasz.number.schur import Cholesky, Pairs
from lovasz.number.threads import one_thread

Form = Literal["auto", "edge", "complement"]

ITERATIONS = 100
"""More than any graph needs; a stall ends the run long before."""
PATIENCE = 3
"""Iterations in a row that do not narrow the gap by a tenth: rounding has taken over."""
REFINE = 2
"""Corrections of a linear solution, at most,"""
EXACT = 1e-9
"""until its residual is this small. What remains is taken out of the direction anyway."""


def schur_size(graph: Graph) -> int:
    """Order of the linear system of one iteration, min(|E| + 1, |Ē| + n); 8 bytes × its square.

    >>> schur_size(Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0]))
    5
    """
    return min(graph.m + 1, graph.n * (graph.n + 1) // 2 - graph.m)


def interior_point(
    graph: Graph, c: np.ndarray, *, tol: float, stop: Stop, form: Form = "auto"
) -> Candidate:
    """Primal–dual path following from a feasible start: every iterate is a strictly feasible pair

        X ≻ 0, tr X = 1, X_ij = 0 on edges;    Z = t I + A*(y) − c cᵀ ≻ 0,

    so that ⟨X, Z⟩ = t − cᵀXc ≥ 0 is the width of a bracket around ϑ. A step aims at
    X Z = σ μ I, μ = ⟨X, Z⟩/n, with Mehrotra's predictor and corrector along the direction of
    Helmberg, Kojima and Monteiro: with U, V the two matrices in either order and W = U⁻¹,

        dV = σ μ W − V − sym(W dU V) − sym(W dU' dV'),    ' = predictor.

    The edge form takes U = Z: dU = dt I + Σ v_e B_e, and dV must vanish on the edges and keep
    its trace. The complement form takes U = X: dU = Σ v_p B_p over the non-edges and the
    diagonal, tr dU = 0, and dV must vanish on non-edges and be dt on the diagonal. Either is a
    system O v + b dt = r, bᵀ v + d dt = r₀ with O_pq = tr(B_p W B_q V) (see :mod:`.schur`).
    ``form="auto"`` takes the smaller one. Directions are put back onto the two subspaces
    exactly, so rounding costs speed near the end, never feasibility.

    >>> pentagon = Graph.from_edges(range(5), [1, 2, 3, 4, 0])
    >>> pair = interior_point(pentagon, np.ones(5), tol=1e-9, stop=lambda: False)
    >>> round(float(pair.matrix.sum()), 6), pair.converged
    (2.236068, True)
    """
    if graph.n == 0:
        return Candidate(np.zeros(0), matrix=np.zeros((0, 0)), converged=True)
    if form == "auto":
        form = "edge" if graph.m + 1 == schur_size(graph) else "complement"
    with one_thread():
        return _follow(graph, np.asarray(c, dtype=np.float64), tol, stop, _System(graph, form))


def _follow(graph: Graph, c: np.ndarray, tol: float, stop: Stop, system: _System) -> Candidate:
    point = best = _start(graph.n, c)
    iterations, stalled, converged = 0, 0, False
    while not converged and stalled < PATIENCE and iterations < ITERATIONS and not stop():
        try:
            point = _advance(system, point, c)
        except linalg.LinAlgError:
            break
        iterations += 1
        # A step that only centres may widen the gap; late, rounding makes gaps hover.
        stalled = 0 if point.gap < 0.9 * best.gap else stalled + 1
        best = min(best, point, key=lambda pair: pair.gap)
        converged = best.gap <= tol * best.t
    i, j = graph.edges()
    return Candidate(
        best.Z[i, j] + c[i] * c[j], matrix=best.X, iterations=iterations, converged=converged
    )


class _Point(NamedTuple):
    """A strictly feasible pair and the Cholesky factors that prove it."""

    X: np.ndarray
    Z: np.ndarray
    t: float
    X_root: np.ndarray
    Z_root: np.ndarray

    @property
    def gap(self) -> float:
        return float(np.vdot(self.X, self.Z))


class _Direction(NamedTuple):
    dX: np.ndarray
    dZ: np.ndarray
    dt: float


def _start(n: int, c: np.ndarray) -> _Point:
    """X = I/n and Z = t I − c cᵀ with t well above ‖c‖²."""
    t = 1.5 * float(c @ c)
    X, Z = np.eye(n) / n, t * np.eye(n) - np.outer(c, c)
    return _Point(X, Z, t, _root(X), _root(Z))


def _advance(system: _System, point: _Point, c: np.ndarray) -> _Point:
    """One iteration: factor, predict, correct, step."""
    n, gap = system.n, point.gap
    system.factor(point)
    predictor = system.direction(0.0)
    alpha, beta = (min(1.0, length) for length in _lengths(point, predictor))
    reached = np.vdot(point.X + alpha * predictor.dX, point.Z + beta * predictor.dZ)
    power = max(1.0, 3 * min(alpha, beta) ** 2)
    sigma = min(1.0, max(float(reached) / gap, 0.0) ** power)
    corrector = system.direction(sigma * gap / n, predictor)
    damping = 0.9 + 0.09 * min(alpha, beta)
    alpha, beta = (min(1.0, damping * length) for length in _lengths(point, corrector))
    for _ in range(30):
        following = _moved(point, corrector, alpha, beta, c)
        if following is not None:
            return following
        alpha, beta = 0.8 * alpha, 0.8 * beta
    raise linalg.LinAlgError("no step stays inside the cones")


def _moved(
    point: _Point, step: _Direction, alpha: float, beta: float, c: np.ndarray
) -> _Point | None:
    """The point after the step, or None where a matrix is no longer positive definite."""
    X = point.X + alpha * step.dX
    X /= np.trace(X)
    Z, t = point.Z + beta * step.dZ, point.t + beta * step.dt
    Z[np.diag_indices_from(Z)] = t - c**2
    try:
        return _Point(X, Z, t, _root(X), _root(Z))
    except linalg.LinAlgError:
        return None


class _System:
    """The linear system of one formulation, and directions from it."""

    def __init__(self, graph: Graph, form: Form) -> None:
        self.n, self.edge_form = graph.n, form == "edge"
        i, j = graph.edges()
        linked = np.zeros((graph.n, graph.n), dtype=bool)
        linked[i, j] = linked[j, i] = True
        self.linked = linked
        if not self.edge_form:
            i, j = np.nonzero(np.triu(~linked))
        self.pairs = Pairs(i, j, graph.n)
        self.identity = self.pairs.measure(np.eye(graph.n))
        self.memory = np.empty((len(self.pairs), len(self.pairs)))

    def factor(self, point: _Point) -> None:
        """Factor O and eliminate v, which leaves one equation for dt."""
        self.V = point.X if self.edge_form else point.Z
        self.W = _inverse(point.Z_root if self.edge_form else point.X_root)
        self.cholesky = Cholesky(self.pairs, self.W, self.V, self.memory)
        if self.edge_form:
            middle = _symmetric(self.W @ self.V)
            self.border, corner = self.pairs.measure(middle), float(np.trace(middle))
        else:
            self.border, corner = self.identity, 0.0
        self.bordered = self.cholesky.solve(self.border)
        self.pivot = corner - float(self.border @ self.bordered)
        if not np.isfinite(self.pivot) or self.pivot == 0:
            raise linalg.LinAlgError("the Schur matrix is singular")

    def direction(self, target: float, predictor: _Direction | None = None) -> _Direction:
        """Towards U V = target·I, with the second-order term of ``predictor``."""
        aim = target * self.W - self.V
        if predictor is not None:
            dX, dZ, _ = predictor
            dU, dV = (dZ, dX) if self.edge_form else (dX, dZ)
            aim -= _symmetric(self.W @ dU @ dV)
        values, dt, best = np.zeros(len(self.pairs)), 0.0, np.inf
        _, _, right, right_t = self._expand(aim, values, dt)
        enough = EXACT * np.hypot(np.linalg.norm(right), right_t)
        for _ in range(1 + REFINE):
            solved = self.cholesky.solve(right + self.cholesky.weight * right_t * self.identity)
            more = (right_t - float(self.border @ solved)) / self.pivot
            values, dt = values + solved - more * self.bordered, dt + more
            dU, dV, right, right_t = self._expand(aim, values, dt)
            residual = np.hypot(np.linalg.norm(right), right_t)
            if not residual < 0.5 * best:
                break
            best, kept = residual, (dU, dV, dt)
            if residual <= enough:
                break
        if not np.isfinite(best):
            raise linalg.LinAlgError("the Schur matrix is singular")
        dU, dV, dt = kept
        return self._placed(dU, dV, dt)

    def _expand(
        self, aim: np.ndarray, values: np.ndarray, dt: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """dU and dV of a solution, and the two residuals."""
        dU = self.pairs.combine(values)
        if self.edge_form:
            dU[np.diag_indices_from(dU)] += dt
        dV = aim - _symmetric(self.W @ dU @ self.V)
        right = self.pairs.measure(dV)
        if self.edge_form:
            return dU, dV, right, float(np.trace(dV))
        return dU, dV, right - dt * self.identity, -float(np.trace(dU))

    def _placed(self, dU: np.ndarray, dV: np.ndarray, dt: float) -> _Direction:
        """The direction with what rounding left outside the two subspaces taken away."""
        dX, dZ = (dV, dU) if self.edge_form else (dU, dV)
        diagonal = np.diag_indices(self.n)
        dX = np.where(self.linked, 0.0, dX)
        dX[diagonal] -= np.trace(dX) / self.n
        dZ = np.where(self.linked, dZ, 0.0)
        dZ[diagonal] = dt
        return _Direction(dX, dZ, dt)


def _lengths(point: _Point, step: _Direction) -> tuple[float, float]:
    """Largest steps that keep X + α dX and Z + β dZ positive semidefinite."""
    return _length(point.X_root, step.dX), _length(point.Z_root, step.dZ)


def _length(root: np.ndarray, change: np.ndarray) -> float:
    """−1/λ_min(L⁻¹ D L⁻ᵀ), infinite where D is positive semidefinite."""
    half = linalg.solve_triangular(root, change, lower=True, check_finite=False)
    scaled = linalg.solve_triangular(root, half.T, lower=True, check_finite=False)
    smallest = linalg.eigh(scaled, eigvals_only=True, subset_by_index=[0, 0], check_finite=False)[0]
    return float(-1 / smallest) if smallest < 0 else np.inf


def _root(matrix: np.ndarray) -> np.ndarray:
    return linalg.cholesky(matrix, lower=True, check_finite=False)


def _inverse(root: np.ndarray) -> np.ndarray:
    half = linalg.solve_triangular(root, np.eye(len(root)), lower=True, check_finite=False)
    return half.T @ half


def _symmetric(matrix: np.ndarray) -> np.ndarray:
    return (matrix + matrix.T) / 2
