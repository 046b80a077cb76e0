"""Vectors instead of matrices: large sparse cores.

ϑ(G, w) is the maximum of Σ w_i x_i over vectors d_i with d_i·e₀ = |d_i|² = x_i and d_i·d_j = 0 on
the edges. Then 2d_i − e₀ is a unit vector, so each vector lives on a sphere, and with the others
fixed the augmented Lagrangian

    Σ w_i x_i − Σ_e y_e c_e − ½ Σ_e β_e c_e²,    c_e = d_i·d_j,

has its maximum over the sphere in closed form. The penalty β_e = β/(|d_i| |d_j| + ε) is larger
where vectors are short, because their products are small; without that, the multipliers beside
hubs, whose vectors nearly vanish, are the last to settle. A sweep moves one vector after the other,
past its maximum by the factor ω, and each multiplier as soon as both ends of its edge have moved.
Anderson acceleration mixes the results of several sweeps. The number r of coordinates grows or
falls with the spectrum of DᵀD. A sweep takes 8 m r operations; memory is O(n r + m) times the mixed
states.

The dual solution is read off the multipliers: M = Diag(v) + Y with Y_ij = y_ij/2 and
v_i = |w_i e₀ − Σ_j y_ij d_j|. If M ⪰ 0, then ϑ ≤ bᵀM⁻¹b for every b with b_i² ≥ w_i v_i. The
eigenvalues of M that are still negative are repaired in :mod:`.low_rank_dual`.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from lovasz.base.deadline import crowding
from lovasz.base.device import one_thread
from lovasz.base.memory import free_memory
from lovasz.base.threads import thread_count
from lovasz.graphs import Graph
from lovasz.linalg.anderson import Anderson
from lovasz.number.solvers.contract import Approximation, Core, Referee, never
from lovasz.number.solvers.low_rank_checks import Checks, first_check
from lovasz.number.solvers.low_rank_clock import Clock
from lovasz.number.solvers.low_rank_dual import Dual, repair
from lovasz.number.solvers.low_rank_primal import restore
from lovasz.number.solvers.low_rank_rows import SWEEP_SECONDS, HostRows, place_rows, to_spheres
from lovasz.number.variants import Variant

PENALTY = 0.37
"""The number β, for weights whose largest is 1."""
RELAXATION = 1.5
"""The factor ω by which a vector moves past the maximum."""
FIRST_MULTIPLIER = 0.3
"""Multiplier of every edge at the start."""
PERIOD = 8
"""Number of sweeps between two steps of Anderson acceleration."""
MEMORY = 5
"""Number of differences that Anderson acceleration mixes."""
GROWTH = 2.0
"""Growth of the residual at which Anderson acceleration forgets the past."""
RIDGE = 1e-9
"""Ridge of Anderson acceleration, which suits single precision."""
LANES = 8
"""The number of coordinates is a multiple of this, so that loops over them run in vectors."""
ADAPT_EVERY = 10
"""Number of periods between two looks at the spectrum of DᵀD."""
NEGLIGIBLE = 1e-5
"""Coordinates with a smaller share of the largest eigenvalue of DᵀD are cut."""
NOT_ENOUGH = 2e-2
"""Coordinates are added while the smallest share is larger than this."""
ENOUGH_SWEEPS = 160
"""Number of sweeps for which there has to be time with as many coordinates as are used."""
SWEEPING_SHARE = 0.6
"""Share of the time until a limit that sweeps may take."""
HELD = 11
"""Memory of a search and its last certificate, as a multiple of that of D in single precision."""
MEMORY_SHARE = 0.7
"""Share of the free memory that a search may take."""
LEAST_RANK = 32.0
"""Number of coordinates that is always allowed."""
RESTORED = 0.03
"""Share of the gap that the products on the edges may cost the lower bound."""
REPAIRED_AT = 0.7
"""Share of the time for the last certificate that is left when the repair has to end."""
SOLVED_AT = 0.6
"""The same for the solution with the repaired matrix."""
RESTORED_AT = 0.5
"""The same for the restoration of the primal solution."""


@dataclass(frozen=True)
class LowRankSweeps:
    """Sweep until the certificate is within the tolerance.

    It solves ϑ, and ϑ⁺, for which d_i·d_j ≤ 0 on the edges, so that no multiplier is negative and
    an edge whose multiplier is zero has no effect. ϑ′ has a sign constraint on every pair of nodes
    that is not an edge, n² of them where the sweeps touch only the m edges; for ϑ′ the solution of
    ϑ gives an upper bound.
    """

    most: int = 3000
    """Largest number of periods."""
    name: str = "low rank"

    def solve(
        self, core: Core, referee: Referee, start: Approximation | None = None
    ) -> Approximation:
        """See :class:`.contract.Solver`; ``start`` is ignored.

        The BLAS has one thread: its matrices are narrow, and beside other busy processes several
        threads that wait for each other take about four times as long for them. If another process
        takes the memory of a GPU meanwhile, the search begins again on the CPU.
        """
        with one_thread():
            if core.device != "cpu":
                import torch

                with suppress(torch.OutOfMemoryError):
                    return self._solve(core, referee)
            return self._solve(replace(core, device="cpu"), referee)

    def _solve(self, core: Core, referee: Referee) -> Approximation:
        signed = core.variant is Variant.SZEGEDY
        most = affordable_rank(core.graph, referee.left(), core.device)
        state = Sweeper(core.graph, core.c**2, core.device, signed=signed, most=most)
        clock = Clock(referee, state.rows)
        wanted, checks = referee.tol, Checks(core.graph.n)
        dual: Dual | None = None
        while True:
            whole = state.advance(clock.late)
            clock.learn(state.pace, state.D.shape[1], max(checks.expected, referee.tol))
            last = not whole or state.periods == self.most or clock.late()
            if state.periods < checks.due and not last:
                continue
            value = state.value()
            if dual is None or not (dual.repaired and checks.judged(state.periods)):
                dual = state.dual()
            gap = dual.gap(value)
            if last:
                clock.ends()
                state.restart_mixing()  # the certificate needs the memory
            if gap < wanted and not dual.repaired:  # a repair is as dear as ten periods or more
                dual = repair(dual, wanted, partial(clock.hurried, REPAIRED_AT))
                gap = dual.gap(value)
            stalled = checks.add(state.periods, gap, wanted)
            make = partial(state.approximation, dual, clock, max(gap, referee.tol))
            if stalled and not last and gap >= wanted and not state.escaped:
                clock.timed(partial(referee.certify, make()))  # noise makes it worse at first
                state.escape()
                checks.forgive()
                continue
            if not (last or stalled or gap < wanted):
                if clock.has_time_to_show():
                    clock.timed(partial(referee.show, make))
                continue
            found, ends = make(), last or stalled
            if ends or gap_of(value, found) <= referee.tol:
                done = clock.timed(partial(referee.certify, found)).gap <= referee.tol
                if done or ends:
                    return replace(found, converged=done)
                wanted = gap / 2
            state.refine()


def gap_of(lower: float, found: Approximation) -> float:
    """The relative gap of a lower bound to the upper one that an approximation promises."""
    return math.inf if found.t is None else (found.t - lower) / found.t


class Sweeper:
    """The vectors D, the multipliers y, and how they are moved."""

    def __init__(
        self,
        graph: Graph,
        w: np.ndarray,
        device: str = "cpu",
        *,
        signed: bool = False,
        most: int | None = None,
    ) -> None:
        """``signed`` is for ϑ⁺, whose products on the edges may be negative.

        ``most`` is the largest number of coordinates, or None if any number will do.
        """
        self.n, self.signed = graph.n, signed
        self.most = graph.n if most is None else min(most, graph.n)
        self.unit = float(w.max())
        self.w = w / self.unit
        r = first_rank(self.n, graph.m)
        r = r if most is None else min(r, most)
        self.rows: HostRows = place_rows(graph, np.random.default_rng(0), device, r)
        self.weights = self.rows.put(self.w)  # the weights, where the rows are
        self.D = self._random_start(r)
        self.moving = self.rows.put(np.full(graph.m, FIRST_MULTIPLIER))
        self.precise = False  # whether D has double precision
        self.escaped = False  # whether D was given more coordinates because the search had stalled
        self.periods = self.changed = 0
        self.pace = 0.0  # seconds of the last sweep
        self.restart_mixing()

    @property
    def y(self) -> np.ndarray:
        """(m,) the multipliers."""
        return self.rows.get(self.moving)

    def restart_mixing(self) -> None:
        """Forget what Anderson acceleration mixes, and free its memory."""
        self.anderson, self.lent = Anderson(0), deque[Any]()
        fits = int(self.rows.room() / (2 * self.D.nbytes))
        kept = min(MEMORY, max(fits, 2))
        self.anderson = Anderson(kept, overwrites=True, growth=GROWTH, ridge=RIDGE)

    def _row(self) -> Any:
        """All entries of D and of y, in memory that is used again four calls later.

        Anderson acceleration holds on to the two arrays of the last period. Fresh memory for such
        arrays takes longer than the copies.
        """
        out = self.lent.popleft() if len(self.lent) == 4 else None
        self.lent.append(self.rows.as_row(self.D, self.moving, out))
        return self.lent[-1]

    def _random_start(self, r: int) -> Any:
        D = self.rows.normal(r)
        D[:, 0] = abs(D[:, 0]) + 1.5
        return to_spheres(D)

    def advance(self, hurry: Callable[[], bool] = never) -> bool:
        """Do one period of sweeps and mix its result with earlier ones.

        False if ``hurry`` cut it short. The search has to end then, because mixing takes the rows
        of whole periods for pairs.
        """
        rows = self.rows
        before = self._row()
        beta = rows.penalties(self.D, PENALTY)
        for _ in range(PERIOD):
            started = time.monotonic()
            rows.sweep(self.D, self.moving, self.weights, beta, RELAXATION, self.least)
            self.pace = time.monotonic() - started
            if hurry():
                return False
        self.periods += 1
        image, size = self._row(), self.n * self.D.shape[1]
        mixed = self.anderson(before, image)
        mixed = rows.copy(mixed) if mixed is image else mixed  # the image is kept, and D will move
        self.D = to_spheres(mixed[:size].reshape(self.D.shape))
        self.moving = rows.double(mixed[size:]).clip(self.least)
        if self.periods % ADAPT_EVERY == 0:
            self._adapt()
        return True

    @property
    def least(self) -> float:
        """The least value that a multiplier may have."""
        return 0.0 if self.signed else -math.inf

    def _adapt(self) -> None:
        """Cut coordinates that are hardly used, or add some if all are used."""
        rows, r = self.rows, self.D.shape[1]
        gram = rows.get(self.D.T @ self.D).astype(np.float64)
        values, Q = np.linalg.eigh(gram[1:, 1:])
        if not values[-1] > 0:  # all vectors are multiples of e₀
            return
        values, Q = values[::-1] / values[-1], Q[:, ::-1]
        used = in_lanes(float((values > NEGLIGIBLE).sum()) + 4)
        since = self.periods - self.changed
        if values[-1] > NOT_ENOUGH and since >= first_check(self.n) and r < self.most:
            D = self._with_noise()
        elif used < 0.85 * r and since >= 8:
            turned = np.ascontiguousarray(Q[:, : used - 1])
            D = rows.beside(self.D[:, :1], rows.times(self.D[:, 1:], turned))
        else:
            return
        self.D = to_spheres(D)
        self.changed = self.periods
        self.restart_mixing()

    def _with_noise(self) -> Any:
        """Return D with more coordinates, which are small."""
        r = self.D.shape[1]
        noise = self.rows.normal(min(in_lanes(0.4 * r), max(self.most - r, LANES)))
        noise *= 0.2 / math.sqrt(r) * self.D[:, :1].clip(0) ** 0.5
        return self.rows.beside(self.D, noise)

    def escape(self) -> None:
        """Leave a saddle: go on with more coordinates, if n allows, in double precision."""
        self.escaped, self.changed = True, self.periods
        if self.D.shape[1] < self.most:
            self.D = to_spheres(self._with_noise())
        if not self.refine():
            self.restart_mixing()

    def refine(self) -> bool:
        """Go on in double precision; False if that is so already."""
        if self.precise:
            return False
        self.D, self.precise = to_spheres(self.rows.double(self.D)), True
        self.restart_mixing()
        return True

    def value(self) -> float:
        """The value of the Lagrangian, an estimate of ϑ from below."""
        products = self.rows.products(self.D, self.D)
        x = self.rows.get(self.D[:, 0])
        return self.unit * float(self.w @ x - np.abs(self.y * products).sum())

    def norms(self) -> np.ndarray:
        """v_i = |w_i e₀ − Σ_j y_ij d_j|, the multipliers of the spheres."""
        out = self.rows.sums(self.y, self.D)
        out[:, :1] -= self.rows.column(self.w, self.D)
        return self.rows.lengths(out)

    def dual(self) -> Dual:
        """The dual solution that the multipliers tell, with the depth that D knows of."""
        x = np.clip(self.rows.get(self.D[:, 0]).astype(np.float64), 0, 1)
        dual = Dual(self.rows, self.w, x, self.y.copy(), self.norms(), self.D, self.unit)
        return replace(dual, depth=dual.depth_within())

    def approximation(self, dual: Dual, clock: Clock, gap: float) -> Approximation:
        """Both solutions in the form that is certified; ``gap`` is what they are good for."""
        if not dual.repaired:
            dual = repair(dual, gap, partial(clock.hurried, REPAIRED_AT))
        t, y, z = dual.solution(gap, partial(clock.hurried, SOLVED_AT))
        goal = RESTORED * gap * float(self.w @ dual.x)
        hurry = partial(clock.hurried, RESTORED_AT)
        D = restore(self.rows, self.D, goal, hurry, self.y > 0 if self.signed else None)
        D *= self.rows.column(np.sqrt(self.w), D)
        return Approximation(
            y, factor=self.rows.get(D), t=t, solution=z, device=self.rows.name,
            iterations=self.periods * PERIOD,
        )  # fmt: skip


def first_rank(n: int, m: int) -> int:
    """The number of coordinates to start with, near the rank of solutions of random graphs."""
    return in_lanes(max(10, 0.65 * (m / n) ** 0.8 * n**0.42 + 6))


def affordable_rank(graph: Graph, left: float, device: str) -> int:
    """The largest number of coordinates for which there is memory, and time for enough sweeps.

    With fewer than :func:`first_rank` the bounds end further apart, but without sweeps they are of
    no use at all.
    """
    kind = device.partition(":")[0]
    threads = thread_count() / crowding() if kind == "cpu" else 1
    sweep = SWEEP_SECONDS.get(kind, SWEEP_SECONDS["cpu"]) * graph.m / threads
    r = SWEEPING_SHARE * left / (ENOUGH_SWEEPS * max(sweep, 1e-12))
    if kind == "cpu":  # a GPU without the memory is not used
        r = min(r, MEMORY_SHARE * free_memory() / (HELD * 4 * graph.n))
    return LANES * int(min(max(r, LEAST_RANK), in_lanes(graph.n)) / LANES)


def in_lanes(r: float) -> int:
    """r rounded up to a multiple of what fits into a vector register."""
    return LANES * math.ceil(r / LANES)
