"""Colourings, clique covers, independent sets and cliques, with what ϑ proves about them.

α(G) ≤ ϑ(G) ≤ χ(Ḡ): no partition into cliques is smaller than ϑ, and no independent set is larger.
If a set and a cover of the same size are found, they prove each other optimal. On perfect graphs
they always exist, and :mod:`lovasz.colors.perfect` finds them in polynomial time.

>>> import networkx as nx
>>> from lovasz.colors import clique_cover, coloring
>>> coloring(nx.petersen_graph()).size
3
>>> cover = clique_cover(nx.path_graph(4))
>>> cover.size, cover.optimal, len(cover.witness)
(2, True, 2)
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Unpack

import numpy as np

from lovasz.colors.coloring_result import Coloring, NodeSet
from lovasz.colors.cover import cover_graph
from lovasz.colors.direct_coloring import color_graph
from lovasz.colors.evidence import Evidence, is_perfect_evidence
from lovasz.colors.fraction import coloring_fraction
from lovasz.colors.search_control import SearchControl, SearchOptions
from lovasz.colors.set_and_cover import SetAndCover
from lovasz.graphs import Graph, as_graph
from lovasz.graphs.partitions import number_by_size

__all__ = [
    "Coloring",
    "Evidence",
    "NodeSet",
    "clique_cover",
    "coloring",
    "coloring_fraction",
    "independent_set",
    "is_perfect_evidence",
    "max_clique",
]

Find = Callable[[Graph, SearchControl], SetAndCover]
"""A search for an independent set and a clique cover, of the graph or of its complement."""


def coloring(graph: Any, **options: Unpack[SearchOptions]) -> Coloring:
    """Colour the nodes with few colours so that adjacent nodes differ.

    ⌈ϑ(Ḡ)⌉ and the size of any clique bound the number of colours from below. ``lower`` of the
    result is the best bound that is proven, and ``optimal`` says whether it is met.

    The options are those of :class:`lovasz.colors.search_control.SearchOptions`: ``effort=1.0``
    (0 is greedy only), ``time_limit=None`` (seconds), ``random_state=0`` and ``stop=None`` (a
    function that returns True to end the search). The search ends when optimality is proven, at
    the time limit, when ``stop()`` is true, or when the effort is spent. Without a time limit
    the same ``random_state`` gives the same colours, unless ϑ of a core takes longer than a
    minute times the effort and is cut short.

    >>> r = coloring([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)])  # ω = 2 < ϑ(Ḡ) = √5 < χ = 3
    >>> r.size, r.lower, r.optimal
    (3, 3, True)
    """
    return _find_partition("coloring", graph, color_graph, **options)


def clique_cover(graph: Any, **options: Unpack[SearchOptions]) -> Coloring:
    """Partition the nodes into few cliques, which is a colouring of the complement.

    ⌈ϑ(G)⌉ and the size of any independent set bound their number from below. For perfect graphs
    the two meet, α = ϑ = χ(Ḡ). If the searches leave a gap there,
    :mod:`lovasz.colors.perfect` closes it in cores of up to 300 nodes times the effort. The
    options are those of :func:`coloring`.

    >>> clique_cover([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]).classes
    [['a', 'b', 'c'], ['d']]
    """
    return _find_partition("clique cover", graph, cover_graph, **options)


def independent_set(graph: Any, **options: Unpack[SearchOptions]) -> NodeSet:
    """Find a large set of nodes no two of which are adjacent.

    ⌊ϑ(G)⌋ and the size of any clique cover bound its size from above. The options are those of
    :func:`coloring`.

    >>> independent_set([(0, 1), (1, 2), (2, 3)]).size
    2
    """
    return _find_set("independent set", graph, cover_graph, **options)


def max_clique(graph: Any, **options: Unpack[SearchOptions]) -> NodeSet:
    """Find a large set of nodes any two of which are adjacent.

    ⌊ϑ(Ḡ)⌋ and the size of any colouring bound its size from above. The options are those of
    :func:`coloring`.

    >>> max_clique([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]).members
    ['a', 'b', 'c']
    """
    return _find_set("clique", graph, color_graph, **options)


def _find_partition(
    kind: str, graph: Any, find: Find, **options: Unpack[SearchOptions]
) -> Coloring:
    started = time.monotonic()
    search = SearchControl(**options)
    graph = as_graph(graph, weights="drop")
    pair = find(graph, search) if graph.n else _empty_pair()
    colors = number_by_size(pair.clique)
    _check(graph, colors, pair.chosen, apart=kind == "coloring")
    return Coloring(
        kind=kind,
        colors=colors,
        nodes=graph.nodes,
        lower=pair.lower,
        witness=[graph.nodes[i] for i in np.sort(pair.chosen)],
        theta=pair.theta,
        proof=_name_proof(pair),
        seconds=time.monotonic() - started,
        graph=graph,
    )


def _find_set(kind: str, graph: Any, find: Find, **options: Unpack[SearchOptions]) -> NodeSet:
    started = time.monotonic()
    search = SearchControl(cover=False, chosen=True, **options)
    graph = as_graph(graph, weights="drop")
    pair = find(graph, search) if graph.n else _empty_pair()
    cover, rows = number_by_size(pair.clique), np.sort(pair.chosen)
    _check(graph, cover, rows, apart=kind == "clique")
    return NodeSet(
        kind=kind,
        members=[graph.nodes[i] for i in rows],
        rows=rows,
        nodes=graph.nodes,
        upper=pair.upper,
        cover=cover,
        theta=pair.theta,
        seconds=time.monotonic() - started,
    )


def _empty_pair() -> SetAndCover:
    nobody = np.zeros(0, dtype=np.int64)
    return SetAndCover(nobody, nobody, 0, 0, (0.0, 0.0))


def _name_proof(pair: SetAndCover) -> str:
    return "witness" if len(pair.chosen) == pair.lower else ", ".join(sorted(pair.proofs))


def _check(graph: Graph, colors: np.ndarray, chosen: np.ndarray, *, apart: bool) -> None:
    """Check an answer by counting edges before it is returned.

    With ``apart`` the classes must be independent sets and ``chosen`` a clique, else the reverse.
    """
    i, j = graph.edges()
    sizes = np.bincount(colors)
    inside = int((colors[i] == colors[j]).sum())
    marked = np.zeros(graph.n, dtype=bool)
    marked[chosen] = True
    linked = int((marked[i] & marked[j]).sum())
    pairs, among = int((sizes * (sizes - 1) // 2).sum()), len(chosen) * (len(chosen) - 1) // 2
    if (inside, linked) != ((0, among) if apart else (pairs, 0)):
        raise RuntimeError("a class or the witness is not what it should be; please report this")
