"""The Lovász number ϑ(G) with proven bounds.

>>> import networkx as nx
>>> from lovasz.number import theta
>>> result = theta(nx.cycle_graph(5))
>>> result.lower <= 5**0.5 <= result.upper
True

Take the words of six bits, adjacent if they differ in at most three places. Then α = 4, which ϑ′
attains and ϑ does not (Schrijver 1979).

>>> words = nx.power(nx.hypercube_graph(6), 3)
>>> [round(theta(words, variant=v).value, 5) for v in ("schrijver", "lovasz", "szegedy")]
[4.0, 5.33333, 5.33333]
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from lovasz.base.checks import is_number
from lovasz.base.deadline import check_time_limit
from lovasz.base.device import pick_device_name
from lovasz.base.errors import LovaszError
from lovasz.base.interrupts import ctrl_c_unless
from lovasz.graphs import Graph, as_graph
from lovasz.graphs.operations import co_components, complement_of, components, induced
from lovasz.graphs.symmetric_graph import SymmetricGraph
from lovasz.linalg.kernel_matrix import Kernel
from lovasz.number.proofs.chances import Chances
from lovasz.number.proofs.evidence import ProofMaterial
from lovasz.number.proofs.hoffman import strongly_regular
from lovasz.number.reduction.compose import isolated, join, lift, unite
from lovasz.number.reduction.reduce import reduce
from lovasz.number.result import Solution, Theta
from lovasz.number.variants import Variant
from lovasz.number.weights import node_weights

SOLVERS = ("auto", "splitting", "interior", "low-rank")
"""What ``solver`` may be."""
VARIANTS = tuple(variant.value for variant in Variant)
"""What ``variant`` may be."""
NEARLY = 0.25
"""Share of a time limit that a search may leave because what remains to be done takes longer."""
AFTERWARDS = 2.0
"""Seconds for the last proof of a sparse graph after an interruption."""
__all__ = ["Theta", "theta"]


def theta(
    graph: Any,
    tol: float = 1e-6,
    solver: str = "auto",
    device: str = "auto",
    complement: bool = False,
    weights: Any = None,
    variant: str = "lovasz",
    time_limit: float | None = None,
    callback: Callable[[float, float], None] | None = None,
    stop: Callable[[], bool] | None = None,
    proven: bool = False,
) -> Theta:
    """Return ϑ(G), or ϑ(G, w), in an interval that contains it.

    ϑ(K_n) = 1, ϑ of the empty graph is n, and α(G) ≤ ϑ(G) ≤ χ(complement of G). The graph is
    reduced exactly and split into components and joins; each core is solved, its bounds are
    certified with rounding accounted for, and the kernel is lifted back. The search ends when the
    relative gap is ``tol``, after ``time_limit`` seconds, or when ``stop()``, which is called after
    each iteration, returns true. What is proven by then is returned. If ``stop`` is not given,
    Ctrl-C in the main thread is the request to stop, and a second one raises KeyboardInterrupt.

    The interval is proven. On sparse graphs of some ten thousand nodes and more a proof from above
    may be too dear; then, and only then, the upper bound is one that fails with a probability of
    at most 10⁻¹², and ``certificate`` of the result says "probabilistic" instead of "proven". With
    ``proven=True`` such bounds are not used, and the interval may be wide.

    ``variant`` is "lovasz", "schrijver" (ϑ′, tighter above α) or "szegedy" (ϑ⁺, tighter below
    χ of the complement): α ≤ ϑ′ ≤ ϑ ≤ ϑ⁺ ≤ χ, see :mod:`lovasz.number.variants`.

    ``graph`` is anything that :func:`lovasz.as_graph` takes. A symmetric graph of
    :mod:`lovasz.graphs.families` is not written down, and its number of nodes has no limit; it is
    solved by formulas and linear programmes, whatever ``tol`` and ``solver``.

    ``weights`` is an array with one entry per node, or a dict from nodes to weights.
    ``callback(lower, upper)`` is called with the bounds of the core that is being solved.

    >>> import networkx as nx
    >>> result = theta(nx.petersen_graph())
    >>> result.lower <= 4 <= result.upper
    True
    >>> theta(nx.path_graph(4), weights=[1, 5, 1, 3]).value
    8.0
    """
    started = time.monotonic()
    check_options(tol=tol, solver=solver, variant=variant)
    check_time_limit(time_limit)
    for name, function in (("callback", callback), ("stop", stop)):
        if not (function is None or callable(function)):
            raise LovaszError(f"{name}={function!r} cannot be called; pass a function, or None")
    with ctrl_c_unless(stop) as asked:
        if device not in ("auto", "cpu"):
            device = pick_device_name(device)
        search = Pipeline(
            tol, solver, device, started, time_limit, callback, asked, Variant(variant),
            proven=proven,
        )  # fmt: skip
        if isinstance(graph, SymmetricGraph) and weights is None:
            return symmetric_theta(graph, search, complement=complement)
        graph = as_graph(graph, weights="drop")
        if graph.n == 0:
            raise LovaszError("the graph has no nodes; ϑ needs at least one")
        solve = search.solve_complement if complement else search.solve
        given = node_weights(graph, weights)
        found = given.given_back(solve(graph, given.used))
        return search.result(graph, found, given.used, complement=complement)


def symmetric_theta(graph: SymmetricGraph, search: Pipeline, *, complement: bool) -> Theta:
    """Return ϑ of a symmetric graph, or of its complement, by its eigenvalues."""
    from lovasz.number.symmetry.lazy import solve_symmetric

    turned = graph.complement() if complement else graph
    found = solve_symmetric(turned, search.variant, search, search.left)
    search.short = not found.complete
    lower, upper = found.lower, found.upper
    return Theta(
        value=lower + (upper - lower) / 2 if found.exact is None else float(found.exact),
        lower=lower,
        upper=upper,
        kernel=found.kernel,
        nodes=range(graph.n),
        status="optimal" if found.complete else search.status(lower, upper),
        seconds=time.monotonic() - search.started,
        method=found.method,
        reduction={"cores": 0, "left": 0, "largest": 0},
        exact_number=found.exact,
    )


def check_options(*, tol: float = 1e-6, solver: str = "auto", variant: str = "lovasz") -> None:
    """Raise if an option is wrong, whatever the graph."""
    if solver not in SOLVERS:
        raise LovaszError(f"unknown solver {solver!r}; known: {', '.join(SOLVERS)}")
    if variant not in VARIANTS:
        raise LovaszError(f"unknown variant {variant!r}; known: {', '.join(VARIANTS)}")
    if not (is_number(tol) and 0 < tol < 1):
        raise LovaszError(f"tol={tol!r} must be a relative gap between 0 and 1")


class Pipeline:
    """Reduces a graph, splits it, solves the parts and puts them together."""

    def __init__(
        self,
        tol: float,
        solver: str,
        device: str,
        started: float,
        time_limit: float | None,
        callback: Callable[[float, float], None] | None,
        stop: Callable[[], bool],
        variant: Variant,
        *,
        proven: bool = False,
    ) -> None:
        self.chances = None if proven else Chances()
        self.tol, self.solver, self.device, self.variant = tol, solver, device, variant
        self.started, self.time_limit = started, time_limit
        self.report = callback or (lambda lower, upper: None)
        self.asked = stop
        self.interrupted = self.short = False
        self.removed: Counter[str] = Counter()

    def __call__(self) -> bool:
        """Whether to stop; solvers poll it."""
        self.interrupted = self.interrupted or self.asked()
        return self.interrupted or self.left() < 0

    def left(self) -> float:
        """Seconds until the time limit; ∞ if there is none, and few after an interruption."""
        limit = math.inf if self.time_limit is None else self.time_limit
        left = self.started + limit - time.monotonic()
        return min(left, AFTERWARDS) if self.interrupted else left

    def solve(self, graph: Graph, w: np.ndarray) -> Solution:
        """Apply a formula, or reduce the graph, solve each component of the rest, and lift."""
        plain = bool((w == 1).all())
        if plain and (known := strongly_regular(graph)) is not None:
            return known
        reduction = reduce(graph, None if plain else w)
        self.removed.update(reduction.counts)
        left = w[reduction.kept]
        if reduction.bare:
            united = isolated(left)
            return lift(united, graph, np.sqrt(w), reduction.kept, reduction.representative)
        core = induced(graph, reduction.kept)
        parts = [part for part in components(core) if len(part) > 1]
        parts, solutions = self.solve_parts(core, left, parts)
        if (alone := np.flatnonzero(core.degrees == 0)).size:
            parts.append(alone)
            solutions.append(isolated(left[alone]))
        united = unite(parts, solutions)
        return lift(united, graph, np.sqrt(w), reduction.kept, reduction.representative)

    def solve_parts(
        self, core: Graph, w: np.ndarray, parts: list[np.ndarray]
    ) -> tuple[list[np.ndarray], list[Solution]]:
        """Solve the components of a core; those for which no time is left, together by counting."""
        solutions: list[Solution] = []
        for number, part in enumerate(parts):
            if number and self():
                from lovasz.number.core import count_core

                rest = np.sort(np.concatenate(parts[number:]))
                solutions.append(count_core(induced(core, rest), w[rest], self.variant))
                return [*parts[:number], rest], solutions
            solutions.append(self.solve_connected(induced(core, part), w[part]))
        return parts, solutions

    def solve_complement(self, graph: Graph, w: np.ndarray) -> Solution:
        """Solve the complement, the join of the complements of the components, one by one."""
        parts = components(graph)
        solutions = [
            self.solve(complement_of(induced(graph, part)), w[part])
            if len(part) > 1
            else isolated(w[part])
            for part in parts
        ]
        return join(parts, solutions, np.sqrt(w)) if len(parts) > 1 else solutions[0]

    def solve_connected(self, graph: Graph, w: np.ndarray) -> Solution:
        """Split a join into its parts, or solve a core."""
        parts = co_components(graph)
        if len(parts) > 1:
            solutions = [self.solve(induced(graph, part), w[part]) for part in parts]
            return join(parts, solutions, np.sqrt(w))
        from lovasz.number.core import solve_core  # imports scipy.linalg

        return solve_core(
            graph, w, tol=self.tol, solver=self.solver, device=self.device, stop=self,
            report=self.report, variant=self.variant, chances=self.chances,
        )  # fmt: skip

    def status(self, lower: float, upper: float) -> str:
        """Say why the search ended with these bounds."""
        if upper - lower <= self.tol * upper:
            return "optimal"
        if self.interrupted:
            return "interrupted: the interval is what was known by then"
        if self() or self.short or self.left() < NEARLY * (self.time_limit or 0.0):
            return "time limit: allow more time_limit, or a larger tol"
        return "not converged: try another solver, or a larger tol"

    def result(self, graph: Graph, solution: Solution, w: np.ndarray, *, complement: bool) -> Theta:
        """Return the answer with an account of how it was found."""
        lower, upper = solution.lower, solution.upper
        tight = upper - lower <= self.tol * upper
        # An independent set that meets the upper bound within tol is the natural guess.
        middle = lower if tight and lower.is_integer() else lower + (upper - lower) / 2
        exact, evidence = solution.exact, solution.evidence
        material = None
        if evidence is not None:
            material = ProofMaterial(
                graph,
                w,
                self.variant.value,
                complement,
                lower,
                solution.proven_upper,
                exact,
                evidence,
            )
        counts = Counter(solution.methods)
        method = ", ".join(f"{name} ({count})" for name, count in counts.items()) or "reduction"
        return Theta(
            value=min(max(middle if exact is None else float(exact), lower), upper),
            lower=lower,
            upper=upper,
            kernel=Kernel.named("lovasz", solution.kernel),
            nodes=graph.nodes,
            status=self.status(lower, upper),
            seconds=time.monotonic() - self.started,
            method=method,
            reduction=dict(self.removed)
            | {
                "cores": len(solution.sizes),
                "left": sum(solution.sizes),
                "largest": max(solution.sizes, default=0),
            },
            exact_number=exact,
            material=material,
            fallback=solution.proven,
        )
