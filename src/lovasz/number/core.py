"""One core: a connected, co-connected graph that no rule reduces. Choose a solver, certify."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
from scipy import sparse

from lovasz.graphs import Graph
from lovasz.number import certify, combinatorial
from lovasz.number.candidate import Candidate, Stop
from lovasz.number.interior import interior_point, schur_size
from lovasz.number.result import Solution
from lovasz.number.splitting import douglas_rachford
from lovasz.number.threads import one_thread
from lovasz.number.variants import Variant

COVER_UP_TO = 3000  # nodes; beyond, the complement is not held to find a clique cover
INTERIOR_FIRST = 1_200  # Schur matrices up to this size: interior point before anything else
INTERIOR_AT_ALL = 8_000  # and up to this one when splitting stalls (0.5 GB)
INTERIOR_SOON = 3_000  # ϑ′ and ϑ⁺, whose splitting may go in circles: up to this one after 500
ONE_THREAD_UP_TO = 1000  # nodes
STALL = 1.3  # splitting stalls when a certificate is not this much better than the last but one


class Bracket:
    """The best proven bounds of a core so far, whatever they came from."""

    def __init__(self, graph: Graph, w: np.ndarray, variant: Variant) -> None:
        self.graph, self.w, self.c, self.variant = graph, w, np.sqrt(w), variant
        self.lower, self.upper = float(w.max()), np.inf
        self.kernel: sparse.csr_array | None = None
        self.method = "none"

    def count(self) -> None:
        """Bounds from an independent set and a clique cover."""
        side = combinatorial.bipartition(self.graph) if (self.w == 1).all() else None
        if side is not None:
            chosen, clique = combinatorial.bipartite_cover(self.graph, side)
        else:
            chosen = combinatorial.independent_set(self.graph, self.w)
            clique = np.arange(self.graph.n)  # every node for itself: a bound for any graph
            if self.graph.n <= COVER_UP_TO:
                clique = combinatorial.clique_cover(self.graph)
        self.lower = max(self.lower, combinatorial.set_weight(self.w, chosen))
        self.upper = combinatorial.cover_weight(self.w, clique)
        self.kernel = combinatorial.cover_kernel(self.graph, self.w, clique)
        self.method = "clique cover"

    def offer(self, candidate: Candidate, method: str) -> float:
        """Certify a candidate; keep what is better. Returns the relative gap."""
        if candidate.edge_values is not None and np.isfinite(candidate.edge_values).all():
            upper, kernel = certify.upper_bound(
                self.graph, self.c, candidate.edge_values, candidate.excess, self.variant
            )
            if upper < self.upper:
                self.upper, self.kernel, self.method = upper, kernel, method
        X = candidate.matrix
        if X is None and candidate.factor is not None:
            X = candidate.factor @ candidate.factor.T
        if X is not None:
            proven = certify.lower_bound(self.graph, self.c, X, self.variant)
            self.lower = max(self.lower, proven)
            # Where ϑ = α the optimal X lives on largest independent sets, and shows one.
            chosen = combinatorial.independent_set_by(self.graph, np.diag(X))
            self.lower = max(self.lower, combinatorial.set_weight(self.w, chosen))
        return self.gap

    @property
    def gap(self) -> float:
        """(upper − lower) / upper."""
        return (self.upper - self.lower) / self.upper

    def solution(self) -> Solution:
        """What is proven."""
        assert self.kernel is not None
        return Solution(self.lower, self.upper, self.kernel, (self.method,), (self.graph.n,))


def solve_core(
    graph: Graph,
    w: np.ndarray,
    *,
    tol: float,
    solver: str,
    device: Any,
    stop: Stop,
    report: Callable[[float, float], None],
    variant: Variant = Variant.LOVASZ,
) -> Solution:
    """Bounds within the relative gap ``tol``, or as close as they came."""
    bracket = Bracket(graph, w, variant)
    try:
        with one_thread() if graph.n <= ONE_THREAD_UP_TO else nullcontext():
            bracket.count()
            if bracket.gap > 0 and not stop():
                _search(bracket, tol=tol, solver=solver, device=device, stop=stop, report=report)
    except KeyboardInterrupt:
        stop.interrupted = True  # type: ignore[attr-defined]
    if bracket.kernel is None:  # interrupted before the first bound
        bracket.upper, bracket.kernel = float(w.sum()), sparse.eye_array(graph.n, format="csr")
        bracket.upper = certify.up(bracket.upper * (1 + certify.gamma(graph.n)))
    return bracket.solution()


def _search(
    bracket: Bracket,
    *,
    tol: float,
    solver: str,
    device: Any,
    stop: Stop,
    report: Callable[[float, float], None],
) -> None:
    graph, c, variant = bracket.graph, bracket.c, bracket.variant
    size = schur_size(graph, variant)
    gaps: list[float] = []

    def accept(candidate: Candidate) -> bool:
        gaps.append(bracket.offer(candidate, "splitting"))
        report(bracket.lower, bracket.upper)
        stalled = len(gaps) > 3 and gaps[-1] * STALL > gaps[-3] and size <= INTERIOR_AT_ALL
        return gaps[-1] <= tol or (stalled and solver == "auto")

    def interior(variant: Variant) -> None:
        candidate = interior_point(graph, c, tol=tol / 10, stop=stop, variant=variant)
        bracket.offer(candidate, "interior point")

    if solver == "auto" and schur_size(graph) <= INTERIOR_FIRST < size:
        interior(Variant.LOVASZ)  # which is all there is to do where ϑ = α, or X ≥ 0
        if bracket.gap <= tol:
            return
    if solver == "interior" or (solver == "auto" and size <= INTERIOR_FIRST):
        interior(variant)
        if bracket.gap <= tol or solver == "interior" or stop():
            return
    soon = solver == "auto" and variant.sign != 0 and size <= INTERIOR_SOON
    candidate = douglas_rachford(
        graph, c, tol=tol / 3, stop=stop, accept=accept, device=device, variant=variant,
        most=500 if soon else 5000,
    )  # fmt: skip
    if not candidate.converged:
        bracket.offer(candidate, "splitting")
    if bracket.gap > tol and solver == "auto" and INTERIOR_FIRST < size <= INTERIOR_AT_ALL:
        interior(variant)
