"""Colouring a graph, adjacent nodes apart, without its complement where it is large.

With a clique of ω nodes in hand, a node with fewer than ω neighbours can wait: whatever ω or
more colours the rest has, one is left for it. What remains of that, the ω-core, is split into
components; of those up to a few thousand nodes the complement is covered by cliques
(:mod:`lovasz.colors.cover`), larger ones are coloured on their own lists.
"""

from __future__ import annotations

import numpy as np

from lovasz.colors.cover import COMPLEMENT_UP_TO, solve
from lovasz.colors.exact import largest_clique
from lovasz.colors.greedy import color_in_order, greedy_colors, peel
from lovasz.colors.search import Pair, Search, counted, join
from lovasz.colors.tabu import Lists, fewer_colors
from lovasz.graphs import Graph
from lovasz.graphs.operations import complement_of, components, induced


def color(graph: Graph, search: Search) -> Pair:
    """A clique and a colouring of ``graph``: the pair of its complement."""
    if graph.m == 0:
        return counted(np.arange(min(graph.n, 1)), np.zeros(graph.n, dtype=np.int64))
    lists = Lists(graph)
    colors = greedy_colors(lists)
    edge = np.array([graph.edges()[0][0], graph.edges()[1][0]], dtype=np.int64)
    budget = int(min(search.times(1_000_000), 1e6 * search.left()))
    clique, proven = largest_clique(lists, known=edge, budget=budget)
    size = int(colors.max()) + 1
    if len(clique) == size or search.late():
        return counted(clique, colors)
    order, core = peel(lists.indptr, lists.indices)
    kept = np.flatnonzero(core >= len(clique))
    if not kept.size:  # every node has fewer than ω neighbours left when its turn comes
        return counted(clique, color_in_order(lists.indptr, lists.indices, order[::-1]))
    inner = color_core(induced(graph, kept), search, len(clique))
    upper = len(clique) if proven else max(len(clique), inner.upper)
    if len(inner.chosen) > len(clique):
        clique = kept[inner.chosen]
    if max(inner.size, len(clique)) < size:
        colors = _extend(lists, kept, inner.clique, order)
        size = int(colors.max()) + 1
    high = inner.theta[1] if len(kept) == graph.n else float(size)
    return Pair(
        clique,
        colors,
        max(len(clique), inner.lower),
        min(upper, size),
        (max(float(len(clique)), inner.theta[0]), min(high, float(size))),
        inner.proofs,
    )


def color_core(graph: Graph, search: Search, floor: int) -> Pair:
    """Component by component; what one needs the others may use."""
    parts = components(graph)
    pairs: list[Pair] = []
    for part in parts:
        pairs.append(_color_connected(induced(graph, part), search, floor))
        floor = max(floor, pairs[-1].lower)
    return join(parts, pairs, graph.n)


def _color_connected(graph: Graph, search: Search, floor: int) -> Pair:
    if graph.n <= COMPLEMENT_UP_TO:
        return solve(complement_of(graph), search, floor)
    lists = Lists(graph)
    colors = greedy_colors(lists)
    if search.cover:
        moves = search.times(200_000)
        colors = fewer_colors(
            lists, colors, least=floor, moves=moves, state=search.state, late=search.late
        )
    return counted(np.array([0]), colors)


def _extend(lists: Lists, kept: np.ndarray, inner: np.ndarray, order: np.ndarray) -> np.ndarray:
    """The colours of the core on the whole graph, the others in reverse of the peeling."""
    waiting = np.ones(lists.n, dtype=bool)
    waiting[kept] = False
    later = order[::-1]
    colors = np.full(lists.n, -1)
    colors[kept] = inner
    for v in later[waiting[later]]:
        near = colors[lists.indices[lists.indptr[v] : lists.indptr[v + 1]]]
        used = set(near.tolist())
        colors[v] = next(c for c in range(len(used) + 1) if c not in used)
    return colors
