"""The linear system of an interior-point iteration, and the directions that it gives."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

from lovasz.graphs import Graph
from lovasz.number.solvers.algebra import Host, dot, norm, symmetric
from lovasz.number.solvers.schur import RIDGE, Pairs
from lovasz.number.variants import Variant

FEW = 50
"""Edges are few if a matrix has more than this many times as many entries."""
REFINE = 2
"""Largest number of times a linear solution is corrected by its residual."""
EXACT = 1e-9
"""Relative residual at which a linear solution is no longer corrected.

What remains of it is taken out of the direction anyway.
"""
LEAN = 0.8
"""−λ_min of M and N at the start, where 1 is the border of the cone."""
OVER = 1.5
"""t at the start, in units of the least t that is feasible."""


class Point(NamedTuple):
    """A strictly feasible pair and the Cholesky factors that prove it.

    ``x`` and ``y`` are ±X and ∓(Z + c cᵀ) on the pairs with a sign; both are positive there.
    """

    X: Any
    Z: Any
    t: float
    X_root: Any
    Z_root: Any
    x: Any
    y: Any
    gap: float
    """⟨X, Z⟩ + 2 xᵀy, the width of the bracket around ϑ."""


class Direction(NamedTuple):
    """A change of the pair."""

    dX: Any
    dZ: Any
    dt: float
    dx: Any
    dy: Any


class System:
    """The linear system of one form, and the directions that it gives.

    ϑ′ and ϑ⁺ take the form where the pairs with a sign are among the unknowns: the complement
    form and the edge form. There, aiming at 2 x_p y_p = σ μ as well only adds to the diagonal of
    O. With u the one of x, y that belongs to U, and q twice the other one, the equation
    ⟨B_p, dV⟩ + dq_p = 0 has

        dq_p = σ μ / u_p − q_p − (q_p / u_p) v_p − du'_p dq'_p / u_p.
    """

    def __init__(self, graph: Graph, c: np.ndarray, form: str, variant: Variant, on: Host) -> None:
        self.n, self.c, self.edge_form, self.on = graph.n, c, form == "edge", on
        self.variant, self.weights = variant, on.put(c)
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

    def start(self) -> Point:
        """A strictly feasible pair: X and Z + c cᵀ lean from the identity to where ϑ lies.

        With M, N multiples of the adjacency matrices of the complement and of the graph such
        that I + M and K = I + N are positive definite,

            X = (I + M)/n,    Z = t K − c cᵀ,    t = 1½ cᵀK⁻¹c;

        t K ⪰ c cᵀ just when t ≥ cᵀK⁻¹c.
        """
        if self.variant.sign:
            return self._start_signed()
        X, K = (self._leaning(~self.on.get(gone)) for gone in (self.not_in_X, self.not_in_Z))
        half = Host().solve_lower(Host().cholesky(K), self.c)
        t = OVER * float(half @ half)
        Z = t * K - np.outer(self.c, self.c)
        return self.point(self.on.put(X / self.n), self.on.put(Z), t)

    def _leaning(self, there: np.ndarray) -> np.ndarray:
        """Return I plus the adjacency matrix of these pairs, scaled to λ_min = −LEAN."""
        A = there.astype(np.float64)
        Host().set_diagonal(A, 0.0)
        least = Host().smallest(A)
        if least < 0:  # there are some
            A *= LEAN / -least
        Host().set_diagonal(A, 1.0)
        return A

    def _start_signed(self) -> Point:
        """X = I/n and Z = t I − c cᵀ with t = 1.5‖c‖², both moved halfway to where signs end."""
        total, eye, signs = float(self.c @ self.c), np.eye(self.n), np.zeros((self.n, self.n))
        i, j = (self.on.get(end) for end in self.signed)
        signs[i, j] = signs[j, i] = self.variant.sign
        signs /= 2 * max(1.0, np.abs(signs).sum(axis=0).max())
        Z = total * (1.5 * eye - signs / 2) - np.outer(self.c, self.c)
        return self.point(self.on.put((eye + signs) / self.n), self.on.put(Z), 1.5 * total)

    def point(self, X: Any, Z: Any, t: float) -> Point:
        """Return the pair, or raise LinAlgError if it is not strictly feasible."""
        sign = self.variant.sign
        x, y = sign * X[self.signed], -sign * (Z[self.signed] + self.fixed)
        if len(x) and min(float(x.min()), float(y.min())) <= 0:
            raise linalg.LinAlgError("a sign is lost")
        gap = dot(X, Z) + 2 * dot(x, y)
        return Point(X, Z, t, self.on.cholesky(X), self.on.cholesky(Z), x, y, gap)

    def moved(self, point: Point, step: Direction, alpha: float, beta: float) -> Point | None:
        """Return the point after the step, or None if it is not strictly feasible."""
        try:
            return self.point(*self._moved(point, step, alpha, beta))
        except linalg.LinAlgError:
            return None

    def _moved(self, point: Point, step: Direction, alpha: float, beta: float) -> Any:
        X = point.X + alpha * step.dX
        X /= float(X.trace())
        Z, t = point.Z + beta * step.dZ, point.t + beta * step.dt
        self.on.set_diagonal(Z, t - self.on.put(self.c**2))
        return X, Z, t

    def factor(self, point: Point) -> None:
        """Factor O and eliminate v, which leaves one equation for dt."""
        self.V = point.X if self.edge_form else point.Z
        self.W = self._inverse(point)
        self.u, self.q = (point.y, 2 * point.x) if self.edge_form else (point.x, 2 * point.y)
        self._factor()
        self.border, self.bordered, self.pivot = self._eliminated()
        if not np.isfinite(self.pivot) or self.pivot == 0:
            raise linalg.LinAlgError("the Schur matrix is singular")

    def _eliminated(self) -> tuple[Any, Any, float]:
        """Return b, the solution for b, and what is left of d."""
        if self.edge_form:
            middle = symmetric(self.W @ self.V)
            border, corner = self.measure(middle), float(middle.trace())
        else:
            border, corner = self.identity, 0.0
        bordered = self.solve(border)
        return border, bordered, corner - float(border @ bordered)

    def _inverse(self, point: Point) -> Any:
        """W = U⁻¹."""
        return self.on.inverse(point.Z_root if self.edge_form else point.X_root)

    def _factor(self) -> None:
        """L Lᵀ = O + diag(q/u) + ρ b bᵀ in the memory of O, with as little ridge as makes it work.

        b = tr B_p, and ρ > 0 where diagonal places are among the pairs. Then bᵀv = r₀ is one of
        the equations, so that adding ρ b r₀ on the right changes nothing. But O itself is nearly
        singular: along dU = U it has the energy tr(U W U V) = ⟨U, V⟩, the gap.
        """
        ridge, stiff = RIDGE, None
        if len(self.u):
            stiff = 0 * self.identity
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

    def value(self, X: Any) -> float:
        """cᵀXc."""
        return float(self.weights @ (X @ self.weights))

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

    def direction(self, target: float, predictor: Direction | None = None) -> Direction:
        """Return the direction to U V = target·I, with the second-order term of ``predictor``."""
        aim, lean = target * self.W - self.V, target / self.u - self.q
        if predictor is not None:
            dX, dZ, _, dx, dy = predictor
            dU, dV = (dZ, dX) if self.edge_form else (dX, dZ)
            aim -= symmetric(self.times(dU) @ dV)
            lean -= 2 * dx * dy / self.u
        values, dt, best = 0 * self.identity, 0.0, np.inf
        right, right_t = self.measure(aim), float(aim.trace()) if self.edge_form else 0.0
        right[self.bound] += lean
        enough = EXACT * np.hypot(norm(right), right_t)
        for _ in range(1 + REFINE):
            solved = self.solve(right + self.weight * right_t * self.identity)
            more = (right_t - float(self.border @ solved)) / self.pivot
            values, dt = values + solved - more * self.bordered, dt + more
            dU, dV, right, right_t = self._expand(aim, lean, values, dt)
            residual = np.hypot(norm(right), right_t)
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
        """Return dU and dV of a solution, and the two residuals."""
        dU = self.combine(values)
        if self.edge_form:
            self.on.set_diagonal(dU, dt)  # an edge is no diagonal place
        dV = aim - symmetric(self.times(dU) @ self.V)
        right = self.measure(dV)
        if len(lean):
            right[self.bound] += lean - self.q / self.u * values[self.bound]
        if self.edge_form:
            return dU, dV, right, float(dV.trace())
        return dU, dV, right - dt * self.identity, -float(dU.trace())

    def _placed(self, dU: Any, dV: Any, dt: float) -> Direction:
        """Return the direction without what rounding left outside the two subspaces."""
        dX, dZ = (dV, dU) if self.edge_form else (dU, dV)
        dX[self.not_in_X] = 0.0
        self.on.set_diagonal(dX, dX.diagonal() - float(dX.trace()) / self.n)
        dZ[self.not_in_Z] = 0.0
        self.on.set_diagonal(dZ, dt)
        sign = self.variant.sign
        return Direction(dX, dZ, dt, sign * dX[self.signed], -sign * dZ[self.signed])

    def lengths(self, point: Point, step: Direction) -> tuple[float, float]:
        """Largest steps that keep X + α dX and Z + β dZ positive semidefinite, and the signs."""
        return (
            min(self.length(point.X_root, step.dX), _ratio(point.x, step.dx)),
            min(self.length(point.Z_root, step.dZ), _ratio(point.y, step.dy)),
        )

    def length(self, root: Any, change: Any) -> float:
        """−1/λ_min(L⁻¹ D L⁻ᵀ), infinite where D is positive semidefinite."""
        scaled = self.on.solve_lower(root, self.on.solve_lower(root, change).T)
        smallest = self.on.smallest(scaled)
        return float(-1 / smallest) if smallest < 0 else np.inf


def _ratio(x: Any, change: Any) -> float:
    """The largest α with x + α dx ≥ 0, for x > 0."""
    fastest = float((change / x).min()) if len(x) else 0.0
    return -1 / fastest if fastest < 0 else np.inf
