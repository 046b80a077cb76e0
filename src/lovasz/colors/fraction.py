"""The paper's colouring fraction."""

from __future__ import annotations

from typing import Any

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.graphs import as_graph


def coloring_fraction(graph: Any, colors: Any = None, **options: Any) -> float:
    """β = n_d / n_t: edges between colours over pairs of nodes of different colours.

    The colours are those of an optimal colouring of the complement, a smallest clique cover. It
    is no number of the graph alone: different optimal colourings can have different β. Without
    ``colors`` (an entry a node, in node order) the cover of :func:`~lovasz.clique_cover` is
    taken, with its ``options``; if that is not proven optimal it is an error, because the
    definition asks for an optimal one. NaN if all nodes have one colour.

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


def _covered(graph: Any, options: dict[str, Any]) -> np.ndarray:
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
        raise LovaszError(f"colors have shape {found.shape} for {n} nodes; give one a node")
    return np.unique(found, return_inverse=True)[1]
