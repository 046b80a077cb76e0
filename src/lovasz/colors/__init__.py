"""Colourings, clique covers, independent sets and cliques, with what ϑ proves about them.

α(G) ≤ ϑ(G) ≤ χ(Ḡ): no partition into cliques is smaller than ϑ, no independent set larger. Where
a set and a cover of one size are found they prove each other; on perfect graphs they always
exist, and :mod:`lovasz.colors.perfect` finds them in polynomial time.

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
from typing import Any

import numpy as np

from lovasz.colors.cover import solve
from lovasz.colors.direct import color
from lovasz.colors.evidence import Evidence, is_perfect_evidence
from lovasz.colors.fraction import coloring_fraction
from lovasz.colors.result import Coloring, NodeSet
from lovasz.colors.search import Pair, Search
from lovasz.graphs import Graph, as_graph

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


def coloring(
    graph: Any,
    *,
    effort: float = 1.0,
    time_limit: float | None = None,
    random_state: int | np.random.Generator = 0,
    stop: Callable[[], bool] | None = None,
) -> Coloring:
    """Colour the nodes, adjacent ones differently, with few colours.

    ⌈ϑ(Ḡ)⌉ and any clique bound the number of colours from below; ``lower`` is what is proven,
    and ``optimal`` says that it is met. The search ends when it is, at ``time_limit`` seconds,
    when ``stop()`` is true, or when ``effort`` (1 is usual, 0 greedy only) is spent. Without a
    time limit the same ``random_state`` gives the same colours, unless ϑ of a core takes longer
    than a minute times the effort and is cut short.

    >>> r = coloring([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)])  # ω = 2 < ϑ(Ḡ) = √5 < χ = 3
    >>> r.size, r.lower, r.optimal
    (3, 3, True)
    """
    return _partition(
        "coloring", graph, color, True,
        effort=effort, time_limit=time_limit, random_state=random_state, stop=stop,
    )  # fmt: skip


def clique_cover(
    graph: Any,
    *,
    effort: float = 1.0,
    time_limit: float | None = None,
    random_state: int | np.random.Generator = 0,
    stop: Callable[[], bool] | None = None,
) -> Coloring:
    """Partition the nodes into few cliques: a colouring of the complement.

    ⌈ϑ(G)⌉ and any independent set bound their number from below. For perfect graphs the two
    meet, α = ϑ = χ(Ḡ); what searches leave open there, :mod:`lovasz.colors.perfect` closes, in
    cores of up to 300 nodes times the effort. Options as in :func:`coloring`.

    >>> clique_cover([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]).classes
    [['a', 'b', 'c'], ['d']]
    """
    return _partition(
        "clique cover", graph, solve, False,
        effort=effort, time_limit=time_limit, random_state=random_state, stop=stop,
    )  # fmt: skip


def independent_set(
    graph: Any,
    *,
    effort: float = 1.0,
    time_limit: float | None = None,
    random_state: int | np.random.Generator = 0,
    stop: Callable[[], bool] | None = None,
) -> NodeSet:
    """A large set of nodes no two of which are adjacent.

    ⌊ϑ(G)⌋ and any clique cover bound its size from above. Options as in :func:`coloring`.

    >>> independent_set([(0, 1), (1, 2), (2, 3)]).size
    2
    """
    return _node_set(
        "independent set", graph, solve,
        effort=effort, time_limit=time_limit, random_state=random_state, stop=stop,
    )  # fmt: skip


def max_clique(
    graph: Any,
    *,
    effort: float = 1.0,
    time_limit: float | None = None,
    random_state: int | np.random.Generator = 0,
    stop: Callable[[], bool] | None = None,
) -> NodeSet:
    """A large set of nodes any two of which are adjacent.

    ⌊ϑ(Ḡ)⌋ and any colouring bound its size from above. Options as in :func:`coloring`.

    >>> max_clique([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]).members
    ['a', 'b', 'c']
    """
    return _node_set(
        "clique", graph, color,
        effort=effort, time_limit=time_limit, random_state=random_state, stop=stop,
    )  # fmt: skip


def _partition(
    kind: str, graph: Any, find: Callable[[Graph, Search], Pair], apart: bool, **options: Any
) -> Coloring:
    started = time.monotonic()
    search = Search(**options)
    graph = as_graph(graph, weights="drop")
    pair = find(graph, search) if graph.n else _nothing()
    colors = _by_size(pair.clique)
    _check(graph, colors, pair.chosen, apart)
    return Coloring(
        kind=kind,
        colors=colors,
        nodes=graph.nodes,
        lower=pair.lower,
        witness=[graph.nodes[i] for i in np.sort(pair.chosen)],
        theta=pair.theta,
        proof=_proof(pair),
        seconds=time.monotonic() - started,
    )


def _node_set(
    kind: str, graph: Any, find: Callable[[Graph, Search], Pair], **options: Any
) -> NodeSet:
    started = time.monotonic()
    search = Search(cover=False, chosen=True, **options)
    graph = as_graph(graph, weights="drop")
    pair = find(graph, search) if graph.n else _nothing()
    cover, rows = _by_size(pair.clique), np.sort(pair.chosen)
    _check(graph, cover, rows, kind == "clique")
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


def _nothing() -> Pair:
    nobody = np.zeros(0, dtype=np.int64)
    return Pair(nobody, nobody, 0, 0, (0.0, 0.0))


def _proof(pair: Pair) -> str:
    return "witness" if len(pair.chosen) == pair.lower else ", ".join(sorted(pair.proofs))


def _by_size(colors: np.ndarray) -> np.ndarray:
    """The classes renumbered: the largest is 0; among equals the one with the first node."""
    if not len(colors):
        return np.zeros(0, dtype=np.int64)
    _, first, code, size = np.unique(
        colors, return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.empty(len(size), dtype=np.int64)
    rank[np.lexsort((first, -size))] = np.arange(len(size))
    return rank[code]


def _check(graph: Graph, colors: np.ndarray, chosen: np.ndarray, apart: bool) -> None:
    """Count once more before it is returned; ``apart``: classes are independent sets."""
    i, j = graph.edges()
    sizes = np.bincount(colors)
    inside = int((colors[i] == colors[j]).sum())
    marked = np.zeros(graph.n, dtype=bool)
    marked[chosen] = True
    linked = int((marked[i] & marked[j]).sum())
    pairs, among = int((sizes * (sizes - 1) // 2).sum()), len(chosen) * (len(chosen) - 1) // 2
    if (inside, linked) != ((0, among) if apart else (pairs, 0)):
        raise RuntimeError("a class or the witness is not what it should be; please report this")
