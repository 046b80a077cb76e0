"""ϑ of one core: a connected, co-connected graph that no rule reduces. Solve it, certify it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Protocol

import numpy as np
from scipy import sparse

from lovasz.base.deadline import crowding
from lovasz.graphs import Graph
from lovasz.number.bracket import Bracket
from lovasz.number.plan import Plan, place_core, refuse_too_large
from lovasz.number.proofs.chances import Chances
from lovasz.number.proofs.evidence import CoreEvidence, RegularEvidence
from lovasz.number.proofs.hoffman import exact_regular, hoffman, is_regular
from lovasz.number.proofs.hoffman_value import exact_hoffman
from lovasz.number.proofs.integer_value import integer_dual
from lovasz.number.proofs.slim_hoffman import alike, slim_hoffman
from lovasz.number.result import Solution
from lovasz.number.solvers.contract import Approximation, Bounds, Core, Referee
from lovasz.number.solvers.one_weight import OneWeight
from lovasz.number.symmetry.orbits import solve_by_orbits
from lovasz.number.variants import Variant

SHOW_AFTER = 20.0
"""Seconds after which a solver that is still at work is certified on the way."""
SHOW_SHARE = 0.05
"""Largest share of the time that goes into certificates on the way."""
HOFFMAN = "Hoffman"
"""The name of the method that takes Hoffman's bound."""
DENSE_HOFFMAN = 2000
"""Number of nodes up to which all eigenvalues of a sparse graph are computed for it, so that ϑ may
be recognised as an algebraic number."""
NEARLY_WHOLE = 1e-5
"""Relative gap up to which ϑ may be shown to be the size of an independent set."""


class Stop(Protocol):
    """Whether to stop, and how much time there is."""

    short: bool
    """Whether something was not begun because too little time was left."""

    def __call__(self) -> bool:
        """Whether the search is to end with what is proven by now."""

    def left(self) -> float:
        """Seconds until the time limit; ∞ if there is none."""


class Foresight:
    """Stops a solver early enough that one more iteration and a certificate fit into the limit."""

    def __init__(self, stop: Stop, certificate: float) -> None:
        self.stop, self.asked, self.longest = stop, time.monotonic(), 0.0
        self.certificate = certificate  # seconds, until one was timed

    def __call__(self) -> bool:
        """Whether to stop; asked once per iteration, so it knows how long they take."""
        now = time.monotonic()
        self.longest, self.asked = max(now - self.asked, self.longest / 2), now
        return self.stop() or self.stop.left() < self.longest + self.certificate

    def timed(self, certify: Callable[[Approximation], Bounds], found: Approximation) -> Bounds:
        """Certify, and learn how long that takes."""
        started = time.monotonic()
        bounds = certify(found)
        self.asked = time.monotonic()
        self.certificate = self.asked - started
        return bounds


class Occasionally:
    """Certifies an approximation now and then, in a small share of the time.

    The bounds that are shown to those who wait, and returned to those who interrupt, are then
    fresh, and short computations do not pay for it.
    """

    def __init__(self, certify: Callable[[Approximation], object]) -> None:
        self.certify, self.due = certify, time.monotonic() + SHOW_AFTER

    def __call__(self, make: Callable[[], Approximation]) -> None:
        """Certify ``make()`` if it is time."""
        started = time.monotonic()
        if started < self.due:
            return
        self.certify(make())
        ended = time.monotonic()
        self.due = ended + (ended - started) / SHOW_SHARE


def solve_core(
    graph: Graph,
    w: np.ndarray,
    *,
    tol: float,
    solver: str,
    device: str,
    stop: Stop,
    report: Callable[[float, float], None],
    variant: Variant = Variant.LOVASZ,
    chances: Chances | None = None,
) -> Solution:
    """Bounds within the relative gap ``tol``, or as close as they came.

    With ``chances``, the upper one may be probable where no proven one comes near ``tol``.
    """
    bracket = Bracket(graph, w, variant, stop.left, tol, chances)
    bracket.count()
    report(bracket.lower, bracket.upper)
    if bracket.gap > 0 and not stop():
        _search(bracket, tol=tol, solver=solver, device=device, stop=stop, report=report)
    return _recognised(bracket.solution(), bracket)


def count_core(graph: Graph, w: np.ndarray, variant: Variant) -> Solution:
    """Bounds of cores for which there is no time, by counting alone; ``graph`` is their union."""
    bracket = Bracket(graph, w, variant)
    bracket.count(connected=False)
    return bracket.solution()


def _recognised(solution: Solution, bracket: Bracket) -> Solution:
    """The solution with ϑ itself if it is that of a strongly regular graph, or an integer α."""
    if solution.exact is not None or not (bracket.w == 1).all():
        return solution
    exact = exact_regular(bracket.graph)
    if exact is not None:
        return replace(solution, exact=exact, evidence=RegularEvidence(bracket.graph.n))
    if bracket.eigenvalues is not None and regular_method(solution, bracket):
        exact = exact_hoffman(bracket.graph, bracket.eigenvalues)
        inside = exact is not None and solution.lower <= exact <= solution.upper
        return replace(solution, exact=exact) if inside else solution
    evidence, k = solution.evidence, solution.lower
    near = bracket.gap <= NEARLY_WHOLE and bracket.variant is Variant.LOVASZ
    if not (near and isinstance(evidence, CoreEvidence) and evidence.independent is not None):
        return solution
    Y = integer_dual(bracket.graph, int(k), solution.upper * without_diagonal(solution.kernel))
    if Y is None:
        return solution
    return replace(solution, exact=Fraction(k), evidence=replace(evidence, upper=k, dual=Y))


def regular_method(solution: Solution, bracket: Bracket) -> bool:
    """Whether Hoffman's bound is the upper one and tight, and is that of this variant."""
    tight = bracket.gap <= NEARLY_WHOLE and bracket.variant is not Variant.SCHRIJVER
    return tight and solution.methods == (HOFFMAN,)


def without_diagonal(K: sparse.csr_array) -> sparse.csr_array:
    """K − I of a kernel."""
    return sparse.csr_array(K - sparse.eye_array(K.shape[0], format="csr"))


def _search(
    bracket: Bracket,
    *,
    tol: float,
    solver: str,
    device: str,
    stop: Stop,
    report: Callable[[float, float], None],
) -> None:
    """Try the solvers of the plan in turn until the gap of the bracket is ``tol``."""
    graph, variant = bracket.graph, bracket.variant
    core = Core(graph, bracket.c, variant, place_core(graph, variant, device))
    plan = Plan.of(graph, variant, core.device)

    def certify(method: str, approximation: Approximation) -> Bounds:
        bracket.offer(approximation, method)
        report(bracket.lower, bracket.upper)
        return bracket.bounds

    if solver == "auto":
        symmetric = solve_by_orbits(graph, bracket.c, variant, stop, stop.left())
        if symmetric is not None:
            bracket.exact = symmetric.exact
            if certify("symmetry", symmetric.approximation).gap <= tol:
                return
    busy = crowding()
    if any(certify(HOFFMAN, pair).gap <= tol for pair in _hoffman(bracket, plan, tol, busy, stop)):
        return
    if solver == "interior" and not plan.within:
        refuse_too_large(graph, variant)
    found: Approximation | None = None
    for chosen, wanted, least, foresees in plan.attempts(solver):
        if busy * least > stop.left():
            stop.short = True
            continue
        offer = partial(certify, chosen.name)
        referee = Referee(tol, stop, offer, Occasionally(offer), stop.left)
        if not foresees:
            foresight = Foresight(stop, busy * plan.certificate)
            offer = partial(foresight.timed, offer)
            referee = replace(referee, stop=foresight, certify=offer, show=Occasionally(offer))
        run = partial(chosen.solve, replace(core, variant=wanted), referee, found)
        found = _within_memory(run, core.device) or found
        done = found is not None and found.converged and wanted is variant
        if done or bracket.gap <= tol or stop():
            return
    counted = bracket.cover is not None  # the upper bound is still the clique cover
    if stop.short and counted and plan.dense and busy * plan.one_weight < stop.left():
        certify(OneWeight().name, OneWeight().solve(core, Referee(tol)))


def _hoffman(
    bracket: Bracket, plan: Plan, tol: float, busy: float, stop: Stop
) -> Iterator[Approximation]:
    """Hoffman's pair of a regular graph: without n × n arrays, then with them if that helps."""
    graph = bracket.graph
    if not ((bracket.w == 1).all() and is_regular(graph)):
        return
    if plan.slim:
        if not alike(graph):  # eigenvectors would take longer than sweeps, and be of no use
            return
        if graph.n > DENSE_HOFFMAN:
            share = stop.left() / 2
            pair = slim_hoffman(graph, tol, lambda: stop() or stop.left() < share)
            if pair is not None:
                yield pair
    if not plan.dense:
        return
    if 2 * busy * plan.certificate > stop.left():
        stop.short = True
        return
    pair, bracket.eigenvalues = hoffman(graph)
    yield pair


def _within_memory(solve: Callable[[], Approximation], device: str) -> Approximation | None:
    """Return ``solve()``, and free the memory of a GPU that others may want.

    Returns None if another process has meanwhile taken the memory that was free
    (:func:`.plan.interior_fits`): what is proven already stays proven.
    """
    if not device.startswith("cuda"):
        return solve()
    import torch

    try:
        return solve()
    except torch.OutOfMemoryError:
        return None
    finally:
        torch.cuda.empty_cache()
