"""Vectors instead of matrices: large sparse cores.

ϑ(G, w) is the maximum of Σ w_i x_i over vectors d_i with d_i·e₀ = |d_i|² = x_i and d_i·d_j = 0 on
the edges. Then 2d_i − e₀ is a unit vector, so each vector lives on a sphere, and with the others
fixed the augmented Lagrangian

    Σ w_i x_i − Σ_e y_e c_e − (β/2) Σ_e c_e²,    c_e = d_i·d_j,

has its maximum over the sphere in closed form. A sweep moves one vector after the other, past its
maximum by the factor ω, and each multiplier as soon as both ends of its edge have moved. Anderson
acceleration mixes the results of several sweeps. The number r of coordinates grows or falls with
the spectrum of DᵀD. A sweep takes 8 m r operations; memory is O(n r + m) times the mixed states.

The dual solution is read off the multipliers: M = Diag(v) + Y with Y_ij = y_ij/2 and
v_i = |w_i e₀ − Σ_j y_ij d_j|. If M ⪰ 0, then ϑ ≤ bᵀM⁻¹b for every b with b_i² ≥ w_i v_i. The
eigenvalues of M that are still negative are repaired in :mod:`.low_rank_dual`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg
from scipy import sparse

from lovasz.graphs import Graph
from lovasz.number.solvers.contract import Approximation, Core, Referee
from lovasz.number.solvers.low_rank_compiled import edge_products, sweep, weighted_sums
from lovasz.number.solvers.low_rank_dual import Dual, repair

BETA = 0.6
"""The penalty β, for weights whose largest is 1."""
OMEGA = 1.5
"""The factor ω by which a vector moves past the maximum."""
FIRST_MULTIPLIER = 0.3
"""Multiplier of every edge at the start."""
PERIOD = 8
"""Number of sweeps between two steps of Anderson acceleration."""
MEMORY = 5
"""Number of differences that Anderson acceleration mixes."""
ADAPT_EVERY = 10
"""Number of periods between two looks at the spectrum of DᵀD."""
NEGLIGIBLE = 1e-5
"""Coordinates with a smaller share of the largest eigenvalue of DᵀD are cut."""
NOT_ENOUGH = 2e-2
"""Coordinates are added while the smallest share is larger than this."""
FIRST_CHECK = 12
"""Number of periods before the first estimate of the gap."""
CHECK_FACTOR = 1.35
"""Factor by which the number of periods grows from one estimate to the next."""
STALLED_AFTER = 5
"""Number of estimates in which the gap has to halve."""
SINGLE_UP_TO = 3e-6
"""Relative gap up to which single precision suffices."""
RESTORATIONS = 3
"""Largest number of Gauss–Newton steps that make d_i·d_j vanish before a certificate."""
RESTORING_STEPS = 40
"""Largest number of steps of conjugate gradients in each of them."""
FORGOTTEN = 1e-3
"""A vector with smaller x_i is set to zero before a certificate."""


@dataclass(frozen=True)
class LowRankSweeps:
    """Sweep until the certificate is within the tolerance. It knows no variant but ϑ."""

    most: int = 3000
    """Largest number of periods."""
    name: str = "low rank"

    def solve(
        self, core: Core, referee: Referee, start: Approximation | None = None
    ) -> Approximation:
        """See :class:`.contract.Solver`; ``start`` is ignored."""
        state = Sweeper(core.graph, core.c**2)
        wanted, due, gaps = referee.tol, FIRST_CHECK, list[float]()
        periods = 0
        while True:
            state.advance()
            periods += 1
            last = periods == self.most or referee.stop()
            if periods >= due or last:
                due = max(int(CHECK_FACTOR * periods), periods + 1)
                dual = state.dual()
                gaps.append(dual.gap(state.value()))
                stalled = len(gaps) > STALLED_AFTER and 2 * min(gaps) > min(gaps[:-STALLED_AFTER])
                if stalled and state.refine():
                    gaps, stalled = gaps[:-STALLED_AFTER], False
                if last or stalled or gaps[-1] < 0.8 * wanted:
                    found = state.approximation(dual, periods)
                    done = referee.certify(found).gap <= referee.tol
                    if done or last or stalled:
                        return replace(found, converged=done)
                    wanted = gaps[-1] / 2
                    state.refine()
                else:
                    referee.show(lambda: state.approximation(state.dual(), periods))  # noqa: B023


class Sweeper:
    """The vectors D, the multipliers y, and how they are moved."""

    def __init__(self, graph: Graph, w: np.ndarray, seed: int = 0) -> None:
        self.n, self.m = graph.n, graph.m
        self.i, self.j = graph.edges()
        self.unit = float(w.max())
        self.w = w / self.unit
        numbered = sparse.coo_array((np.arange(1, self.m + 1), (self.i, self.j)), shape=(self.n,) * 2)
        both = sparse.csr_array(numbered + numbered.T)
        both.sort_indices()
        self.first, self.neighbours = both.indptr.astype(np.int64), both.indices.astype(np.int32)
        self.edge = (both.data - 1).astype(np.int32)
        self.rng = np.random.default_rng(seed)
        self.D = self._random_start(first_rank(self.n, self.m))
        self.y = np.full(self.m, FIRST_MULTIPLIER)
        self.mixer = Mixer()
        self.periods = self.changed = 0
        self.off = np.inf

    def _random_start(self, r: int) -> np.ndarray:
        D = self.rng.standard_normal((self.n, r), dtype=np.float32)
        D[:, 0] = np.abs(D[:, 0]) + 1.5
        return to_spheres(D)

    def advance(self) -> None:
        """Do one period of sweeps and mix its result with earlier ones."""
        before = self._flat()
        for _ in range(PERIOD):
            self.off = sweep(
                self.D, self.y, self.w, self.first, self.neighbours, self.edge, BETA, OMEGA
            )
        self.periods += 1
        mixed = self.mixer(before, self._flat())
        if mixed is not None:
            size = self.D.size
            self.D = to_spheres(mixed[:size].reshape(self.D.shape).copy())
            self.y = mixed[size:].astype(np.float64)
        if self.periods % ADAPT_EVERY == 0:
            self._adapt()

    def _flat(self) -> np.ndarray:
        return np.concatenate([self.D.ravel(), self.y.astype(self.D.dtype)])

    def _adapt(self) -> None:
        """Cut coordinates that are hardly used, or add some if all are used."""
        n, r = self.D.shape
        gram = (self.D.T @ self.D).astype(np.float64)
        values, Q = np.linalg.eigh(gram[1:, 1:])
        values, Q = values[::-1] / values[-1], Q[:, ::-1]
        used, since = int((values > NEGLIGIBLE).sum()) + 4, self.periods - self.changed
        if values[-1] > NOT_ENOUGH and since >= 12 and r < n:
            more = min(int(0.4 * r) + 8, n - r)
            noise = self.rng.standard_normal((n, more), dtype=np.float32).astype(self.D.dtype)
            noise *= 0.2 / np.sqrt(r) * np.sqrt(np.maximum(self.D[:, :1], 0))
            D = np.hstack([self.D, noise])
        elif used < 0.85 * r and since >= 8:
            D = np.hstack([self.D[:, :1], self.D[:, 1:] @ Q[:, : used - 1].astype(self.D.dtype)])
        else:
            return
        self.D = to_spheres(np.ascontiguousarray(D))
        self.changed = self.periods
        self.mixer = Mixer()

    def refine(self) -> bool:
        """Go on in double precision; False if that is so already."""
        if self.D.dtype == np.float64:
            return False
        self.D = to_spheres(self.D.astype(np.float64))
        self.mixer = Mixer()
        return True

    def value(self) -> float:
        """The value of the Lagrangian, an estimate of ϑ from below."""
        products = edge_products(self.D, self.D, self.i, self.j)
        return self.unit * float(self.w @ self.D[:, 0] - np.abs(self.y * products).sum())

    def norms(self) -> np.ndarray:
        """v_i = |w_i e₀ − Σ_j y_ij d_j|, the multipliers of the spheres."""
        out = np.empty_like(self.D)
        weighted_sums(self.y, self.D, self.first, self.neighbours, self.edge, out)
        out[:, 0] -= self.w
        return np.sqrt(np.einsum("ij,ij->i", out, out, dtype=np.float64))

    def dual(self) -> Dual:
        """The dual solution that the multipliers tell, repaired."""
        x = np.clip(self.D[:, 0].astype(np.float64), 0, 1)
        pattern = self.first, self.neighbours, self.edge
        return repair(Dual(pattern, self.w, x, self.y.copy(), self.norms(), self.D, self.unit))

    def approximation(self, dual: Dual, periods: int) -> Approximation:
        """Both solutions in the form that is certified."""
        t, y = dual.solution(self.i, self.j)
        V = self.restored() * np.sqrt(self.w)[:, None]
        return Approximation(y, factor=V, t=t, iterations=periods * PERIOD)

    def restored(self) -> np.ndarray:
        """D after Gauss–Newton steps that make the products on the edges vanish.

        Each step moves D by Σ_j λ_ij |d_i|² d_j, where λ solves a positive semidefinite system on
        the edges by conjugate gradients.
        """
        D = self.D.astype(np.float64)
        D[D[:, 0] < FORGOTTEN] = 0
        moved = np.empty_like(D)
        pattern = self.first, self.neighbours, self.edge
        for _ in range(RESTORATIONS):
            products = edge_products(D, D, self.i, self.j)
            square = np.einsum("ij,ij->i", D, D)
            start = float(np.abs(products).sum())
            if start <= 1e-13 * float(square.sum()):
                break
            scale = 1 / (2 * square[self.i] * square[self.j] + 1e-12)

            def move(values: np.ndarray) -> np.ndarray:
                weighted_sums(values, D, *pattern, moved)  # noqa: B023
                np.multiply(moved, square[:, None], out=moved)  # noqa: B023
                return moved

            def linearised(values: np.ndarray) -> np.ndarray:
                step = move(values)
                there = edge_products(step, D, self.i, self.j)  # noqa: B023
                return np.asarray(there + edge_products(D, step, self.i, self.j))  # noqa: B023

            D = D - move(_conjugate_gradients(linearised, products, scale, RESTORING_STEPS))
        return D


def _conjugate_gradients(times, right: np.ndarray, scale: np.ndarray, steps: int) -> np.ndarray:  # type: ignore[no-untyped-def]
    solution, residual = np.zeros_like(right), right.copy()
    scaled = scale * residual
    direction, size = scaled.copy(), float(residual @ scaled)
    goal = 1e-6 * size
    for _ in range(steps):
        if size <= goal:
            break
        image = times(direction)
        length = size / float(direction @ image)
        solution += length * direction
        residual -= length * image
        scaled = scale * residual
        size, before = float(residual @ scaled), size
        direction = scaled + size / before * direction
    return solution


class Mixer:
    """Anderson acceleration of the second kind, on flat arrays."""

    def __init__(self) -> None:
        self.images: list[np.ndarray] = []
        self.residuals: list[np.ndarray] = []
        self.last: tuple[np.ndarray, np.ndarray] | None = None
        self.size = np.inf

    def __call__(self, before: np.ndarray, image: np.ndarray) -> np.ndarray | None:
        """Return what to go on with instead of ``image``, or None to go on with that."""
        residual = image - before
        size = float(np.linalg.norm(residual))
        if size > 2 * self.size:
            self.__init__()  # type: ignore[misc]
        self.size = size
        if self.last is not None:
            self.images.append(image - self.last[0])
            self.residuals.append(residual - self.last[1])
            del self.images[:-MEMORY], self.residuals[:-MEMORY]
        self.last = image, residual
        k = len(self.images)
        if not k:
            return None
        gram = np.array([[float(a @ b) for b in self.residuals] for a in self.residuals])
        right = np.array([float(a @ residual) for a in self.residuals])
        gram[np.diag_indices(k)] += 1e-9 * np.trace(gram)
        try:
            weights = scipy.linalg.solve(gram, right, assume_a="pos")
        except scipy.linalg.LinAlgError:
            weights = np.full(k, np.inf)
        if not np.isfinite(weights).all() or np.abs(weights).max() > 1e4:
            self.__init__()  # type: ignore[misc]
            return None
        mixed = image.copy()
        for weight, change in zip(weights, self.images, strict=True):
            mixed -= mixed.dtype.type(weight) * change
        return mixed


def to_spheres(D: np.ndarray) -> np.ndarray:
    """Move every row to the nearest point with d·e₀ = |d|²; D is overwritten."""
    D[:, 0] -= 0.5
    D *= (0.5 / np.sqrt(np.einsum("ij,ij->i", D, D)))[:, None]
    D[:, 0] += 0.5
    return D


def first_rank(n: int, m: int) -> int:
    """The number of coordinates to start with, near the rank of solutions of random graphs."""
    return int(min(n, max(10, 0.72 * (m / n) ** 0.8 * n**0.42 + 6)))
