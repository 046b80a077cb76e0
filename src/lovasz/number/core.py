"""One core: a connected, co-connected graph that no rule reduces. Choose a solver, certify."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from lovasz.graphs import Graph
from lovasz.memory import free_memory
from lovasz.number import certify, certify_sparse, combinatorial
from lovasz.number.candidate import Candidate, Stop
from lovasz.number.hoffman import hoffman, is_regular
from lovasz.number.implicit import implicit_splitting
from lovasz.number.interior import interior_point, schur_size
from lovasz.number.result import Solution
from lovasz.number.splitting import douglas_rachford
from lovasz.number.threads import one_thread

DENSE_UP_TO = {"cpu": 8_000, "cuda": 20_000}  # nodes; beyond, no n × n array is formed
SPARSE_FROM, SPARSE_DEGREE = 700, 30  # nodes, mean degree: on the CPU without one from here on
INTERIOR_FIRST = 1_000  # Schur matrices up to this order: interior point before anything else
INTERIOR_SPARSE = {"cpu": 7, "cuda": 12}  # and up to this many times the nodes
INTERIOR_AT_ALL = {"cpu": 25_000, "cuda": 120_000}  # and so far when splitting stalls
DEVICE_FROM = 400  # nodes: smaller cores are solved on the CPU
ONE_THREAD_UP_TO = 1000  # nodes
LOOK_AFTER = 20.0  # seconds: what takes longer is certified on the way, for those who wait
LOOK_SHARE = 0.05  # of the time, at most
STALL = 1.3  # splitting stalls when a certificate is not this much better than the last but one


class Bracket:
    """The best proven bounds of a core so far, whatever they came from."""

    def __init__(self, graph: Graph, w: np.ndarray) -> None:
        self.graph, self.w, self.c = graph, w, np.sqrt(w)
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
            clique = combinatorial.clique_cover(self.graph)
        self.lower = max(self.lower, combinatorial.set_weight(self.w, chosen))
        self.upper = combinatorial.cover_weight(self.w, clique)
        self.kernel = combinatorial.cover_kernel(self.graph, self.w, clique)
        self.method = "clique cover"

    def offer(self, candidate: Candidate, method: str) -> float:
        """Certify a candidate; keep what is better. Returns the relative gap."""
        graph, c, y = self.graph, self.c, candidate.edge_values
        by: Any = certify if candidate.factor is None else certify_sparse
        if y is not None and np.isfinite(y).all():
            upper, kernel = by.upper_bound(graph, c, y, candidate.t)
            if upper < self.upper:
                self.upper, self.kernel, self.method = upper, kernel, method
        X = candidate.matrix if candidate.factor is None else candidate.factor
        if X is not None:
            self.lower = max(self.lower, by.lower_bound(graph, c, X))
            # Where ϑ = α the optimal X lives on largest independent sets, and shows one.
            score = np.diag(X) if candidate.factor is None else np.einsum("ij,ij->i", X, X)
            chosen = combinatorial.independent_set_by(graph, score)
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


class Looks:
    """Passes a candidate on now and then: after a while, then in a twentieth of the time.

    What is shown to those who wait, and returned to those who interrupt, is then fresh, and
    short computations do not pay for it.
    """

    def __init__(self, look: Callable[[Candidate], object]) -> None:
        self.look, self.due = look, time.monotonic() + LOOK_AFTER

    def __call__(self, candidate: Callable[[], Candidate]) -> None:
        """Look at ``candidate()`` if it is time."""
        started = time.monotonic()
        if started < self.due:
            return
        self.look(candidate())
        ended = time.monotonic()
        self.due = ended + (ended - started) / LOOK_SHARE


def solve_core(
    graph: Graph,
    w: np.ndarray,
    *,
    tol: float,
    solver: str,
    device: Any,
    stop: Stop,
    report: Callable[[float, float], None],
) -> Solution:
    """Bounds within the relative gap ``tol``, or as close as they came."""
    bracket = Bracket(graph, w)
    try:
        with one_thread() if graph.n <= ONE_THREAD_UP_TO else nullcontext():
            bracket.count()
            report(bracket.lower, bracket.upper)
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
    graph, c = bracket.graph, bracket.c
    device = device if graph.n >= DEVICE_FROM else "cpu"
    kind = str(device).partition(":")[0]
    size = schur_size(graph)
    dense = graph.n <= DENSE_UP_TO.get(kind, 0)
    within = size <= INTERIOR_AT_ALL.get(kind, 0) and interior_fits(graph.n, size, device) and dense
    slim = kind == "cpu" and graph.n >= SPARSE_FROM and 2 * graph.m <= SPARSE_DEGREE * graph.n
    first = within and size <= max(INTERIOR_FIRST, INTERIOR_SPARSE.get(kind, 0) * graph.n)
    splitting = "splitting" if dense and not slim else "sparse splitting"
    gaps: list[float] = []

    def offer(candidate: Candidate, method: str | None = None) -> float:
        gap = bracket.offer(candidate, method or splitting)
        report(bracket.lower, bracket.upper)
        return gap

    def accept(candidate: Candidate) -> bool:
        gaps.append(offer(candidate))
        stalled = len(gaps) > 3 and gaps[-1] * STALL > gaps[-3] and within
        return gaps[-1] <= tol or (stalled and solver == "auto")

    def interior() -> bool:
        pair = interior_point(graph, c, tol=tol / 10, stop=stop, device=device)
        offer(pair, "interior point")
        return pair.converged

    if (bracket.w == 1).all() and is_regular(graph) and dense:
        offer(hoffman(graph), "Hoffman")
        if bracket.gap <= tol:
            return
    if solver == "interior" or (solver == "auto" and first):
        if interior() or bracket.gap <= tol or solver == "interior" or stop():
            return
    split: Any = partial(douglas_rachford, device=device)
    if slim or not dense:
        split = implicit_splitting
    candidate = split(graph, c, tol=tol / 3, stop=stop, accept=accept, look=Looks(offer))
    if not candidate.converged:
        offer(candidate)
    if bracket.gap > tol and solver == "auto" and within and not first and not stop():
        interior()


def interior_fits(n: int, size: int, device: Any) -> bool:
    """Whether memory has room for a Schur matrix and some thirty n × n matrices."""
    if str(device) == "cpu":
        free = free_memory()
    else:
        import torch

        free = torch.cuda.mem_get_info(device)[0]
    return 8 * (size**2 + 30 * n**2) <= 0.9 * free
