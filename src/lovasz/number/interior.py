"""Interior-point method for ϑ(G, w): few, dear iterations to many digits, degenerate or not."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import linalg

from lovasz.graphs import Graph
from lovasz.number.algebra import Device, Host
from lovasz.number.candidate import Candidate, Stop
from lovasz.number.schur import RIDGE, Pairs
from lovasz.number.threads import one_thread

Form = Literal["auto", "edge", "complement"]

ITERATIONS = 100
"""More than any graph needs; a stall ends the run long before."""
PATIENCE = 3
"""Iterations in a row that do not narrow the gap by a tenth: rounding has taken over."""
ONE_THREAD_UP_TO = 400
"""Nodes; products of smaller matrices are not worth waking a second thread."""
FEW = 50
"""Edges are few when there are so many times more entries."""
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
    graph: Graph,
    c: np.ndarray,
    *,
    tol: float,
    stop: Stop,
    form: Form = "auto",
    device: Any = "cpu",
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
    on = Host() if str(device) == "cpu" else Device(device)
    with one_thread() if graph.n <= ONE_THREAD_UP_TO else nullcontext():
        return _follow(graph, np.asarray(c, dtype=np.float64), tol, stop, _System(graph, form, on))


def _follow(graph: Graph, c: np.ndarray, tol: float, stop: Stop, system: _System) -> Candidate:
    on = system.on
    point = best = _start(graph.n, c, on)
    c2 = on.put(c**2)
    iterations, stalled, converged = 0, 0, False
    while not converged and stalled < PATIENCE and iterations < ITERATIONS and not stop():
        try:
            point = _advance(system, point, c2)
        except linalg.LinAlgError:
            break
        iterations += 1
        # A step that only centres may widen the gap; late, rounding makes gaps hover.
        stalled = 0 if point.gap < 0.9 * best.gap else stalled + 1
        best = min(best, point, key=lambda pair: pair.gap)
        converged = best.gap <= tol * best.t
    i, j = graph.edges()
    Z = on.get(best.Z[on.put(i.astype(np.int64)), on.put(j.astype(np.int64))])
    return Candidate(
        Z + c[i] * c[j], matrix=on.get(best.X), t=best.t, iterations=iterations, converged=converged
    )


class _Point(NamedTuple):
    """A strictly feasible pair and the Cholesky factors that prove it."""

    X: Any
    Z: Any
    t: float
    X_root: Any
    Z_root: Any
    gap: float
    """⟨X, Z⟩"""


class _Direction(NamedTuple):
    dX: Any
    dZ: Any
    dt: float


def _start(n: int, c: np.ndarray, on: Host) -> _Point:
    """X = I/n and Z = t I − c cᵀ with t well above ‖c‖²."""
    t = 1.5 * float(c @ c)
    X, Z = on.put(np.eye(n) / n), on.put(t * np.eye(n) - np.outer(c, c))
    return _Point(X, Z, t, on.cholesky(X), on.cholesky(Z), _dot(X, Z))


def _advance(system: _System, point: _Point, c2: Any) -> _Point:
    """One iteration: factor, predict, correct, step."""
    n, gap = system.n, point.gap
    system.factor(point)
    predictor = system.direction(0.0)
    alpha, beta = (min(1.0, length) for length in _lengths(point, predictor, system.on))
    reached = _dot(point.X + alpha * predictor.dX, point.Z + beta * predictor.dZ)
    power = max(1.0, 3 * min(alpha, beta) ** 2)
    sigma = min(1.0, max(reached / gap, 0.0) ** power)
    corrector = system.direction(sigma * gap / n, predictor)
    damping = 0.9 + 0.09 * min(alpha, beta)
    alpha, beta = (min(1.0, damping * length) for length in _lengths(point, corrector, system.on))
    for _ in range(30):
        following = _moved(point, corrector, alpha, beta, c2, system.on)
        if following is not None:
            return following
        alpha, beta = 0.8 * alpha, 0.8 * beta
    raise linalg.LinAlgError("no step stays inside the cones")


def _moved(
    point: _Point, step: _Direction, alpha: float, beta: float, c2: Any, on: Host
) -> _Point | None:
    """The point after the step, or None where a matrix is no longer positive definite."""
    X = point.X + alpha * step.dX
    X /= float(X.trace())
    Z, t = point.Z + beta * step.dZ, point.t + beta * step.dt
    on.set_diagonal(Z, t - c2)
    try:
        return _Point(X, Z, t, on.cholesky(X), on.cholesky(Z), _dot(X, Z))
    except linalg.LinAlgError:
        return None


class _System:
    """The linear system of one formulation, and directions from it."""

    def __init__(self, graph: Graph, form: Form, on: Host) -> None:
        self.n, self.edge_form, self.on = graph.n, form == "edge", on
        i, j = graph.edges()
        linked = np.zeros((graph.n, graph.n), dtype=bool)
        linked[i, j] = linked[j, i] = True
        self.linked = on.put(linked)
        if not self.edge_form:
            i, j = np.nonzero(np.triu(~linked))
        self.pairs = Pairs(i, j, graph.n)
        self.places = np.flatnonzero(self.pairs.first == self.pairs.second)
        self.few = self.edge_form and FEW * graph.m < graph.n**2
        self.first, self.second = on.put(self.pairs.first), on.put(self.pairs.second)
        self.identity = self.measure(on.put(np.eye(graph.n)))
        self.memory = on.schur_memory(len(self.pairs))

    def factor(self, point: _Point) -> None:
        """Factor O and eliminate v, which leaves one equation for dt."""
        self.V = point.X if self.edge_form else point.Z
        self.W = self.on.inverse(point.Z_root if self.edge_form else point.X_root)
        self._factor()
        if self.edge_form:
            middle = _symmetric(self.W @ self.V)
            self.border, corner = self.measure(middle), float(middle.trace())
        else:
            self.border, corner = self.identity, 0.0
        self.bordered = self.solve(self.border)
        self.pivot = corner - float(self.border @ self.bordered)
        if not np.isfinite(self.pivot) or self.pivot == 0:
            raise linalg.LinAlgError("the Schur matrix is singular")

    def _factor(self) -> None:
        """L Lᵀ = O + ρ b bᵀ in the memory of O, with as little ridge as makes it work.

        b = tr B_p, and ρ > 0 where diagonal places are among the pairs. Then bᵀv = r₀ is one of
        the equations, so that adding ρ b r₀ on the right changes nothing. But O itself is nearly
        singular: along dU = U it has the energy tr(U W U V) = ⟨U, V⟩, the gap.
        """
        ridge = RIDGE
        while True:
            try:
                self.root, self.weight = self.on.schur_factor(
                    self.pairs, self.W, self.V, self.memory, self.places, ridge
                )
                return
            except linalg.LinAlgError:
                ridge *= 100
                if ridge > 1e-6:
                    raise

    def solve(self, right: Any) -> Any:
        """(O + ρ b bᵀ)⁻¹ right."""
        return self.on.schur_solve(self.root, right) if len(right) else right

    def combine(self, values: Any) -> Any:
        """Σ_p values_p B_p."""
        half = self.W * 0
        half[self.first, self.second] = values
        return half + half.T

    def times(self, dU: Any) -> Any:
        """W dU."""
        return self.on.times_sparse(self.W, dU) if self.few else self.W @ dU

    def measure(self, matrix: Any) -> Any:
        """⟨B_p, M⟩ = 2 M_ij of a symmetric M."""
        return 2 * matrix[self.first, self.second]

    def direction(self, target: float, predictor: _Direction | None = None) -> _Direction:
        """Towards U V = target·I, with the second-order term of ``predictor``."""
        aim = target * self.W - self.V
        if predictor is not None:
            dX, dZ, _ = predictor
            dU, dV = (dZ, dX) if self.edge_form else (dX, dZ)
            aim -= _symmetric(self.times(dU) @ dV)
        values, dt, best = 0 * self.identity, 0.0, np.inf
        right, right_t = self.measure(aim), float(aim.trace()) if self.edge_form else 0.0
        enough = EXACT * np.hypot(_norm(right), right_t)
        for _ in range(1 + REFINE):
            solved = self.solve(right + self.weight * right_t * self.identity)
            more = (right_t - float(self.border @ solved)) / self.pivot
            values, dt = values + solved - more * self.bordered, dt + more
            dU, dV, right, right_t = self._expand(aim, values, dt)
            residual = np.hypot(_norm(right), right_t)
            if not residual < 0.5 * best:
                break
            best, kept = residual, (dU, dV, dt)
            if residual <= enough:
                break
        if not np.isfinite(best):
            raise linalg.LinAlgError("the Schur matrix is singular")
        dU, dV, dt = kept
        return self._placed(dU, dV, dt)

    def _expand(self, aim: Any, values: Any, dt: float) -> tuple[Any, Any, Any, float]:
        """dU and dV of a solution, and the two residuals."""
        dU = self.combine(values)
        if self.edge_form:
            self.on.set_diagonal(dU, dt)  # an edge is no diagonal place
        dV = aim - _symmetric(self.times(dU) @ self.V)
        right = self.measure(dV)
        if self.edge_form:
            return dU, dV, right, float(dV.trace())
        return dU, dV, right - dt * self.identity, -float(dU.trace())

    def _placed(self, dU: Any, dV: Any, dt: float) -> _Direction:
        """The direction with what rounding left outside the two subspaces taken away."""
        dX, dZ = (dV, dU) if self.edge_form else (dU, dV)
        dX[self.linked] = 0.0
        self.on.set_diagonal(dX, dX.diagonal() - float(dX.trace()) / self.n)
        dZ[~self.linked] = 0.0
        self.on.set_diagonal(dZ, dt)
        return _Direction(dX, dZ, dt)


def _lengths(point: _Point, step: _Direction, on: Host) -> tuple[float, float]:
    """Largest steps that keep X + α dX and Z + β dZ positive semidefinite."""
    return _length(point.X_root, step.dX, on), _length(point.Z_root, step.dZ, on)


def _length(root: Any, change: Any, on: Host) -> float:
    """−1/λ_min(L⁻¹ D L⁻ᵀ), infinite where D is positive semidefinite."""
    scaled = on.solve_lower(root, on.solve_lower(root, change).T)
    smallest = on.smallest(scaled)
    return float(-1 / smallest) if smallest < 0 else np.inf


def _dot(A: Any, B: Any) -> float:
    return float((A * B).sum())


def _norm(vector: Any) -> float:
    return float(vector @ vector) ** 0.5


def _symmetric(matrix: Any) -> Any:
    return (matrix + matrix.T) / 2
