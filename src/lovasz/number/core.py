"""One core: a connected, co-connected graph that no rule reduces. Choose a solver, certify."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from lovasz.base.device import threads_for, torch_device
from lovasz.base.errors import LovaszError
from lovasz.base.memory import free_memory
from lovasz.graphs import Graph
from lovasz.number.proofs import certify, certify_sparse
from lovasz.number.proofs.hoffman import hoffman, is_regular
from lovasz.number.reduction import combinatorial
from lovasz.number.result import Solution
from lovasz.number.solvers.contract import Candidate, Stop
from lovasz.number.solvers.interior_point import interior_point, schur_size
from lovasz.number.solvers.scaled_splitting import scaled_splitting
from lovasz.number.solvers.sparse_splitting import implicit_splitting
from lovasz.number.solvers.splitting import douglas_rachford
from lovasz.number.variants import Variant

DENSE_UP_TO = {"cpu": 8_000, "cuda": 20_000}  # nodes; beyond, no n × n array is formed
SPARSE_FROM, SPARSE_DEGREE = 700, 30  # nodes, mean degree: on the CPU without one from here on
INTERIOR_FIRST = 1_000  # Schur matrices up to this order: interior point before anything else
INTERIOR_SPARSE = {"cpu": 7, "cuda": 12}  # and up to this many times the nodes
INTERIOR_AT_ALL = {"cpu": 25_000, "cuda": 120_000}  # and so far when splitting stalls
INTERIOR_DEAR = 8_000  # on the CPU minutes
INTERIOR_SOON = 3_000  # ϑ′ and ϑ⁺, whose splitting may go in circles: after 500 iterations
DEVICE_FROM = 400  # nodes, or ten times as many rows of the Schur matrix: below, on the CPU
LOOK_AFTER = 20.0  # seconds: what takes longer is certified on the way, for those who wait
LOOK_SHARE = 0.05  # of the time, at most
PATIENCE = 200  # iterations of splitting in which its residual has to halve,
LONGER = 5  # times as many where the interior point is dear
SOON, FAST = 100, 4.0  # iterations and factor where what comes next is not dear
STALL = 1.3  # splitting stalls when a certificate is not this much better than the last but one


class Bracket:
    """The best proven bounds of a core so far, whatever they came from."""

    def __init__(self, graph: Graph, w: np.ndarray, variant: Variant = Variant.LOVASZ) -> None:
        self.graph, self.w, self.c, self.variant = graph, w, np.sqrt(w), variant
        self.lower, self.upper = float(w.max()), np.inf
        self.total, self.whole = float(w.sum()), bool((w == np.round(w)).all())
        self.kernel: certify.MakeKernel | None = None
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
        self.kernel = partial(combinatorial.cover_kernel, self.graph, self.w, clique)
        self.method = "clique cover"

    def offer(self, candidate: Candidate, method: str) -> float:
        """Certify a candidate; keep what is better. Returns the relative gap."""
        graph, c, y = self.graph, self.c, candidate.edge_values
        if y is not None and np.isfinite(y).all():
            upper, kernel = self._upper(candidate, y)
            if upper < self.upper:
                self.upper, self.kernel, self.method = upper, kernel, method
        X = candidate.matrix if candidate.factor is None else candidate.factor
        if X is not None:
            if candidate.factor is None:
                self.lower = max(self.lower, certify.lower_bound(graph, c, X, self.variant))
            elif self.variant is not Variant.SCHRIJVER:  # ϑ ≤ ϑ⁺, but not ϑ ≤ ϑ′
                self.lower = max(self.lower, certify_sparse.lower_bound(graph, c, X))
            self._round(X, factored=candidate.factor is not None)
        return self.gap

    def _round(self, X: np.ndarray, *, factored: bool) -> None:
        """Where ϑ = α the optimal X lives on largest independent sets, and shows one."""
        if math.floor(min(self.upper, self.total)) <= self.lower and self.whole:
            return  # the next integer is beyond reach
        score = np.einsum("ij,ij->i", X, X) if factored else np.diag(X)
        chosen = combinatorial.independent_set_by(self.graph, score)
        self.lower = max(self.lower, combinatorial.set_weight(self.w, chosen))

    def _upper(self, candidate: Candidate, y: np.ndarray) -> tuple[float, certify.MakeKernel]:
        graph, c, variant = self.graph, self.c, self.variant
        if candidate.factor is None:
            return certify.upper_bound(graph, c, y, candidate.t, candidate.excess, variant)
        # ϑ′ ≤ ϑ, and a kernel of ϑ is one of ϑ′; for ϑ⁺ it needs K ≥ 0.
        return certify_sparse.upper_bound(graph, c, y.clip(min=0) if variant.sign < 0 else y)

    @property
    def gap(self) -> float:
        """(upper − lower) / upper."""
        return (self.upper - self.lower) / self.upper

    def solution(self) -> Solution:
        """What is proven."""
        assert self.kernel is not None
        return Solution(self.lower, self.upper, self.kernel(), (self.method,), (self.graph.n,))


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
    variant: Variant = Variant.LOVASZ,
) -> Solution:
    """Bounds within the relative gap ``tol``, or as close as they came."""
    bracket = Bracket(graph, w, variant)
    try:
        bracket.count()
        report(bracket.lower, bracket.upper)
        if bracket.gap > 0 and not stop():
            _search(bracket, tol=tol, solver=solver, device=device, stop=stop, report=report)
    except KeyboardInterrupt:
        stop.interrupted = True  # type: ignore[attr-defined]
    if bracket.kernel is None:  # interrupted before the first bound
        bracket.upper = float(w.sum())
        bracket.kernel = partial(sparse.eye_array, graph.n, format="csr")
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
    device = _place(graph, variant, device)
    plan = Plan.of(graph, variant, device)
    gaps: list[float] = []

    def offer(candidate: Candidate, method: str | None = None) -> float:
        gap = bracket.offer(candidate, method or plan.name)
        report(bracket.lower, bracket.upper)
        return gap

    def accept(candidate: Candidate) -> bool:
        gaps.append(offer(candidate))
        stalled = len(gaps) > 3 and gaps[-1] * STALL > gaps[-3]
        return gaps[-1] <= tol or (stalled and plan.goes_on(auto=solver == "auto"))

    def interior(variant: Variant = variant) -> bool:
        # Its pairs are feasible to rounding, which is all that their certificate costs.
        enough = max(tol / 3, 0.9 * tol - 8 * graph.n * certify.gamma(graph.n))
        options = {"tol": enough, "stop": stop, "device": device, "variant": variant}
        options["look"] = Looks(partial(offer, method="interior point"))
        pair = _within_memory(partial(interior_point, graph, c, **options), device)
        if pair is not None:
            offer(pair, "interior point")
        return pair is not None and pair.converged

    regular = (bracket.w == 1).all() and is_regular(graph) and plan.dense
    if regular and offer(hoffman(graph), "Hoffman") <= tol:
        return
    if solver == "auto" and plan.plain_first:
        interior(Variant.LOVASZ)  # which is all there is to do where ϑ = α, or X ≥ 0
        if bracket.gap <= tol:
            return
    if solver == "interior" and not plan.within:
        raise _too_large(graph, variant)
    chosen = solver == "interior" or (solver == "auto" and plan.first)
    if chosen and (interior() or bracket.gap <= tol or solver == "interior" or stop()):
        return
    split = plan.splitting(device, variant, auto=solver == "auto")
    with threads_for(graph.n):
        candidate = split(graph, c, tol=tol / 3, stop=stop, accept=accept, look=Looks(offer))
        _go_on(bracket, plan, candidate, offer, tol=tol, stop=stop, device=device)
    if bracket.gap > tol and solver == "auto" and plan.within and not plan.first and not stop():
        interior()


def _go_on(
    bracket: Bracket,
    plan: Plan,
    start: Candidate,
    offer: Callable[..., float],
    *,
    tol: float,
    stop: Stop,
    device: Any,
) -> None:
    """From where the plain splitting stalled, splitting in the scale of the nodes."""

    def judge(candidate: Candidate) -> tuple[float, float]:
        offer(candidate, "scaled splitting")
        return bracket.lower, bracket.upper

    if not start.converged:
        offer(start)
    if bracket.gap > tol and plan.scaled and not stop():
        options: dict[str, Any] = {"tol": tol, "stop": stop, "device": device}
        scaled_splitting(bracket.graph, bracket.c, start, judge=judge, look=Looks(judge), **options)


def _within_memory(solve: Callable[[], Candidate], device: str) -> Candidate | None:
    """``solve()``, and on a GPU what it held is given back to others who use it.

    None where memory that was free (:func:`interior_fits`) has been taken by another process
    meanwhile: what is proven already stays proven.
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


def _too_large(graph: Graph, variant: Variant) -> LovaszError:
    size = schur_size(graph, variant)
    return LovaszError(
        f"the interior point needs a matrix of {size:,} rows for a core of {graph.n:,} nodes, "
        "which is too large; use solver='auto' or 'splitting'"
    )


class Plan(NamedTuple):
    """What a core is small enough for."""

    dense: bool
    """For n × n arrays."""
    slim: bool
    """For none of them: the sparse engine, which knows no signs, is better or all there is."""
    first: bool
    """For the interior point before anything else,"""
    soon: bool
    """or soon, where signs may make splitting go in circles,"""
    within: bool
    """or when splitting stalls,"""
    dear: bool
    """which takes long or is out of reach."""
    scaled: bool
    """Then splitting goes on in the scale of the nodes first."""
    hasty: bool
    """It does so, or the interior point runs on a GPU: the plain splitting is given up soon."""
    plain_first: bool
    """For that of ϑ first, where that of ϑ′ or ϑ⁺ is larger."""

    @property
    def name(self) -> str:
        """What the splitting is called."""
        return "sparse splitting" if self.slim else "splitting"

    def splitting(self, device: Any, variant: Variant, *, auto: bool) -> Any:
        """The engine for what is left: dense, or without an n × n array."""
        if self.slim:
            return implicit_splitting
        return partial(
            douglas_rachford,
            device=device,
            variant=variant,
            most=500 if self.soon and auto else 5000,
            patience=self.patience(auto=auto),
            fall=FAST if self.hasty else 2.0,
        )

    def goes_on(self, *, auto: bool) -> bool:
        """Whether there is anything else to try when splitting stalls."""
        return self.scaled or (auto and self.within)

    def patience(self, *, auto: bool) -> int | None:
        """Iterations in which splitting must have come on."""
        if not self.goes_on(auto=auto) or (self.first and not self.scaled):
            return None
        if self.hasty:
            return SOON
        return LONGER * PATIENCE if self.dear else PATIENCE

    @classmethod
    def of(cls, graph: Graph, variant: Variant, device: Any) -> Plan:
        """The plan of a core."""
        kind, n = str(device).partition(":")[0], graph.n
        size = schur_size(graph, variant)
        few = max(INTERIOR_FIRST, INTERIOR_SPARSE.get(kind, 0) * n)
        dense = n <= DENSE_UP_TO.get(kind, 0)
        within = size <= INTERIOR_AT_ALL.get(kind, 0) and interior_fits(n, size, device) and dense
        first = within and size <= few
        dear = not within or (kind == "cpu" and size > INTERIOR_DEAR)
        slim = kind == "cpu" and n >= SPARSE_FROM and 2 * graph.m <= SPARSE_DEGREE * n
        slim = (slim and not variant.sign) or not dense
        return cls(
            dense=dense,
            slim=slim,
            first=first,
            soon=within and size <= INTERIOR_SOON and variant.sign != 0,
            within=within,
            dear=dear,
            scaled=dear and not slim and not variant.sign,
            hasty=(dear or kind != "cpu") and not slim and not variant.sign,
            plain_first=dense and schur_size(graph) <= few < size,
        )


def _place(graph: Graph, variant: Variant, device: str) -> str:
    """The device for a core: the CPU for small ones."""
    large = graph.n >= DEVICE_FROM or schur_size(graph, variant) >= 10 * DEVICE_FROM
    return torch_device(device) if large else "cpu"


def interior_fits(n: int, size: int, device: Any) -> bool:
    """Whether memory has room for a Schur matrix and some thirty n × n matrices."""
    if size <= INTERIOR_FIRST:
        return True
    if str(device) == "cpu":
        free = free_memory()
    else:
        import torch

        free = torch.cuda.mem_get_info(device)[0]
    return 8 * (size**2 + 30 * n**2) <= 0.9 * free
