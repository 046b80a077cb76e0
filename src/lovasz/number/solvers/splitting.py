"""Douglas–Rachford splitting on the spectraplex with Anderson acceleration: dense cores.

Minimise −cᵀXc over {X = 0 on edges} ∩ Δ, Δ = {X ⪰ 0, tr X = 1}. State W, step s:

1. W = Q Λ Qᵀ, τ from Σ(λ−τ)₊ = 1, U = Q(Λ−τ)₊Qᵀ the point of Δ nearest to W, L = W − U;
2. X = 0 on edges, U − L + s c cᵀ elsewhere;
3. W ← a X + (1−a) U + L.

At a fixed point U is optimal, M = L/s is c cᵀ off the edges and λ_max(M) = τ/s = ϑ.
In ϑ′ and ϑ⁺ step 2 projects on the matrices with the right signs instead of zeros: it is the
proximal map of −cᵀXc over any convex set of X. There X = U is a condition on D = M − c cᵀ as
well: where the sign is X ≥ 0, U = max(U − sD, 0) says min(U, sD) = 0, hence D ≥ 0 and U D = 0.
An iteration is one projection, seldom an eigendecomposition (see :mod:`.projection`); a
certificate decides when to stop.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from lovasz.base.device import threads_for
from lovasz.linalg.anderson import Anderson
from lovasz.number.solvers.algebra import norm, place
from lovasz.number.solvers.contract import Approximation, Core, Referee, has_stalled
from lovasz.number.solvers.packing import ROOT, Packing
from lovasz.number.solvers.projection import Projector
from lovasz.number.variants import Variant

RELAXATION = 1.7
"""The relaxation a of step 3."""
SINGLE_ABOVE = 5e-5
"""Residual above which decompositions are done in single precision."""
LOST = 1.5
"""Estimate of how much a certificate raises a diagonal entry.

The unit is the norm of what the row of that entry loses when X is put to zero on the edges.
"""
REBALANCE_EVERY = 12
"""Number of iterations between two attempts to change the step s."""
REBALANCE_UNTIL = 150
"""Iteration after which the step s stays as it is."""
REBALANCE_FACTOR = 1.6
"""The step s is changed only if it is off by more than this factor."""


@dataclass(frozen=True)
class DenseSplitting:
    """Iterate until the certificate is within the tolerance.

    The certificate is tried when a gap within the tolerance is to be expected (for ϑ′ and ϑ⁺ when
    the residuals are below a third of it), and again when they have fallen further: after the
    first time by 0.6, then by 3.
    """

    most: int = 5000
    """Largest number of iterations."""
    patience: int | None = None
    """Number of iterations in which the residual must fall by ``fall``, or None for no limit."""
    fall: float = 2.0
    """Factor by which the residual must fall within ``patience`` iterations."""
    may_stall: bool = False
    """Whether to end when certificates hardly improve, because another solver can go on."""
    name: str = "splitting"

    def solve(
        self, core: Core, referee: Referee, start: Approximation | None = None
    ) -> Approximation:
        """See :class:`.contract.Solver`; ``start`` is ignored."""
        with threads_for(core.graph.n):
            return self._iterate(DenseState(core), core.variant, referee)

    def _iterate(self, state: DenseState, variant: Variant, referee: Referee) -> Approximation:
        tol, plain = referee.tol, variant is Variant.LOVASZ
        wanted, again = (tol, 0.6) if plain else (tol / 3, 1 / 3)
        accelerate = Anderson(single=plain, nonexpansive=True)
        iteration, least, before, gaps = 0, np.inf, np.inf, list[float]()
        while True:
            iteration += 1
            residual = state.project(ROOT * accelerate.size if plain else 0.0)
            if residual < wanted and plain and (gap := state.gap()) > tol:
                # Gap and residual fall at the same rate, or nearly so.
                wanted = residual * min(0.9, max(0.2, tol / gap))
            least = min(least, residual)
            last = iteration == self.most or referee.stop()
            if self.patience and iteration % self.patience == 0:
                before, last = least, last or least > before / self.fall
            if residual < wanted or last:
                found = state.approximation(iteration)
                gaps.append(referee.certify(found).gap)
                done = gaps[-1] <= tol
                if done or last or (self.may_stall and has_stalled(gaps)):
                    return replace(found, converged=done)
                wanted, again = again * min(wanted, residual), 1 / 3
            else:
                referee.show(partial(state.approximation, iteration))
            if (
                iteration <= REBALANCE_UNTIL
                and iteration % REBALANCE_EVERY == 0
                and state.rebalance()
            ):
                accelerate.clear()
            state.W = accelerate(state.W, state.step())


class DenseState:
    """W and what its last projection gave: U, L and U − X, as vectors (see :class:`Packing`)."""

    def __init__(self, core: Core) -> None:
        self.variant, self.n, self.m = core.variant, core.graph.n, core.graph.m
        self.on = place(core.device)
        self.packing = Packing(core.graph, self.on)
        c = np.asarray(core.c, dtype=np.float64)
        self.c, self.C = self.on.put(c), self.packing.pack(self.on.put(np.outer(c, c)))
        t, M = self._start()
        self.s = 0.25 / (t * self.n**0.5)
        self.W = self.s * M
        self.W[-self.n :] += 1 / (ROOT * self.n)
        self.projector = Projector(self.packing)
        self.residual = np.inf
        self.t: float | None = None

    def _start(self) -> tuple[float, Any]:
        """Hoffman's bound t and the Luz–Schrijver matrix M = c cᵀ − (t/|λ_min|) A."""
        A = 0 * self.C
        A[: self.m] = 1.0
        values = self.on.eigvalsh(self.packing.unpack(A))
        smallest, largest = float(values[0]), float(values[-1])
        total = float(self.c @ self.c)
        if smallest >= 0:
            return total, 1 * self.C
        t = max(total / (1 - largest / smallest), float(self.c.max()) ** 2)
        return t, self.on.add(self.C, A, t / smallest)

    def project(self, step: float) -> float:
        """Project W on Δ, after a step of this norm; 0 asks for an exact projection.

        Returns the larger of the scaled primal and dual residuals.
        """
        # Single precision is half the time and as good, as long as the residual is far above it.
        coarse = self.residual > SINGLE_ABOVE
        self.U, self.tau = self.projector(self.W, step=step, coarse=coarse)
        self.L, self.t = self.W - self.U, None
        self.lacking = self._lacking()
        primal = norm(self.lacking[: self.m])
        dual = norm(self.lacking[self.m :]) / self.tau
        self.residual = (2 * self.n) ** 0.5 * max(primal, dual / (self.n + 1))
        return self.residual

    def _lacking(self) -> Any:
        """U − X of step 2."""
        lacking = self.on.add(self.L, self.C, -self.s)
        on_edges, off = lacking[: self.m], lacking[self.m :]
        if self.variant is Variant.SZEGEDY:
            on_edges[:] = self.on.maximum(on_edges, self.U[: self.m])
        else:
            on_edges[:] = self.U[: self.m]
        if self.variant is Variant.SCHRIJVER:
            off[:] = -self.on.maximum(-off, -self.U[self.m :])
        return lacking

    def step(self) -> Any:
        """F(W) = W + a (X − U)."""
        return self.on.add(self.W, self.lacking, -RELAXATION)

    def rebalance(self) -> bool:
        """Change s to the ratio of the primal to the dual norm if it is far from it.

        U + f L has the eigenvectors of W = U + L: its projection is U, its threshold f τ.
        """
        dual = -self.L / self.s
        dual[-self.n :] += self.tau / (ROOT * self.s)
        factor = min(max(norm(self.U) / norm(dual) / self.s, 0.2), 5.0)
        if 1 / REBALANCE_FACTOR < factor < REBALANCE_FACTOR:
            return False
        self.s, self.tau = factor * self.s, factor * self.tau
        self.L = factor * self.L
        self.W, self.lacking = self.U + self.L, self._lacking()
        return True

    def upper(self) -> float:
        """λ_max(M), what the certificate will prove up to rounding; found once per projection."""
        if self.t is None:
            M = 1 * self.C
            M[: self.m] = self.L[: self.m] / self.s
            self.t = float(self.on.eigvalsh(self.packing.unpack(M))[-1])
        return self.t

    def gap(self) -> float:
        """The relative gap to be expected of a certificate."""
        squares, ends = self.U[: self.m] ** 2, (self.packing.i, self.packing.j)
        lost = LOST * sum(self.on.sum_by(end, squares, self.n) for end in ends) ** 0.5
        above = 2 * self.C[self.m :] @ self.U[self.m :]
        return 1 - float((above + self.c**2 @ lost) / (1 + lost.sum())) / self.upper()

    def approximation(self, iteration: int) -> Approximation:
        """The pair that the last projection gave."""
        get, unpack = self.on.get, self.packing.unpack
        signed = self.variant is Variant.SCHRIJVER
        return Approximation(
            edge_values=get((self.C - self.L / self.s)[: self.m]),
            matrix=get(unpack(self.U)),
            t=self.upper() if self.variant is Variant.LOVASZ else None,
            excess=get(unpack(self.L / self.s - self.C)) if signed else None,
            iterations=iteration,
        )
