"""ϑ of a :class:`~lovasz.graphs.symmetric_graph.SymmetricGraph`, without writing an edge down."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from lovasz.base.errors import LovaszError
from lovasz.base.surds import Surd, bound_exact, simplify_surd
from lovasz.graphs.family_sizes import MOST_BITS
from lovasz.graphs.schemes import (
    ChannelOrbits,
    ConferenceScheme,
    Element,
    GroupScheme,
    MetricScheme,
)
from lovasz.graphs.symmetric_graph import SymmetricGraph
from lovasz.number.solvers.contract import never, unlimited
from lovasz.number.symmetry.cosines import odd_cycle_bounds
from lovasz.number.symmetry.scheme import solve_metric
from lovasz.number.symmetry.scheme_kernel import SchemeKernel
from lovasz.number.variants import Variant

LISTED_UP_TO = 4000
"""Number of nodes up to which all differences of a group are columns of a linear programme."""


@dataclass(frozen=True)
class SymmetricSolution:
    """Bounds on ϑ of a symmetric graph, ϑ itself if it is known, and the kernel."""

    lower: float
    upper: float
    exact: Fraction | Surd | None
    kernel: SchemeKernel
    method: str
    complete: bool = True
    """Whether the search was not stopped before its end."""


def solve_symmetric(
    graph: SymmetricGraph,
    variant: Variant,
    stop: Callable[[], bool] = never,
    left: Callable[[], float] = unlimited,
) -> SymmetricSolution:
    """Return ϑ, ϑ′ or ϑ⁺ of a symmetric graph.

    The linear programmes of graphs with many relations take long. Once ``stop()`` is true, or no
    seconds are ``left()``, the interval is what is proven by then. In that case the lower bound may
    be that of Turán: α ≥ n / (d + 1), d the mean degree, and no variant is smaller than α.

    >>> from lovasz.graphs.families import paley
    >>> solve_symmetric(paley(25), Variant.LOVASZ).exact
    Fraction(5, 1)
    """
    found = _solve(graph, variant, stop, left)
    if found.complete:
        return found
    least = bound_exact(Fraction(graph.n**2, graph.n + 2 * graph.m))[0]
    return replace(found, lower=max(found.lower, least))


def _solve(
    graph: SymmetricGraph,
    variant: Variant,
    stop: Callable[[], bool],
    left: Callable[[], float],
) -> SymmetricSolution:
    """The same, with a lower bound that may be 0 if the search is stopped."""
    scheme = graph.scheme
    if graph.n.bit_length() > MOST_BITS:
        raise LovaszError(
            f"{graph.name} has over 2**{MOST_BITS} nodes, and bounds are doubles; take fewer"
        )
    if not graph.relations or 2 * graph.m == graph.n * (graph.n - 1):
        return _solve_trivial(graph)
    if isinstance(scheme, MetricScheme):
        found = solve_metric(scheme, graph.relations, variant, stop)
        t = found.value
        values = {i: y / t for i, y in found.edge_values.items() if y}
        kernel = SchemeKernel(scheme, values)
        return _exactly(t, kernel, "association scheme", complete=bool(found.prices))
    if isinstance(scheme, ConferenceScheme):
        value = simplify_surd(0, 1, scheme.q)
        entries = dict.fromkeys(graph.relations, 2 / (1 + math.sqrt(scheme.q)))
        return _exactly(value, SchemeKernel(scheme, entries), "association scheme")
    if isinstance(scheme, ChannelOrbits) and variant is not Variant.SCHRIJVER:
        from lovasz.number.symmetry.z_channel import solve_channel

        t, orbits, proven = solve_channel(scheme.length, left)
        return _exactly(t, SchemeKernel(scheme, orbits), "orbits of words", complete=proven)
    if isinstance(scheme, GroupScheme):
        return _solve_group(scheme, graph.relations, variant, stop, left)
    raise LovaszError(f"{graph.name}: no formula for ϑ′ is known; pass graph.to_graph()")


def _exactly(
    value: Fraction | Surd, kernel: SchemeKernel, method: str, *, complete: bool = True
) -> SymmetricSolution:
    """The value, or an upper bound if the search is not complete."""
    lower, upper = bound_exact(value)
    if not complete:
        return SymmetricSolution(0.0, upper, None, kernel, method, complete)
    return SymmetricSolution(lower, upper, value, kernel, method)


def _solve_trivial(graph: SymmetricGraph) -> SymmetricSolution:
    """No edges, or all."""
    value = Fraction(1 if graph.relations else graph.n)
    kernel = SchemeKernel(graph.scheme, dict.fromkeys(graph.relations, Fraction(1)))
    return _exactly(value, kernel, "association scheme")


def _solve_group(
    scheme: GroupScheme,
    relations: frozenset[Element],
    variant: Variant,
    stop: Callable[[], bool],
    left: Callable[[], float],
) -> SymmetricSolution:
    if len(relations) == 1:
        return _solve_cycles(scheme, *relations)
    from lovasz.number.symmetry.characters import solve_group

    nonnegative = variant is Variant.SZEGEDY
    if variant is Variant.SCHRIJVER or (not nonnegative and scheme.n <= 4 * len(relations)):
        return _solve_by_complement(scheme, relations, variant, stop, left)
    found = solve_group(scheme, relations, nonnegative=nonnegative, stop=stop, left=left)
    values = {a: y / found.upper for a, y in found.edge_values.items() if y}
    kernel = SchemeKernel(scheme, values)
    if found.exact is not None:
        return _exactly(found.exact, kernel, "characters")
    return SymmetricSolution(found.lower, found.upper, None, kernel, "characters", found.complete)


def _solve_by_complement(
    scheme: GroupScheme,
    relations: frozenset[Element],
    variant: Variant,
    stop: Callable[[], bool],
    left: Callable[[], float],
) -> SymmetricSolution:
    """ϑ(G) ϑ(H) = n = ϑ′(G) ϑ⁺(H) for the complement H; its primal solution is the kernel of G."""
    from lovasz.number.symmetry.characters import solve_group

    if scheme.n > LISTED_UP_TO:
        raise LovaszError(
            f"{scheme.n:,} nodes: ϑ′, and ϑ with this many differences, is computed for at most "
            f"{LISTED_UP_TO:,}; take a smaller graph"
        )
    others = scheme.others(relations)
    nonnegative = variant is Variant.SCHRIJVER
    found = solve_group(scheme, others, nonnegative=nonnegative, stop=stop, left=left)
    n = Fraction(scheme.n)
    used = scheme.others(frozenset()) if variant is Variant.SCHRIJVER else relations
    values = found.primal_values(scheme, used) if found.complete else {}  # {} is K = I
    kernel = SchemeKernel(scheme, values)
    if found.exact is not None:
        return _exactly(n / found.exact, kernel, "characters")
    lower = bound_exact(n / Fraction(found.upper))[0]
    upper = bound_exact(n / Fraction(found.lower))[1]
    return SymmetricSolution(lower, upper, None, kernel, "characters", found.complete)


def _solve_cycles(scheme: GroupScheme, step: Element) -> SymmetricSolution:
    """One difference: disjoint edges or cycles of the order of that element."""
    order = math.lcm(*(n // math.gcd(a, n) for a, n in zip(step, scheme.orders, strict=True)))
    if order % 2 == 0 or order == 3:
        share = Fraction(1, 3 if order == 3 else 2)
        entry = Fraction(1, 1 if order < 4 else 2)
        return _exactly(scheme.n * share, SchemeKernel(scheme, {step: entry}), "cycles")
    lower, upper = odd_cycle_bounds(order, scheme.n // order)
    value = 1 / (2 * math.cos(math.pi / order))
    exact = simplify_surd(0, scheme.n // 5, 5) if order == 5 else None
    return SymmetricSolution(lower, upper, exact, SchemeKernel(scheme, {step: value}), "cycles")
