"""Colouring a graph without forming its complement, unless it is small.

If a clique of ω nodes is known, a node with fewer than ω neighbours can be coloured last: however
the others are coloured with ω or more colours, one is left for it. The rest, the ω-core, is split
into components. If a component has up to a few thousand nodes, its complement is covered by
cliques (:mod:`lovasz.colors.cover`). Larger components are coloured on their neighbour lists.
"""

from __future__ import annotations

import numpy as np

from lovasz.colors.cover import COMPLEMENT_UP_TO, cover_graph
from lovasz.colors.exact import largest_clique
from lovasz.colors.greedy import color_in_order, greedy_colors, peel
from lovasz.colors.search_control import SearchControl
from lovasz.colors.set_and_cover import SetAndCover, join_covers, prove_by_counting
from lovasz.colors.tabu import fewer_colors
from lovasz.graphs import Graph
from lovasz.graphs.adjacency_lists import AdjacencyLists
from lovasz.graphs.operations import complement_of, components, induced


def color_graph(graph: Graph, search: SearchControl) -> SetAndCover:
    """A clique and a colouring of ``graph``, as the set and the cover of its complement."""
    if graph.m == 0:
        return prove_by_counting(np.arange(min(graph.n, 1)), np.zeros(graph.n, dtype=np.int64))
    lists = AdjacencyLists(graph)
    colors = greedy_colors(lists)
    edge = np.array([graph.edges()[0][0], graph.edges()[1][0]], dtype=np.int64)
    budget = int(min(search.times(1_000_000), 1e6 * search.left()))
    clique, proven = largest_clique(lists, known=edge, budget=budget)
    size = int(colors.max()) + 1
    if len(clique) == size or search.late():
        return prove_by_counting(clique, colors)
    steps = 3 * lists.n + lists.indices.size
    order, core = peel.within(steps)(lists.indptr, lists.indices)
    kept = np.flatnonzero(core >= len(clique))
    if not kept.size:  # every node has fewer than ω neighbours left when it is peeled
        color = color_in_order.within(steps)
        return prove_by_counting(clique, color(lists.indptr, lists.indices, order[::-1]))
    inner = color_components(induced(graph, kept), search, len(clique))
    upper = len(clique) if proven else max(len(clique), inner.upper)
    if len(inner.chosen) > len(clique):
        clique = kept[inner.chosen]
    if max(inner.size, len(clique)) < size:
        colors = _extend(lists, kept, inner.clique, order)
        size = int(colors.max()) + 1
    high = inner.theta[1] if len(kept) == graph.n else float(size)
    return SetAndCover(
        clique,
        colors,
        max(len(clique), inner.lower),
        min(upper, size),
        (max(float(len(clique)), inner.theta[0]), min(high, float(size))),
        inner.proofs,
    )


def color_components(graph: Graph, search: SearchControl, floor: int) -> SetAndCover:
    """Colour component by component; every component may use as many colours as another needs."""
    parts = components(graph)
    pairs: list[SetAndCover] = []
    for part in parts:
        pairs.append(_color_connected(induced(graph, part), search, floor))
        floor = max(floor, pairs[-1].lower)
    return join_covers(parts, pairs, graph.n)


def _color_connected(graph: Graph, search: SearchControl, floor: int) -> SetAndCover:
    if graph.n <= COMPLEMENT_UP_TO:
        return cover_graph(complement_of(graph), search, floor)
    lists = AdjacencyLists(graph)
    colors = greedy_colors(lists)
    if search.cover:
        moves = search.times(200_000)
        colors = fewer_colors(
            lists, colors, least=floor, moves=moves, state=search.state, late=search.late
        )
    return prove_by_counting(np.array([0]), colors)


def _extend(
    lists: AdjacencyLists, kept: np.ndarray, inner: np.ndarray, order: np.ndarray
) -> np.ndarray:
    """Extend the colours of the core to the whole graph, in the reverse order of the peeling."""
    waiting = np.ones(lists.n, dtype=bool)
    waiting[kept] = False
    later = order[::-1]
    colors = np.full(lists.n, -1)
    colors[kept] = inner
    for v in later[waiting[later]]:
        near = colors[lists.of(v)]
        used = set(near.tolist())
        colors[v] = next(c for c in range(len(used) + 1) if c not in used)
    return colors
