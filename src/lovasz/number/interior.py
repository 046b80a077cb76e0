"""Interior-point method for ϑ(G, w): few, dear iterations to many digits, degenerate or not."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import linalg

from lovasz.graphs import Graph
from lovasz.number.algebra import Device, Host
from lovasz.number.candidate import Candidate, Stop
from lovasz.number.schur import RIDGE, Pairs
from lovasz.number.threads import one_thread
from lovasz.number.variants import Variant

Form = Literal["auto", "edge", "complement"]

ITERATIONS = 100
"""More than any graph needs; a stall ends the run long before."""
PATIENCE = 3
"""Iterations in a row that do not narrow the gap by a tenth: rounding has taken over,"""
EARLY = 1e-3
"""unless the relative gap is still larger than this: some cores with many signs start slowly."""
ONE_THREAD_UP_TO = 400
"""Nodes; products of smaller matrices are not worth waking a second thread."""
FEW = 50
"""Edges are few when there are so many times more entries."""
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
    device: Any = "cpu",
    variant: Variant = Variant.LOVASZ,
    look: Callable[[Callable[[], Candidate]], None] | None = None,
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

    ϑ′ and ϑ⁺ add a sign on some pairs, x_p = ±X_p ≥ 0 and y_p = ∓(Z + c cᵀ)_p ≥ 0; see
    :class:`_System`.

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
    on = Host() if str(device) == "cpu" else Device(device)
    small = graph.n <= ONE_THREAD_UP_TO and schur_size(graph) <= 5 * ONE_THREAD_UP_TO
    with one_thread() if small else nullcontext():
        system = _System(graph, np.asarray(c, dtype=np.float64), form, variant, on)
        return _follow(graph, tol, stop, system, look or (lambda candidate: None))


def _follow(
    graph: Graph,
    tol: float,
    stop: Stop,
    system: _System,
    look: Callable[[Callable[[], Candidate]], None],
) -> Candidate:
    point = best = system.start()
    iterations, stalled, converged = 0, 0, False
    while not converged and stalled < PATIENCE and iterations < ITERATIONS and not stop():
        try:
            # Late, entries overflow; the factorisation then fails, which ends the search.
            with np.errstate(all="ignore"):
                point = _advance(system, point)
        except linalg.LinAlgError:
            break
        iterations += 1
        # A step that only centres may widen the gap; late, rounding makes gaps hover.
        early = point.gap > EARLY * point.t
        stalled = 0 if early or point.gap < 0.9 * best.gap else stalled + 1
        best = min(best, point, key=lambda pair: pair.gap)
        converged = best.gap <= tol * best.t
        look(partial(_candidate, graph, system, best, iterations, converged))
    return _candidate(graph, system, best, iterations, converged)


def _candidate(
    graph: Graph, system: _System, best: _Point, iterations: int, converged: bool
) -> Candidate:
    on, c = system.on, system.c
    i, j = graph.edges()
    Z = on.get(best.Z[on.put(i.astype(np.int64)), on.put(j.astype(np.int64))])
    signed = system.variant is Variant.SCHRIJVER
    return Candidate(
        Z + c[i] * c[j],
        matrix=on.get(best.X),
        t=best.t,
        excess=-on.get(best.Z) - np.outer(c, c) if signed else None,
        iterations=iterations,
        converged=converged,
    )


class _Point(NamedTuple):
    """A strictly feasible pair and the Cholesky factors that prove it."""

    X: Any
    Z: Any
    t: float
    X_root: Any
    Z_root: Any
    x: Any
    y: Any
    gap: float
    """⟨X, Z⟩ + 2 xᵀy"""


class _Direction(NamedTuple):
    dX: Any
    dZ: Any
    dt: float
    dx: Any
    dy: Any


def _advance(system: _System, point: _Point) -> _Point:
    """One iteration: factor, predict, correct, step."""
    gap = point.gap
    system.factor(point)
    predictor = system.direction(0.0)
    alpha, beta = (min(1.0, length) for length in _lengths(point, predictor, system.on))
    reached = _dot(point.X + alpha * predictor.dX, point.Z + beta * predictor.dZ)
    reached += 2 * _dot(point.x + alpha * predictor.dx, point.y + beta * predictor.dy)
    power = max(1.0, 3 * min(alpha, beta) ** 2)
    sigma = min(1.0, max(reached / gap, 0.0) ** power)
    corrector = system.direction(sigma * gap / (system.n + len(point.x)), predictor)
    damping = 0.9 + 0.09 * min(alpha, beta)
    alpha, beta = (min(1.0, damping * length) for length in _lengths(point, corrector, system.on))
    for _ in range(30):
        following = system.moved(point, corrector, alpha, beta)
        if following is not None:
            return following
        alpha, beta = 0.8 * alpha, 0.8 * beta
    raise linalg.LinAlgError("no step stays inside the cones")


class _System:
    """The linear system of one formulation, and directions from it.

    ϑ′ and ϑ⁺ take the form where the pairs with a sign are among the unknowns: the complement
    form and the edge form. There, aiming at 2 x_p y_p = σ μ as well only adds to the diagonal of
    O. With u the one of x, y that belongs to U, and q twice the other one, the equation
    ⟨B_p, dV⟩ + dq_p = 0 has

        dq_p = σ μ / u_p − q_p − (q_p / u_p) v_p − du'_p dq'_p / u_p.
    """

    def __init__(self, graph: Graph, c: np.ndarray, form: Form, variant: Variant, on: Host) -> None:
        self.n, self.c, self.edge_form, self.on = graph.n, c, form == "edge", on
        self.variant = variant
        i, j = graph.edges()
        linked = np.zeros((graph.n, graph.n), dtype=bool)
        linked[i, j] = linked[j, i] = True
        k, m = variant.pairs(graph)
        signed = np.zeros_like(linked)
        signed[k, m] = signed[m, k] = True
        self.signed, self.fixed = (on.put(k), on.put(m)), on.put(c[k] * c[m])
        self.not_in_X, self.not_in_Z = on.put(linked & ~signed), on.put(~linked & ~signed)
        if not self.edge_form:
            i, j = np.nonzero(np.triu(~linked))
        self.pairs = Pairs(i, j, graph.n)
        self.places = np.flatnonzero(self.pairs.first == self.pairs.second)
        self.few = self.edge_form and FEW * graph.m < graph.n**2
        self.first, self.second = on.put(self.pairs.first), on.put(self.pairs.second)
        self.identity = self.measure(on.put(np.eye(graph.n)))
        # The pairs with a sign are all those that are not diagonal places, or none.
        self.bound = on.put(np.flatnonzero(self.pairs.first != self.pairs.second)[: k.size])
        self.memory = on.schur_memory(len(self.pairs))

    def start(self) -> _Point:
        """X = I/n and Z = t I − c cᵀ with t well above ‖c‖²; half of the room is for signs."""
        total, eye, signs = float(self.c @ self.c), np.eye(self.n), np.zeros((self.n, self.n))
        i, j = (self.on.get(end) for end in self.signed)
        signs[i, j] = signs[j, i] = self.variant.sign
        signs /= 2 * max(1.0, np.abs(signs).sum(axis=0).max())
        Z = total * (1.5 * eye - signs / 2) - np.outer(self.c, self.c)
        return self.point(self.on.put((eye + signs) / self.n), self.on.put(Z), 1.5 * total)

    def point(self, X: Any, Z: Any, t: float) -> _Point:
        """The pair; raises LinAlgError where it is not strictly feasible."""
        sign = self.variant.sign
        x, y = sign * X[self.signed], -sign * (Z[self.signed] + self.fixed)
        if len(x) and min(float(x.min()), float(y.min())) <= 0:
            raise linalg.LinAlgError("a sign is lost")
        gap = _dot(X, Z) + 2 * _dot(x, y)
        return _Point(X, Z, t, self.on.cholesky(X), self.on.cholesky(Z), x, y, gap)

    def moved(self, point: _Point, step: _Direction, alpha: float, beta: float) -> _Point | None:
        """The point after the step, or None where it is not strictly feasible."""
        X = point.X + alpha * step.dX
        X /= float(X.trace())
        Z, t = point.Z + beta * step.dZ, point.t + beta * step.dt
        self.on.set_diagonal(Z, t - self.on.put(self.c**2))
        try:
            return self.point(X, Z, t)
        except linalg.LinAlgError:
            return None

    def factor(self, point: _Point) -> None:
        """Factor O and eliminate v, which leaves one equation for dt."""
        self.V = point.X if self.edge_form else point.Z
        self.W = self.on.inverse(point.Z_root if self.edge_form else point.X_root)
        self.u, self.q = (point.y, 2 * point.x) if self.edge_form else (point.x, 2 * point.y)
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
        """L Lᵀ = O + diag(q/u) + ρ b bᵀ in the memory of O, with as little ridge as makes it work.

        b = tr B_p, and ρ > 0 where diagonal places are among the pairs. Then bᵀv = r₀ is one of
        the equations, so that adding ρ b r₀ on the right changes nothing. But O itself is nearly
        singular: along dU = U it has the energy tr(U W U V) = ⟨U, V⟩, the gap.
        """
        ridge, stiff = RIDGE, 0 * self.identity
        stiff[self.bound] = self.q / self.u
        while True:
            try:
                self.root, self.weight = self.on.schur_factor(
                    self.pairs, self.W, self.V, self.memory, self.places, ridge, stiff
                )
                return
            except linalg.LinAlgError:
                ridge *= 100
                if ridge > 1e-6:
                    raise

    def solve(self, right: Any) -> Any:
        """(O + diag(q/u) + ρ b bᵀ)⁻¹ right."""
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
        aim, lean = target * self.W - self.V, target / self.u - self.q
        if predictor is not None:
            dX, dZ, _, dx, dy = predictor
            dU, dV = (dZ, dX) if self.edge_form else (dX, dZ)
            aim -= _symmetric(self.times(dU) @ dV)
            lean -= 2 * dx * dy / self.u
        values, dt, best = 0 * self.identity, 0.0, np.inf
        right, right_t = self.measure(aim), float(aim.trace()) if self.edge_form else 0.0
        right[self.bound] += lean
        enough = EXACT * np.hypot(_norm(right), right_t)
        for _ in range(1 + REFINE):
            solved = self.solve(right + self.weight * right_t * self.identity)
            more = (right_t - float(self.border @ solved)) / self.pivot
            values, dt = values + solved - more * self.bordered, dt + more
            dU, dV, right, right_t = self._expand(aim, lean, values, dt)
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

    def _expand(self, aim: Any, lean: Any, values: Any, dt: float) -> tuple[Any, Any, Any, float]:
        """dU and dV of a solution, and the two residuals."""
        dU = self.combine(values)
        if self.edge_form:
            self.on.set_diagonal(dU, dt)  # an edge is no diagonal place
        dV = aim - _symmetric(self.times(dU) @ self.V)
        right = self.measure(dV)
        if len(lean):
            right[self.bound] += lean - self.q / self.u * values[self.bound]
        if self.edge_form:
            return dU, dV, right, float(dV.trace())
        return dU, dV, right - dt * self.identity, -float(dU.trace())

    def _placed(self, dU: Any, dV: Any, dt: float) -> _Direction:
        """The direction with what rounding left outside the two subspaces taken away."""
        dX, dZ = (dV, dU) if self.edge_form else (dU, dV)
        dX[self.not_in_X] = 0.0
        self.on.set_diagonal(dX, dX.diagonal() - float(dX.trace()) / self.n)
        dZ[self.not_in_Z] = 0.0
        self.on.set_diagonal(dZ, dt)
        sign = self.variant.sign
        return _Direction(dX, dZ, dt, sign * dX[self.signed], -sign * dZ[self.signed])


def _lengths(point: _Point, step: _Direction, on: Host) -> tuple[float, float]:
    """Largest steps that keep X + α dX and Z + β dZ positive semidefinite, and the signs."""
    return (
        min(_length(point.X_root, step.dX, on), _ratio(point.x, step.dx)),
        min(_length(point.Z_root, step.dZ, on), _ratio(point.y, step.dy)),
    )


def _ratio(x: Any, change: Any) -> float:
    """The largest α with x + α dx ≥ 0, for x > 0."""
    fastest = float((change / x).min()) if len(x) else 0.0
    return -1 / fastest if fastest < 0 else np.inf


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
