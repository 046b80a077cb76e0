"""Interior-point method for ϑ(G, w): few expensive iterations that give many digits."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from scipy import linalg

from lovasz.base.compiled import PLAIN
from lovasz.base.device import one_thread
from lovasz.base.rounding import gamma
from lovasz.graphs import Graph
from lovasz.number.solvers.algebra import Host, place
from lovasz.number.solvers.contract import Approximation, Core, Referee
from lovasz.number.solvers.newton import Point, System
from lovasz.number.solvers.newton_compiled import FUSED_UP_TO, FusedSystem, SmallSystem
from lovasz.number.variants import Variant

Form = Literal["auto", "edge", "complement"]

ITERATIONS = 100
"""Largest number of iterations; no graph needs as many, because a stall ends the run before."""
PATIENCE = 3
"""Number of iterations in a row that may fail to narrow the gap by a tenth.

After that, rounding errors dominate.
"""
EARLY = 1e-3
"""Relative gap above which no iteration counts as stalled: cores with many signs start slowly."""
ONE_THREAD_UP_TO = 400
"""Number of nodes up to which the products of matrices are too short for a second thread."""
STEPS = 3000
"""Plain steps that a small core takes in NumPy, besides those per node."""
STEPS_PER_NODE = 250
"""Plain steps per node that a small core takes in NumPy."""


def schur_size(graph: Graph, variant: Variant = Variant.LOVASZ) -> int:
    """Order of the linear system of one iteration, min(|E| + 1, |Ē| + n); 8 bytes × its square.

    >>> schur_size(Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0]))
    5
    """
    edge_form, complement_form = graph.m + 1, graph.n * (graph.n + 1) // 2 - graph.m
    sizes = {Variant.SCHRIJVER: complement_form, Variant.SZEGEDY: edge_form}
    return sizes.get(variant, min(edge_form, complement_form))


@dataclass(frozen=True)
class InteriorPoint:
    """Primal–dual path following from a feasible start: each iterate is a strictly feasible pair

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
    :class:`.newton.System`.

    >>> pentagon = Core(Graph.from_edges(range(5), [1, 2, 3, 4, 0]), np.ones(5))
    >>> pair = InteriorPoint().solve(pentagon, Referee(tol=1e-9))
    >>> round(float(pair.matrix.sum()), 6), pair.converged
    (2.236068, True)
    """

    form: Form = "auto"
    """The form of ϑ to solve; ϑ′ always takes the complement form and ϑ⁺ the edge form."""
    tol: float | None = None
    """Relative gap of the pair at which to end, or None to derive it from that of the referee."""
    name: str = "interior point"

    def solve(
        self, core: Core, referee: Referee, start: Approximation | None = None
    ) -> Approximation:
        """See :class:`.contract.Solver`; ``start`` is ignored."""
        graph = core.graph
        if graph.n == 0:
            return Approximation(np.zeros(0), matrix=np.zeros((0, 0)), converged=True)
        # The pairs are feasible up to rounding, which is all that their certificate costs.
        rounding = 8 * graph.n * gamma(graph.n)
        tol = max(referee.tol / 3, 0.9 * referee.tol - rounding) if self.tol is None else self.tol
        small = graph.n <= ONE_THREAD_UP_TO and schur_size(graph) <= 5 * ONE_THREAD_UP_TO
        with one_thread() if small else nullcontext():
            found = _follow(graph, _system(core, self.form), tol, referee)
            referee.certify(found)
            return found


def _system(core: Core, form: Form) -> System:
    """The linear system of a core; that of a small core is compiled unless it is one of few."""
    graph, variant, on = core.graph, core.variant, place(core.device)
    if variant.sign:
        form = "complement" if variant is Variant.SCHRIJVER else "edge"
    elif form == "auto":
        form = "edge" if graph.m + 1 == schur_size(graph) else "complement"
    small = type(on) is Host and graph.n <= FUSED_UP_TO and not variant.sign
    make: type[System] = System
    if small:  # numba is not worth loading for a few of them
        make = SmallSystem if PLAIN.spend(STEPS + STEPS_PER_NODE * graph.n) else FusedSystem
    return make(graph, np.asarray(core.c, dtype=np.float64), form, variant, on)


def _follow(graph: Graph, system: System, tol: float, referee: Referee) -> Approximation:
    """Advance from the start of the system until the relative gap of the pair is ``tol``."""
    point = best = system.start()
    iterations, stalled, converged = 0, 0, False
    while not converged and stalled < PATIENCE and iterations < ITERATIONS and not referee.stop():
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
        referee.show(partial(_approximation, graph, system, best, iterations))
    return replace(_approximation(graph, system, best, iterations), converged=converged)


def _approximation(graph: Graph, system: System, best: Point, iterations: int) -> Approximation:
    on, c = system.on, system.c
    i, j = graph.edges()
    Z = on.get(best.Z[on.put(i.astype(np.int64)), on.put(j.astype(np.int64))])
    signed = system.variant is Variant.SCHRIJVER
    return Approximation(
        Z + c[i] * c[j],
        matrix=on.get(best.X),
        t=best.t,
        excess=-on.get(best.Z) - np.outer(c, c) if signed else None,
        iterations=iterations,
    )


def _advance(system: System, point: Point) -> Point:
    """One iteration: factor, predict, correct, step."""
    gap = point.gap
    system.factor(point)
    predictor = system.direction(0.0)
    alpha, beta = (min(1.0, length) for length in system.lengths(point, predictor))
    # The gap t − cᵀXc there.
    reached = gap + beta * predictor.dt - alpha * system.value(predictor.dX)
    power = max(1.0, 3 * min(alpha, beta) ** 2)
    sigma = min(1.0, max(reached / gap, 0.0) ** power)
    corrector = system.direction(sigma * gap / (system.n + len(point.x)), predictor)
    damping = 0.9 + 0.09 * min(alpha, beta)
    alpha, beta = (min(1.0, damping * length) for length in system.lengths(point, corrector))
    for _ in range(30):
        following = system.moved(point, corrector, alpha, beta)
        if following is not None:
            return following
        alpha, beta = 0.8 * alpha, 0.8 * beta
    raise linalg.LinAlgError("no step stays inside the cones")
