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
from lovasz.number.candidate import Candidate, Stop
from lovasz.number.projection import Projector
from lovasz.number.variants import Variant

RELAXATION = 1.7
MEMORY = 10
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
        residual = state.project(accelerate.size if plain else 0.0)
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
    """W and what the last projection made of it."""

    def __init__(self, graph: Graph, c: np.ndarray, device: Any, variant: Variant) -> None:
        import torch

        self.torch, self.variant = torch, variant
        placed = {"device": device, "dtype": torch.float64}
        self.n = graph.n
        self.c = torch.as_tensor(c, **placed)
        self.i, self.j = (
            torch.as_tensor(end.astype(np.int64), device=device) for end in graph.edges()
        )
        self.C = torch.outer(self.c, self.c)
        self.linked = self._on_edges(1.0)
        self.unlinked = 1 - self.linked
        t, M = self._start(graph)
        self.s = 0.25 / (t * self.n**0.5)
        self.W = self.s * M
        self.W.diagonal().add_(1 / self.n)
        self.projector = Projector()
        self.residual = np.inf
        self.t: float | None = None

    def _start(self, graph: Graph) -> tuple[float, Any]:
        """Hoffman's bound t and the Luz–Schrijver matrix M = c cᵀ − (t/|λ_min|) A."""
        values = self.torch.linalg.eigvalsh(self._on_edges(1.0))
        smallest, largest = float(values[0]), float(values[-1])
        total = float(self.c @ self.c)
        if smallest >= 0:
            return total, self.C.clone()
        t = max(total / (1 - largest / smallest), float(self.c.max()) ** 2)
        return t, self.C + self._on_edges(t / smallest)

    def _on_edges(self, values: Any) -> Any:
        matrix = self.torch.zeros_like(self.C)
        matrix[self.i, self.j] = values
        matrix[self.j, self.i] = values
        return matrix

    def project(self, step: float) -> float:
        """Project W on Δ, after a step of this norm (0: exactly).

        Returns the larger of the scaled primal and dual residuals.
        """
        # Single precision is half the time and as good, as long as the residual is far above it.
        coarse = self.residual > SINGLE_ABOVE
        self.U, self.tau = self.projector(self.W, step=step, coarse=coarse)
        self.L = self.W - self.U
        on_edges, off = self.U, self.torch.add(self.L, self.C, alpha=-self.s)
        if self.variant is Variant.SZEGEDY:
            on_edges = self.torch.maximum(on_edges, off)
        elif self.variant is Variant.SCHRIJVER:
            off = self.torch.minimum(off, self.U)
        self.on_edges, self.off, self.t = on_edges * self.linked, off.mul_(self.unlinked), None
        primal, dual = float(self.on_edges.norm()), float(self.off.norm()) / self.tau
        self.residual = self.n**0.5 * max(primal, dual / (self.n + 1))
        return self.residual

    def step(self) -> Any:
        """F(W) = W + a (X − U)."""
        if self.variant is Variant.LOVASZ:
            return self.torch.add(self.W, self.on_edges + self.off, alpha=-RELAXATION)
        X = (self.U - self.L).add_(self.C, alpha=self.s)
        X = self.variant.nearest(X, self.i, self.j)
        return X.mul_(RELAXATION).add_(self.U, alpha=1 - RELAXATION).add_(self.L)

    def rebalance(self) -> bool:
        """Change s to the ratio of the primal to the dual norm when it is far from it.

        U + f L has the eigenvectors of W = U + L: its projection is U, its threshold f τ.
        """
        dual = -self.L / self.s
        dual.diagonal().add_(self.tau / self.s)
        factor = min(max(float(self.U.norm() / dual.norm()) / self.s, 0.2), 5.0)
        if 1 / REBALANCE_FACTOR < factor < REBALANCE_FACTOR:
            return False
        self.s, self.tau = factor * self.s, factor * self.tau
        self.L, self.off = factor * self.L, factor * self.off
        self.W = self.U + self.L
        return True

    def upper(self) -> float:
        """λ_max(M): what the certificate will prove, but for rounding. Found once a projection."""
        if self.t is None:
            M = self.C.clone()
            M[self.i, self.j] = M[self.j, self.i] = self.L[self.i, self.j] / self.s
            self.t = float(self.torch.linalg.eigvalsh(M)[-1])
        return self.t

    def gap(self) -> float:
        """The relative gap to be expected of a certificate."""
        on_edges = self.U[self.i, self.j]
        lost = self.torch.zeros_like(self.c)
        for end in (self.i, self.j):
            lost.index_add_(0, end, on_edges**2)
        lost = LOST * lost.sqrt()
        above = self.c @ self.U @ self.c - 2 * (self.c[self.i] * self.c[self.j] * on_edges).sum()
        return 1 - float((above + self.c**2 @ lost) / (1 + lost.sum())) / self.upper()

    def candidate(self, iteration: int) -> Candidate:
        on_edges = self.L[self.i, self.j] / self.s
        y, excess = self.c[self.i] * self.c[self.j] - on_edges, None
        if self.variant is Variant.SCHRIJVER:
            excess = (self.L / self.s - self.C).cpu().numpy()
        return Candidate(
            edge_values=y.cpu().numpy(),
            matrix=self.U.cpu().numpy(),
            t=self.upper() if self.variant is Variant.LOVASZ else None,
            excess=excess,
            iterations=iteration,
        )


class Anderson:
    """Type-II Anderson acceleration with a safeguard: x ← g − ΔG γ, γ = argmin ‖r − ΔR γ‖.

    Without the safeguard it diverges on crown graphs, and when it only forgets the past, without
    going back, it wanders off where iterates live in fewer dimensions than are kept, as for codes.
    """

    def __init__(
        self, memory: int = MEMORY, *, single: bool = False, nonexpansive: bool = False
    ) -> None:
        """``single``: keep the past in single precision, which moves half as many bytes.

        ``nonexpansive``: the map is, so that a plain step does not lengthen the residual.
        """
        self.memory, self.single, self.nonexpansive, self.size = memory, single, nonexpansive, 0.0
        self.residuals: Any = None  # (memory, entries): differences of successive residuals
        self.images: Any = None
        self.clear()

    def clear(self) -> None:
        """Forget the past, as after a change of the map."""
        self.gram = np.zeros((self.memory, self.memory))
        self.kept = 0  # differences stored since the last clearing; the oldest are overwritten
        self.last: tuple[Any, Any] | None = None
        self.best = np.inf

    def __call__(self, x: Any, image: Any) -> Any:
        """The next point after x, given the image of x; ``size`` is how far that is from x."""
        residual = image - x
        self.size = size = float(residual.norm())
        if self.last is not None and self.kept and size > 1.2 * self.best:
            back = self.last[1]
            self.clear()
            if self.nonexpansive:  # go back, and take the plain step instead
                self.size = 0.0
                return back
        self.best = min(self.best, size) if self.kept else size
        if self.last is not None:
            self._store(residual - self.last[0], image - self.last[1])
        self.last = (residual, image)
        if not self.kept:
            return image
        coefficients = self._solve(residual)
        if coefficients is None:
            self.clear()
            return image
        used = len(coefficients)
        mixed = self.images.new_tensor(coefficients) @ self.images[:used]
        return image - mixed.view_as(image)

    def _store(self, residual: Any, image: Any) -> None:
        """Keep two differences, and the inner products of the first with those kept."""
        if self.residuals is None:
            like = residual.float() if self.single else residual
            self.residuals = like.new_empty((self.memory, residual.numel()))
            self.images = like.new_empty((self.memory, residual.numel()))
        at = self.kept % self.memory
        self.residuals[at], self.images[at] = residual.reshape(-1), image.reshape(-1)
        self.kept += 1
        used = min(self.kept, self.memory)
        products = (self.residuals[:used] @ self.residuals[at]).cpu().numpy()
        self.gram[at, :used] = self.gram[:used, at] = products

    def _solve(self, residual: Any) -> Any:
        used = min(self.kept, self.memory)
        against = residual.reshape(-1).to(self.residuals.dtype)
        right = (self.residuals[:used] @ against).cpu().numpy()
        gram = self.gram[:used, :used].copy()
        gram.flat[:: used + 1] += 1e-12 * np.trace(gram)
        try:
            coefficients = np.linalg.solve(gram, right)
        except np.linalg.LinAlgError:
            return None
        return coefficients if np.abs(coefficients).max() <= 1e4 else None
