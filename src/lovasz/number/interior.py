"""Interior-point method for ϑ(G, w): few, dear iterations to many digits, degenerate or not."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from scipy import linalg

from lovasz.graphs import Graph
from lovasz.number.candidate import Candidate, Stop
from lovasz.number.schur import Cholesky, Pairs
from lovasz.number.threads import one_thread
from lovasz.number.variants import Variant

Form = Literal["auto", "edge", "complement"]

ITERATIONS = 100
"""More than any graph needs; a stall ends the run long before."""
PATIENCE = 3
"""Iterations in a row that do not narrow the gap by a tenth: rounding has taken over,"""
EARLY = 1e-3
"""unless the relative gap is still larger than this: some cores with many signs start slowly."""
REFINE = 2
"""Corrections of a linear solution, at most,"""
EXACT = 1e-9
"""until its residual is this small. What remains is taken out of the direction anyway."""


def schur_size(graph: Graph, variant: Variant = Variant.LOVASZ) -> int:
    """Order of the linear system of one iteration, min(|E| + 1, |Ē| + n); 8 bytes × its square.

    >>> schur_size(Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0]))
    5
    """
    edge_form, complement_form = graph.m + 1, graph.n * (graph.n + 1) // 2 - graph.m
    sizes = {Variant.SCHRIJVER: complement_form, Variant.SZEGEDY: edge_form}
    return sizes.get(variant, min(edge_form, complement_form))


def interior_point(
    graph: Graph,
    c: np.ndarray,
    *,
    tol: float,
    stop: Stop,
    form: Form = "auto",
    variant: Variant = Variant.LOVASZ,
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

    ϑ′ and ϑ⁺ add a sign on some pairs, x_p = ±X_p ≥ 0 and y_p = ∓(Z + c cᵀ)_p ≥ 0. In the form
    where those pairs are among the unknowns (the complement form of ϑ′, the edge form of ϑ⁺)
    aiming at 2 x_p y_p = σ μ too only adds to the diagonal of O: with u the one of x, y that
    belongs to U and q twice the other one, the equation ⟨B_p, dV⟩ + dq_p = 0 has

        dq_p = σ μ / u_p − q_p − (q_p / u_p) v_p − du'_p dq'_p / u_p.

    >>> pentagon = Graph.from_edges(range(5), [1, 2, 3, 4, 0])
    >>> pair = interior_point(pentagon, np.ones(5), tol=1e-9, stop=lambda: False)
    >>> round(float(pair.matrix.sum()), 6), pair.converged
    (2.236068, True)
    """
    if graph.n == 0:
        return Candidate(np.zeros(0), matrix=np.zeros((0, 0)), converged=True)
    if variant.sign:
        form = "complement" if variant is Variant.SCHRIJVER else "edge"
    elif form == "auto":
        form = "edge" if graph.m + 1 == schur_size(graph) else "complement"
    with one_thread():
        system = _System(graph, np.asarray(c, dtype=np.float64), form, variant)
        return _follow(graph, tol, stop, system)


def _follow(graph: Graph, tol: float, stop: Stop, system: _System) -> Candidate:
    c = system.c
    point = best = system.start()
    iterations, stalled, converged = 0, 0, False
    while not converged and stalled < PATIENCE and iterations < ITERATIONS and not stop():
        try:
            point = _advance(system, point)
        except linalg.LinAlgError:
            break
        iterations += 1
        # A step that only centres may widen the gap; late, rounding makes gaps hover.
        early = point.gap > EARLY * point.t
        stalled = 0 if early or point.gap < 0.9 * best.gap else stalled + 1
        best = min(best, point, key=lambda pair: pair.gap)
        converged = best.gap <= tol * best.t
    i, j = graph.edges()
    return Candidate(
        best.Z[i, j] + c[i] * c[j],
        matrix=best.X,
        iterations=iterations,
        converged=converged,
        excess=-best.Z - np.outer(c, c) if system.variant is Variant.SCHRIJVER else None,
    )


class _Point(NamedTuple):
    """A strictly feasible pair and the Cholesky factors that prove it."""

    X: np.ndarray
    Z: np.ndarray
    t: float
    x: np.ndarray
    y: np.ndarray
    X_root: np.ndarray
    Z_root: np.ndarray

    @property
    def gap(self) -> float:
        return float(np.vdot(self.X, self.Z)) + 2 * float(self.x @ self.y)


class _Direction(NamedTuple):
    dX: np.ndarray
    dZ: np.ndarray
    dt: float
    dx: np.ndarray
    dy: np.ndarray


def _advance(system: _System, point: _Point) -> _Point:
    """One iteration: factor, predict, correct, step."""
    gap = point.gap
    system.factor(point)
    predictor = system.direction(0.0)
    alpha, beta = (min(1.0, length) for length in _lengths(point, predictor))
    reached = float(np.vdot(point.X + alpha * predictor.dX, point.Z + beta * predictor.dZ))
    reached += 2 * float((point.x + alpha * predictor.dx) @ (point.y + beta * predictor.dy))
    power = max(1.0, 3 * min(alpha, beta) ** 2)
    sigma = min(1.0, max(reached / gap, 0.0) ** power)
    corrector = system.direction(sigma * gap / (system.n + point.x.size), predictor)
    damping = 0.9 + 0.09 * min(alpha, beta)
    alpha, beta = (min(1.0, damping * length) for length in _lengths(point, corrector))
    for _ in range(30):
        following = system.moved(point, corrector, alpha, beta)
        if following is not None:
            return following
        alpha, beta = 0.8 * alpha, 0.8 * beta
    raise linalg.LinAlgError("no step stays inside the cones")


class _System:
    """The linear system of one formulation, and directions from it."""

    def __init__(self, graph: Graph, c: np.ndarray, form: Form, variant: Variant) -> None:
        self.n, self.c, self.edge_form = graph.n, c, form == "edge"
        self.variant, self.signed = variant, variant.pairs(graph)
        i, j = graph.edges()
        linked = np.zeros((graph.n, graph.n), dtype=bool)
        linked[i, j] = linked[j, i] = True
        self.in_X, self.in_Z = ~linked, linked.copy()
        for places in (self.in_X, self.in_Z):
            places[self.signed] = places[self.signed[::-1]] = True
        if not self.edge_form:
            i, j = np.nonzero(np.triu(~linked))
        self.pairs = Pairs(i, j, graph.n)
        self.identity = self.pairs.measure(np.eye(graph.n))
        # The pairs with a sign are all those that are not diagonal places, or none.
        self.bound = np.flatnonzero(self.identity == 0)[: self.signed[0].size]
        self.stiff = np.zeros(len(self.pairs))
        self.memory = np.empty((len(self.pairs), len(self.pairs)))

    def start(self) -> _Point:
        """X = I/n and Z = t I − c cᵀ with t well above ‖c‖²; with half the room for signs."""
        total = float(self.c @ self.c)
        signs = np.zeros((self.n, self.n))
        signs[self.signed] = signs[self.signed[::-1]] = self.variant.sign
        signs /= 2 * max(1.0, np.abs(signs).sum(axis=0).max())
        X, B = (np.eye(self.n) + signs) / self.n, total * (1.5 * np.eye(self.n) - signs / 2)
        point = self.point(X, B - np.outer(self.c, self.c), 1.5 * total)
        assert point is not None
        return point

    def point(self, X: np.ndarray, Z: np.ndarray, t: float) -> _Point | None:
        """The pair, or None where it is not strictly feasible."""
        i, j = self.signed
        x, y = self.variant.sign * X[i, j], -self.variant.sign * (Z[i, j] + self.c[i] * self.c[j])
        if not ((x > 0).all() and (y > 0).all()):
            return None
        try:
            return _Point(X, Z, t, x, y, _root(X), _root(Z))
        except linalg.LinAlgError:
            return None

    def moved(self, point: _Point, step: _Direction, alpha: float, beta: float) -> _Point | None:
        """The point after the step, or None where it is not strictly feasible."""
        X = point.X + alpha * step.dX
        X /= np.trace(X)
        Z, t = point.Z + beta * step.dZ, point.t + beta * step.dt
        Z[np.diag_indices_from(Z)] = t - self.c**2
        return self.point(X, Z, t)

    def factor(self, point: _Point) -> None:
        """Factor O and eliminate v, which leaves one equation for dt."""
        self.V = point.X if self.edge_form else point.Z
        self.W = _inverse(point.Z_root if self.edge_form else point.X_root)
        self.u, self.q = (point.y, 2 * point.x) if self.edge_form else (point.x, 2 * point.y)
        if self.bound.size:
            self.stiff[self.bound] = self.q / self.u
        self.cholesky = Cholesky(self.pairs, self.W, self.V, self.memory, self.stiff)
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
        aim, lean = target * self.W - self.V, target / self.u - self.q
        if predictor is not None:
            dX, dZ, _, dx, dy = predictor
            dU, dV = (dZ, dX) if self.edge_form else (dX, dZ)
            aim -= _symmetric(self.W @ dU @ dV)
            lean -= 2 * dx * dy / self.u
        values, dt, best = np.zeros(len(self.pairs)), 0.0, np.inf
        _, _, right, right_t = self._expand(aim, lean, values, dt)
        enough = EXACT * np.hypot(np.linalg.norm(right), right_t)
        for _ in range(1 + REFINE):
            solved = self.cholesky.solve(right + self.cholesky.weight * right_t * self.identity)
            more = (right_t - float(self.border @ solved)) / self.pivot
            values, dt = values + solved - more * self.bordered, dt + more
            dU, dV, right, right_t = self._expand(aim, lean, values, dt)
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
        self, aim: np.ndarray, lean: np.ndarray, values: np.ndarray, dt: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """dU and dV of a solution, and the two residuals."""
        dU = self.pairs.combine(values)
        if self.edge_form:
            dU[np.diag_indices_from(dU)] += dt
        dV = aim - _symmetric(self.W @ dU @ self.V)
        right = self.pairs.measure(dV)
        if self.bound.size:
            right[self.bound] += lean - (self.q / self.u) * values[self.bound]
        if self.edge_form:
            return dU, dV, right, float(np.trace(dV))
        return dU, dV, right - dt * self.identity, -float(np.trace(dU))

    def _placed(self, dU: np.ndarray, dV: np.ndarray, dt: float) -> _Direction:
        """The direction with what rounding left outside the two subspaces taken away."""
        dX, dZ = (dV, dU) if self.edge_form else (dU, dV)
        diagonal = np.diag_indices(self.n)
        dX = np.where(self.in_X, dX, 0.0)
        dX[diagonal] -= np.trace(dX) / self.n
        dZ = np.where(self.in_Z, dZ, 0.0)
        dZ[diagonal] = dt
        sign = self.variant.sign
        return _Direction(dX, dZ, dt, sign * dX[self.signed], -sign * dZ[self.signed])


def _lengths(point: _Point, step: _Direction) -> tuple[float, float]:
    """Largest steps that keep X + α dX and Z + β dZ positive semidefinite, and the signs."""
    return (
        min(_length(point.X_root, step.dX), _ratio(point.x, step.dx)),
        min(_length(point.Z_root, step.dZ), _ratio(point.y, step.dy)),
    )


def _ratio(x: np.ndarray, change: np.ndarray) -> float:
    """The largest α with x + α dx ≥ 0."""
    if not x.size:
        return np.inf
    falling = change < 0
    return float(np.min(-x[falling] / change[falling], initial=np.inf))


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
