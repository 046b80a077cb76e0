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

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from lovasz.graphs import Graph
from lovasz.linalg.anderson import Anderson
from lovasz.number.solvers.contract import Candidate, Stop
from lovasz.number.solvers.packing import ROOT, Packing
from lovasz.number.solvers.projection import Projector
from lovasz.number.variants import Variant

RELAXATION = 1.7
SINGLE_ABOVE = 5e-5
LOST = 1.5  # by how much of the norm of what a row loses the certificate will raise its diagonal
REBALANCE_EVERY, REBALANCE_UNTIL, REBALANCE_FACTOR = 12, 150, 1.6


def douglas_rachford(
    graph: Graph,
    c: np.ndarray,
    *,
    tol: float,
    stop: Stop,
    accept: Callable[[Candidate], bool] | None = None,
    look: Callable[[Callable[[], Candidate]], None] | None = None,
    device: Any = "cpu",
    most: int = 5000,
    patience: int | None = None,
    fall: float = 2.0,
    variant: Variant = Variant.LOVASZ,
) -> Candidate:
    """Iterate until ``accept`` (the certificate) is content with a candidate, or ``stop``.

    ``accept`` is asked when a gap of 3 ``tol`` is to be expected (for ϑ′ and ϑ⁺ when the
    residuals are below ``tol``), and again when they have fallen further: after the first time
    by 0.6, then by 3. ``look`` may ask for the candidate of any other iteration. ``patience``
    iterations in which the residual has not become ``fall`` times smaller end the search.
    """
    state = _State(graph, c, device, variant)
    plain = variant is Variant.LOVASZ
    wanted, again = (3 * tol, 0.6) if plain else (tol, 1 / 3)
    accelerate = Anderson(single=plain, nonexpansive=True)
    least = before = np.inf
    for iteration in range(1, most + 1):
        residual = state.project(ROOT * accelerate.size if plain else 0.0)
        if residual < wanted and plain and (gap := state.gap()) > 3 * tol:
            # Gap and residual fall at the same rate, or nearly so.
            wanted = residual * min(0.9, max(0.2, 3 * tol / gap))
        least = min(least, residual)
        last = iteration == most
        if patience and iteration % patience == 0:
            before, last = least, last or least > before / fall
        if residual < wanted or stop() or last:
            candidate = state.candidate(iteration)
            if stop() or last:
                return candidate
            if accept is None or accept(candidate):
                return Candidate(**{**candidate.__dict__, "converged": True})
            wanted, again = again * min(wanted, residual), 1 / 3
        elif look is not None:
            look(partial(state.candidate, iteration))
        if iteration <= REBALANCE_UNTIL and iteration % REBALANCE_EVERY == 0 and state.rebalance():
            accelerate.clear()
        state.W = accelerate(state.W, state.step())
    raise AssertionError("unreachable: the last iteration returns")


class _State:
    """W and what the last projection made of it: U, L and X − U, as vectors (see Packing)."""

    def __init__(self, graph: Graph, c: np.ndarray, device: Any, variant: Variant) -> None:
        import torch

        self.torch, self.variant = torch, variant
        self.packing = Packing(graph, device)
        self.n, self.m = graph.n, graph.m
        self.c = torch.as_tensor(c, device=device, dtype=torch.float64)
        self.C = self.packing.pack(torch.outer(self.c, self.c))
        t, M = self._start()
        self.s = 0.25 / (t * self.n**0.5)
        self.W = self.s * M
        self.W[-self.n :] += 1 / (ROOT * self.n)
        self.projector = Projector(self.packing)
        self.residual = np.inf
        self.t: float | None = None

    def _start(self) -> tuple[float, Any]:
        """Hoffman's bound t and the Luz–Schrijver matrix M = c cᵀ − (t/|λ_min|) A."""
        A = self.torch.zeros_like(self.C)
        A[: self.m] = 1.0
        values = self.torch.linalg.eigvalsh(self.packing.unpack(A))
        smallest, largest = float(values[0]), float(values[-1])
        total = float(self.c @ self.c)
        if smallest >= 0:
            return total, self.C.clone()
        t = max(total / (1 - largest / smallest), float(self.c.max()) ** 2)
        return t, self.torch.add(self.C, A, alpha=t / smallest)

    def project(self, step: float) -> float:
        """Project W on Δ, after a step of this norm (0: exactly).

        Returns the larger of the scaled primal and dual residuals.
        """
        # Single precision is half the time and as good, as long as the residual is far above it.
        coarse = self.residual > SINGLE_ABOVE
        self.U, self.tau = self.projector(self.W, step=step, coarse=coarse)
        self.L, self.t = self.W - self.U, None
        self.lacking = self._lacking()
        primal = float(self.lacking[: self.m].norm())
        dual = float(self.lacking[self.m :].norm()) / self.tau
        self.residual = (2 * self.n) ** 0.5 * max(primal, dual / (self.n + 1))
        return self.residual

    def _lacking(self) -> Any:
        """U − X of step 2."""
        lacking = self.torch.add(self.L, self.C, alpha=-self.s)
        on_edges, off = lacking[: self.m], lacking[self.m :]
        if self.variant is Variant.SZEGEDY:
            self.torch.maximum(on_edges, self.U[: self.m], out=on_edges)
        else:
            on_edges[:] = self.U[: self.m]
        if self.variant is Variant.SCHRIJVER:
            self.torch.minimum(off, self.U[self.m :], out=off)
        return lacking

    def step(self) -> Any:
        """F(W) = W + a (X − U)."""
        return self.torch.add(self.W, self.lacking, alpha=-RELAXATION)

    def rebalance(self) -> bool:
        """Change s to the ratio of the primal to the dual norm when it is far from it.

        U + f L has the eigenvectors of W = U + L: its projection is U, its threshold f τ.
        """
        dual = -self.L / self.s
        dual[-self.n :] += self.tau / (ROOT * self.s)
        factor = min(max(float(self.U.norm() / dual.norm()) / self.s, 0.2), 5.0)
        if 1 / REBALANCE_FACTOR < factor < REBALANCE_FACTOR:
            return False
        self.s, self.tau = factor * self.s, factor * self.tau
        self.L = factor * self.L
        self.W, self.lacking = self.U + self.L, self._lacking()
        return True

    def upper(self) -> float:
        """λ_max(M): what the certificate will prove, but for rounding. Found once a projection."""
        if self.t is None:
            M = self.C.clone()
            M[: self.m] = self.L[: self.m] / self.s
            self.t = float(self.torch.linalg.eigvalsh(self.packing.unpack(M))[-1])
        return self.t

    def gap(self) -> float:
        """The relative gap to be expected of a certificate."""
        on_edges, lost = self.U[: self.m], self.torch.zeros_like(self.c)
        for end in (self.packing.i, self.packing.j):
            lost.index_add_(0, end, on_edges**2)
        lost = LOST * lost.sqrt()
        above = 2 * self.C[self.m :] @ self.U[self.m :]
        return 1 - float((above + self.c**2 @ lost) / (1 + lost.sum())) / self.upper()

    def candidate(self, iteration: int) -> Candidate:
        excess = None
        if self.variant is Variant.SCHRIJVER:
            excess = self.packing.unpack(self.L / self.s - self.C).cpu().numpy()
        return Candidate(
            edge_values=(self.C - self.L / self.s)[: self.m].cpu().numpy(),
            matrix=self.packing.unpack(self.U).cpu().numpy(),
            t=self.upper() if self.variant is Variant.LOVASZ else None,
            excess=excess,
            iterations=iteration,
        )
