"""Douglas–Rachford without an n × n array: large sparse cores.

The iteration of :mod:`.splitting` without relaxation, a = 1, keeps its state in the form

    W = U + s c cᵀ + S,    U = V Vᵀ of low rank,  S supported on the edges,

because the image of W is U' + s c cᵀ + S' with U' = V'V'ᵀ the point of Δ nearest to W and, on the
edges, S' = W − 2U' − s c cᵀ. The few eigenvectors of W above the threshold τ are followed from
one iteration to the next by a Chebyshev-filtered subspace. Anderson acceleration mixes states:
factors side by side with signed weights. Memory is O(m + n r), times the mixed states.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import scipy.linalg
from scipy import sparse

from lovasz.base.device import threads_for
from lovasz.graphs import Graph
from lovasz.linalg.eigenvalues import lanczos_largest, start_vector
from lovasz.number.solvers.contract import Approximation, Core, Referee, has_stalled
from lovasz.number.solvers.projection import simplex_threshold
from lovasz.number.solvers.splitting import REBALANCE_EVERY, REBALANCE_FACTOR, REBALANCE_UNTIL

DEGREE = 8
"""Degree of the Chebyshev polynomial that filters the subspace."""
MEMORY = 6
"""Number of states that Anderson acceleration mixes."""
GUARD = 12
"""Number of directions below the threshold that are added to the subspace when it grows.

It grows when fewer than half as many are left.
"""
SKETCH = 24
"""Number of random vectors that estimate inner products of states."""
CHECK_EVERY = 20
"""Number of iterations between two estimates of the gap."""
PATIENCE = 15
"""Number of estimates in which the gap has to fall by a third."""


@dataclass(frozen=True)
class SparseSplitting:
    """Iterate until the certificate is within the tolerance. It knows no variant but ϑ.

    The certificate is tried when a gap within the tolerance is to be expected, and again when the
    expected gap has halved. A gap that ``PATIENCE`` estimates have not made a third smaller ends
    the search.
    """

    most: int = 5000
    """Largest number of iterations."""
    may_stall: bool = False
    """Whether to end when certificates hardly improve, because another solver can go on."""
    name: str = "sparse splitting"

    def solve(
        self, core: Core, referee: Referee, start: Approximation | None = None
    ) -> Approximation:
        """See :class:`.contract.Solver`; ``start`` is ignored."""
        with threads_for(core.graph.n):
            return self._iterate(LowRankMap(core.graph, core.c), referee)

    def _iterate(self, step: LowRankMap, referee: Referee) -> Approximation:
        state, mixer, wanted = step.start(), SketchedMixer(step), referee.tol
        iteration, expected, gaps = 0, [np.inf], list[float]()
        while True:
            iteration += 1
            image = step(state)
            last = iteration == self.most or referee.stop()
            if iteration % CHECK_EVERY == 0 and not last:
                expected.append(min(step.gap(image), expected[-1]))
                last = len(expected) > PATIENCE and 1.5 * expected[-1] > expected[-PATIENCE]
                if expected[-1] >= wanted and not last:
                    referee.show(partial(step.approximation, iteration))
            if last or expected[-1] < wanted:
                found = step.approximation(iteration)
                gaps.append(referee.certify(found).gap)
                done = gaps[-1] <= referee.tol
                if done or last or (self.may_stall and has_stalled(gaps)):
                    return replace(found, converged=done)
                wanted = expected[-1] / 2
            rebalanced = None
            if iteration <= REBALANCE_UNTIL and iteration % REBALANCE_EVERY == 0:
                rebalanced = step.rebalance(image)
            if rebalanced is not None:
                mixer.clear()
                state = rebalanced
            else:
                state = mixer(state, image)


@dataclass(frozen=True)
class LowRankState:
    """W = F diag(weights) Fᵀ + s c cᵀ + S; ``low`` is the first term on the edges."""

    F: np.ndarray
    weights: np.ndarray
    low: np.ndarray
    S: np.ndarray


class LowRankMap:
    """F(W), and what it leaves behind: V, τ, the dual values ℓ = W − U on the edges."""

    def __init__(self, graph: Graph, c: np.ndarray) -> None:
        self.n, self.c = graph.n, c
        self.i, self.j = graph.edges()
        self.cc = c[self.i] * c[self.j]
        self.on_edges = EdgeMatrix(graph)
        self.rng = np.random.default_rng(0)
        self.basis = self.rng.standard_normal((self.n, min(self.n, 4 * GUARD)))
        self.basis[:, 0] = c
        self.bottom, self.cut = 0.0, np.nan
        self.calls = 0

    def start(self) -> LowRankState:
        """The Luz–Schrijver matrix, as in the dense iteration, and U = I/n in few directions."""
        A = self.on_edges(np.ones_like(self.cc))
        least = -lanczos_largest(lambda v: -(A @ v), start_vector(self.n), tol=1e-3)[0]
        most = lanczos_largest(lambda v: A @ v, start_vector(self.n), tol=1e-3)[0]
        t = max(float(self.c @ self.c) / (1 - most / least), float(self.c.max()) ** 2)
        self.s = 0.5 / (t * self.n**0.5)
        S = np.full_like(self.cc, self.s * t / least)
        nothing = np.zeros((self.n, 1))
        return LowRankState(nothing, np.zeros(1), np.zeros_like(S), S)

    def product(self, state: LowRankState) -> Callable[[np.ndarray], np.ndarray]:
        """B ↦ W B."""
        sparse_part = self.on_edges(state.S)
        weighted = state.F * state.weights
        scaled = self.s * self.c

        def times(B: np.ndarray) -> np.ndarray:
            out: np.ndarray = sparse_part @ B
            out += weighted @ (state.F.T @ B)
            out += np.multiply.outer(scaled, self.c @ B) if B.ndim > 1 else scaled * (self.c @ B)
            return out

        return times

    def __call__(self, state: LowRankState) -> LowRankState:
        """Return the image of a state."""
        times = self.product(state)
        values = self._follow(times)
        self.tau = simplex_threshold(values)
        rank = int((values > self.tau).sum())
        self.V = self.basis[:, -rank:] * np.sqrt(values[-rank:] - self.tau)
        U = np.einsum("ij,ij->i", self.V[self.i], self.V[self.j])
        self.dual = state.low + self.s * self.cc + state.S - U
        self._resize(rank)
        return LowRankState(self.V, np.ones(rank), U, self.dual - U - self.s * self.cc)

    def _follow(self, times: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Turn the basis towards the top of the spectrum; Ritz values, ascending."""
        if self.calls % 10 == 0:
            value, residual, _ = lanczos_largest(
                lambda v: -times(v), start_vector(self.n), tol=0.02
            )
            self.bottom = -value - 2 * residual
        values: np.ndarray
        for _ in range(3 if self.calls == 0 else 1):
            if np.isfinite(self.cut):
                self.basis = _chebyshev(times, self.basis, self.bottom, self.cut, DEGREE)
            else:
                self.basis = times(times(self.basis))
            self.basis, _ = scipy.linalg.qr(self.basis, mode="economic", check_finite=False)
            image = times(self.basis)
            values, turn = scipy.linalg.eigh(self.basis.T @ image, check_finite=False)
            self.basis = self.basis @ turn
            self.cut = max(float(values[0]), self.bottom * 0.99 + 0.01 * float(values[-1]))
        self.calls += 1
        return values

    def _resize(self, rank: int) -> None:
        """Keep some directions below the threshold, so that new ones can come up."""
        size = self.basis.shape[1]
        if size < self.n and rank > size - GUARD // 2:
            more = self.rng.standard_normal((self.n, min(self.n - size, GUARD + size // 4)))
            more -= self.basis @ (self.basis.T @ more)
            self.basis = np.hstack([np.linalg.qr(more)[0], self.basis])
        elif size > 1.3 * rank + 3 * GUARD:
            self.basis = self.basis[:, -(rank + 2 * GUARD) :]

    def rebalance(self, image: LowRankState) -> LowRankState | None:
        """The state U + f L with s changed by f, as in the dense iteration, or None."""
        t = self.tau / self.s
        y = self.dual / self.s
        total = float(self.c @ self.c)
        off = total**2 - float((self.c**4).sum()) - 2 * float((self.cc**2).sum())
        dual = float(((t - self.c**2) ** 2).sum()) + off + 2 * float((y**2).sum())
        primal = float(((self.V.T @ self.V) ** 2).sum())
        factor = min(max((primal / dual) ** 0.5 / self.s, 0.2), 5.0)
        if 1 / REBALANCE_FACTOR < factor < REBALANCE_FACTOR:
            return None
        self.s *= factor
        return LowRankState(
            image.F, image.weights, image.low, factor * self.dual - self.s * self.cc
        )

    def gap(self, image: LowRankState) -> float:
        """The relative gap to be expected of a certificate."""
        M = self.on_edges(self.dual / self.s - self.cc)
        start = self.c + 0.1 * start_vector(self.n)
        upper = lanczos_largest(lambda v: M @ v + self.c * (self.c @ v), start, tol=1e-6)[0]
        excess = 2 * float(np.abs(image.low).sum())
        lower = float(((self.c @ self.V) ** 2).sum() - 2 * (self.cc * image.low).sum()) + excess
        return 1 - lower / (1 + excess) / upper

    def approximation(self, iteration: int) -> Approximation:
        """The pair that the last projection gave."""
        return Approximation(
            edge_values=self.cc - self.dual / self.s, factor=self.V, iterations=iteration
        )


class EdgeMatrix:
    """Values on the edges as a symmetric sparse matrix, its pattern computed once."""

    def __init__(self, graph: Graph) -> None:
        i, j = graph.edges()
        numbered = sparse.coo_array((np.arange(1, graph.m + 1), (i, j)), shape=(graph.n, graph.n))
        both = sparse.csr_array(numbered + numbered.T)
        self.order, self.indices, self.indptr = both.data - 1, both.indices, both.indptr
        self.shape = both.shape

    def __call__(self, values: np.ndarray) -> sparse.csr_array:
        """Return the matrix that has these values on the edges."""
        return sparse.csr_array((values[self.order], self.indices, self.indptr), shape=self.shape)


class SketchedMixer:
    """Anderson acceleration of states; inner products are those of a random sketch R Ω."""

    def __init__(self, step: LowRankMap) -> None:
        self.step = step
        self.Omega = np.random.default_rng(1).standard_normal((step.n, SKETCH))
        self.clear()

    def clear(self) -> None:
        """Forget the past, as after a change of the map."""
        self.images: list[LowRankState] = []
        self.residuals: list[np.ndarray] = []
        self.best = np.inf

    def _sketch(self, state: LowRankState) -> np.ndarray:
        low: np.ndarray = (state.F * state.weights) @ (state.F.T @ self.Omega)
        low += self.step.on_edges(state.S) @ self.Omega
        return low

    def __call__(self, state: LowRankState, image: LowRankState) -> LowRankState:
        """Return the next state after ``state``, given its image."""
        sketch = self._sketch(image)
        residual = sketch - self._sketch(state)
        size = float(np.linalg.norm(residual))
        if size > 1.5 * self.best:
            self.clear()
        self.best = min(self.best, size)
        self.images.append(image)
        self.residuals.append(residual.ravel())
        del self.images[:-MEMORY], self.residuals[:-MEMORY]
        k = len(self.images)
        if k == 1:
            return image
        R = np.stack(self.residuals)
        gram = R @ R.T
        gram[np.diag_indices(k)] += 1e-10 * np.trace(gram)
        weights = np.linalg.solve(gram, np.ones(k))
        weights /= weights.sum()
        if not np.isfinite(weights).all() or np.abs(weights).max() > 1e3:
            self.clear()
            return image
        return LowRankState(
            np.hstack([x.F for x in self.images]),
            np.concatenate([a * x.weights for a, x in zip(weights, self.images, strict=True)]),
            sum(a * x.low for a, x in zip(weights, self.images, strict=True)),
            sum(a * x.S for a, x in zip(weights, self.images, strict=True)),
        )


def _chebyshev(
    times: Callable[[np.ndarray], np.ndarray], B: np.ndarray, low: float, high: float, degree: int
) -> np.ndarray:
    """p(W) B with the Chebyshev polynomial that is small on [low, high] and grows above."""
    half, centre = (high - low) / 2, (high + low) / 2
    before, now = B, (times(B) - centre * B) / half
    for _ in range(degree - 1):
        before, now = now, 2 * (times(now) - centre * now) / half - before
        scale = np.abs(now).max()
        if scale > 1e100:
            before, now = before / scale, now / scale
    return now
