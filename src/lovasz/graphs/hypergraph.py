"""Hypergraphs as the graphs of their cliques, and the random family of the LCN paper.

A hyperedge is an array of nodes; a hypergraph is a sequence of them on the nodes 0 … n−1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from lovasz.errors import LovaszError
from lovasz.graphs.families import Seed, _generator, _whole
from lovasz.graphs.graph import Graph
from lovasz.memory import free_memory

BYTES_PER_PAIR = 56  # measured: the product, its upper triangle, and the graph made of it


class LabelledHypergraph(NamedTuple):
    """A hypergraph and what its model knows about the nodes."""

    hyperedges: tuple[np.ndarray, ...]
    y: np.ndarray
    """Code of the class of each node."""


def clique_expansion(hyperedges: Sequence[Any], n: int) -> Graph:
    """The graph on ``n`` nodes where each hyperedge is a clique: i ~ j if some e has i, j ∈ e.

    With H the incidence matrix, H_ei = 1 for i ∈ e, these are the non-zeros of HᵀH off the
    diagonal. A node in no hyperedge is isolated.

    >>> clique_expansion([[0, 1, 2], [2, 3]], n=5)
    Graph(n=5, m=4)
    """
    nodes, sizes = _flat(hyperedges, _whole(n, "n"))
    needed, free = BYTES_PER_PAIR * int((sizes**2).sum()), free_memory()
    if needed > free:
        raise LovaszError(
            f"the cliques of {sizes.size:,} hyperedges of up to {sizes.max():,} nodes would need "
            f"about {needed / 2**30:,.1f} GiB and {free / 2**30:,.1f} GiB are free; leave out "
            "the largest hyperedges"
        )
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    H = sparse.csr_array((np.ones(nodes.size), nodes, indptr), shape=(sizes.size, n))
    return Graph.from_edges(*sparse.triu(H.T @ H, k=1).nonzero(), n=n)


def hypergraph(
    n: int = 100, size: int = 35, homogeneous: int = 20, heterogeneous: int = 10, *, seed: Seed
) -> LabelledHypergraph:
    """Random hyperedges of one class and of two (LCN paper, section 6).

    Half of the ``n`` nodes, drawn at random, have class 1. A homogeneous hyperedge is ``size``
    nodes of a class that is drawn for each; a heterogeneous one has nodes of both in the ratio
    2:3, and which class is the smaller part is drawn for each. The homogeneous come first.

    >>> hyperedges, y = hypergraph(heterogeneous=5, seed=0)
    >>> len(hyperedges), hyperedges[0].size, int(y.sum())
    (25, 35, 50)
    >>> sorted(np.bincount(y[hyperedges[-1]]).tolist())
    [14, 21]
    """
    n, size = _whole(n, "n", least=1), _whole(size, "size", least=1)
    _whole(homogeneous, "homogeneous"), _whole(heterogeneous, "heterogeneous")
    if n // 2 < size:
        raise LovaszError(
            f"size={size} with n={n}: a class of {n // 2} nodes has no hyperedge that large; "
            f"pass a size of at most {n // 2}"
        )
    rng = _generator(seed)
    y = rng.permutation(np.arange(n) % 2)
    members = [np.flatnonzero(y == code) for code in (0, 1)]
    fewer = round(size * 2 / 5)
    parts = [(size, 0)] * homogeneous + [(fewer, size - fewer)] * heterogeneous
    hyperedges = []
    for first, second in parts:
        one = int(rng.integers(2))
        drawn = [
            rng.choice(members[code], size=count, replace=False)
            for code, count in ((one, first), (1 - one, second))
        ]
        hyperedges.append(np.sort(np.concatenate(drawn)))
    return LabelledHypergraph(tuple(hyperedges), y)


def _flat(hyperedges: Sequence[Any], n: int) -> tuple[np.ndarray, np.ndarray]:
    """The nodes of all hyperedges in a row, and how many each has."""
    edges = [np.asarray(edge) for edge in hyperedges]
    sizes = np.array([edge.size for edge in edges], dtype=np.int64)
    nodes = np.concatenate([edge for edge in edges if edge.size] or [np.empty(0, dtype=np.int64)])
    whole = nodes.dtype.kind in "iu"
    wrong = np.flatnonzero((nodes < 0) | (nodes >= n) if whole else np.ones(nodes.size, dtype=bool))
    if wrong.size:
        number = int(np.searchsorted(np.cumsum(sizes), wrong[0], side="right"))
        raise LovaszError(
            f"hyperedge {number} has the node {nodes[wrong[0]]!s}; with n={n} nodes are whole "
            f"numbers from 0 to {n - 1}"
        )
    return nodes.astype(np.int64), sizes
