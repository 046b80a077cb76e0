"""An independent set and a clique cover of any graph: reduce, take apart, search, put together.

The maps of :mod:`lovasz.number.reduction.reduce` keep α and χ(Ḡ) as they keep ϑ. Different
non-adjacent nodes have different non-adjacent representatives, so nodes whose representatives
share a clique are adjacent or the same. Hence a cover of the core becomes a cover of the graph if
each node joins the clique of its representative, and an independent set of the core is one of the
graph.
"""

from __future__ import annotations

import math

import numpy as np

from lovasz.colors.core_search import search_core
from lovasz.colors.greedy import matched_pairs
from lovasz.colors.independent_set_search import enlarge_set
from lovasz.colors.search_control import SearchControl
from lovasz.colors.set_and_cover import SetAndCover, join_covers, prove_by_counting, unite_covers
from lovasz.graphs import Graph
from lovasz.graphs.adjacency_lists import AdjacencyLists
from lovasz.graphs.operations import co_components, components, induced
from lovasz.number import theta
from lovasz.number.reduction import combinatorial
from lovasz.number.reduction.reduce import reduce

COMPLEMENT_UP_TO = 3000
"""Number of nodes of a core up to which its complement is formed; beyond, covers are greedy."""
BOUNDED_UP_TO = 20_000
"""Number of nodes up to which ϑ of a core is tried."""


def cover_graph(graph: Graph, search: SearchControl, floor: int = 0) -> SetAndCover:
    """An independent set and a clique cover of any graph.

    A cover of ``floor`` cliques is as good as a smaller one.
    """
    reduction = reduce(graph)
    core = induced(graph, reduction.kept)
    parts = [part for part in components(core) if len(part) > 1]
    alone = np.flatnonzero(core.degrees == 0)
    # Only if there is one part is its cover the whole cover, to which the floor applies.
    enough = floor if len(parts) == 1 and not alone.size else 0
    pairs = [cover_connected(induced(core, part), search, enough) for part in parts]
    if alone.size:
        parts.append(alone)
        pairs.append(prove_by_counting(np.arange(len(alone)), np.arange(len(alone))))
    united = unite_covers(parts, pairs, core.n)
    place = np.full(graph.n, -1)
    place[reduction.kept] = np.arange(core.n)
    return SetAndCover(
        reduction.kept[united.chosen],
        united.clique[place[reduction.representative]],
        united.lower,
        united.upper,
        united.theta,
        united.proofs,
    )


def cover_connected(graph: Graph, search: SearchControl, floor: int) -> SetAndCover:
    """The same for a connected graph: bipartite, a join, a small core or a large one."""
    side = combinatorial.bipartition(graph)
    if side is not None:
        return prove_by_counting(*combinatorial.bipartite_cover(graph, side))
    parts = co_components(graph)
    if len(parts) > 1:
        pairs = []
        for part in parts:
            pairs.append(cover_graph(induced(graph, part), search, floor))
            floor = max(floor, pairs[-1].lower)
        return join_covers(parts, pairs, graph.n)
    if graph.n <= COMPLEMENT_UP_TO:
        return search_core(graph, search, floor)
    return _solve_large(graph, search)


def _solve_large(graph: Graph, search: SearchControl) -> SetAndCover:
    """The same for a large core: a greedy cover, local search for the set, and ϑ if affordable."""
    covers = (combinatorial.greedy_clique_cover(graph), matched_pairs(AdjacencyLists(graph)))
    clique = min((np.unique(c, return_inverse=True)[1] for c in covers), key=np.max)
    chosen = combinatorial.greedy_independent_set(graph, np.ones(graph.n))
    chosen = enlarge_set(
        AdjacencyLists(graph), chosen, most=int(clique.max()) + 1, visits=search.times(100_000_000),
        state=search.state, late=search.late,
    )  # fmt: skip
    pair = prove_by_counting(chosen, clique)
    if graph.n > BOUNDED_UP_TO or search.effort == 0 or search.late():
        return pair
    found = theta(graph, tol=1e-4, time_limit=search.theta_limit(), stop=search.asked, proven=True)
    low, high = max(found.lower, pair.theta[0]), min(found.upper, pair.theta[1])
    lower, upper = math.ceil(low), math.floor(high)
    proofs = frozenset({"ϑ"} if lower > len(chosen) else ())
    return SetAndCover(chosen, clique, lower, upper, (low, high), proofs)
