"""An independent set and a clique cover of any graph: reduce, take apart, search, put together.

The maps of :mod:`lovasz.number.reduction.reduce` keep α and χ(Ḡ) as they keep ϑ: different
non-adjacent
nodes have different non-adjacent representatives, so nodes whose representatives share a clique
are adjacent or the same, and a cover of the core, each node in the clique of its representative,
is a cover of the graph; an independent set of the core is one of the graph.
"""

from __future__ import annotations

import math

import numpy as np

from lovasz.colors.core import solve_core
from lovasz.colors.greedy import matched_pairs
from lovasz.colors.search import Pair, Search, counted, join, unite
from lovasz.colors.set_search import larger_set
from lovasz.colors.tabu import Lists
from lovasz.graphs import Graph
from lovasz.graphs.operations import co_components, components, induced
from lovasz.number import theta
from lovasz.number.reduction import combinatorial
from lovasz.number.reduction.reduce import reduce

COMPLEMENT_UP_TO = 3000
"""Nodes of a core whose complement is held; larger ones are covered greedily."""
BOUNDED_UP_TO = 20_000
"""Nodes of a core whose ϑ is tried."""


def solve(graph: Graph, search: Search, floor: int = 0) -> Pair:
    """The pair of a graph; a cover of ``floor`` cliques is as good as a smaller one."""
    reduction = reduce(graph)
    core = induced(graph, reduction.kept)
    parts = [part for part in components(core) if len(part) > 1]
    alone = np.flatnonzero(core.degrees == 0)
    # A union of one part passes the floor on; in a union of several each counts.
    enough = floor if len(parts) == 1 and not alone.size else 0
    pairs = [solve_connected(induced(core, part), search, enough) for part in parts]
    if alone.size:
        parts.append(alone)
        pairs.append(counted(np.arange(len(alone)), np.arange(len(alone))))
    united = unite(parts, pairs, core.n)
    place = np.full(graph.n, -1)
    place[reduction.kept] = np.arange(core.n)
    return Pair(
        reduction.kept[united.chosen],
        united.clique[place[reduction.representative]],
        united.lower,
        united.upper,
        united.theta,
        united.proofs,
    )


def solve_connected(graph: Graph, search: Search, floor: int) -> Pair:
    """Bipartite, a join, small or large."""
    side = combinatorial.bipartition(graph)
    if side is not None:
        return counted(*combinatorial.bipartite_cover(graph, side))
    parts = co_components(graph)
    if len(parts) > 1:
        pairs = []
        for part in parts:
            pairs.append(solve(induced(graph, part), search, floor))
            floor = max(floor, pairs[-1].lower)
        return join(parts, pairs, graph.n)
    if graph.n <= COMPLEMENT_UP_TO:
        return solve_core(graph, search, floor)
    return _solve_large(graph, search)


def _solve_large(graph: Graph, search: Search) -> Pair:
    """Cliques grown greedily or pairs, local search for the set, ϑ where it can be had."""
    covers = (combinatorial.clique_cover(graph), matched_pairs(Lists(graph)))
    clique = min((np.unique(c, return_inverse=True)[1] for c in covers), key=np.max)
    chosen = combinatorial.independent_set(graph, np.ones(graph.n))
    chosen = larger_set(
        Lists(graph), chosen, most=int(clique.max()) + 1, visits=search.times(100_000_000),
        state=search.state, late=search.late,
    )  # fmt: skip
    pair = counted(chosen, clique)
    if graph.n > BOUNDED_UP_TO or search.effort == 0 or search.late():
        return pair
    found = theta(graph, tol=1e-4, time_limit=search.theta_limit(), stop=search.asked)
    low, high = max(found.lower, pair.theta[0]), min(found.upper, pair.theta[1])
    lower, upper = math.ceil(low), math.floor(high)
    proofs = frozenset({"ϑ"} if lower > len(chosen) else ())
    return Pair(chosen, clique, lower, upper, (low, high), proofs)
