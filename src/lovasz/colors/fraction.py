"""The paper's colouring fraction."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.colors.search_control import SearchOptions
from lovasz.graphs import as_graph


def coloring_fraction(graph: Any, colors: Any = None, **options: Unpack[SearchOptions]) -> float:
    """β = n_d / n_t, the edges between colours over the pairs of nodes of different colours.

    The colours are those of an optimal colouring of the complement, a smallest clique cover. β
    is not determined by the graph alone: different optimal colourings can have different β. If
    ``colors`` (one entry per node, in node order) is not given, the cover is that of
    :func:`~lovasz.clique_cover` with ``options``. It is an error if that one is not proven
    optimal, because the definition asks for an optimal one. β is NaN if there is only one colour.

    >>> import networkx as nx
    >>> coloring_fraction(nx.complete_bipartite_graph(3, 3), [0, 1, 2, 0, 1, 2])
    0.5
    >>> coloring_fraction(nx.complete_bipartite_graph(50, 50))
    0.5
    """
    graph = as_graph(graph, weights="drop")
    codes = _covered(graph, options) if colors is None else _coded(colors, graph.n)
    i, j = graph.edges()
    sizes = np.bincount(codes)
    pairs = graph.n * (graph.n - 1) // 2 - int((sizes * (sizes - 1) // 2).sum())
    return int((codes[i] != codes[j]).sum()) / pairs if pairs else float("nan")


def _covered(graph: Any, options: SearchOptions) -> np.ndarray:
    from lovasz.colors import clique_cover

    found = clique_cover(graph, **options)
    if not found.optimal:
        raise LovaszError(
            f"the smallest clique cover has {found.lower} to {found.size} cliques, and β needs an "
            "optimal one; allow more effort or time_limit, or pass colors=clique_cover(…).colors"
        )
    return found.colors


def _coded(colors: Any, n: int) -> np.ndarray:
    found = np.asarray(colors)
    if found.shape != (n,):
        raise LovaszError(f"colors have shape {found.shape} for {n} nodes; give one per node")
    return np.unique(found, return_inverse=True)[1]
