"""A kernel as weighted edges, in the order of the edges that it was computed from."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from lovasz.graphs import as_graph
from lovasz.kernels import kernel


class KernelEntries(NamedTuple):
    """The entries of K: the given edges, then all other entries of K, then the whole diagonal.

    Explainers of PyTorch Geometric rely on this order: edges without loops, then n loops.
    """

    edge_index: np.ndarray
    """(2, entries), int64: the row and the column of each entry."""
    value: np.ndarray
    """(entries,), float64: the value of each entry."""
    origin: np.ndarray
    """(entries,): the number of the given edge of each entry, or -1 if it was not an edge."""


def kernel_entries(
    edge_index: np.ndarray,
    n: int,
    name: str,
    options: dict[str, Any],
    *,
    weights: Any = None,
    symmetrize: bool = False,
) -> KernelEntries:
    """Return the kernel ``name`` of a graph in the format of PyTorch Geometric.

    Loops and repeated edges are dropped. ``weights`` are those of the edges, for kernels that use
    them. An edge where K is zero stays, with weight 0.

    >>> K = kernel_entries(np.array([[0, 1], [1, 0]]), 2, "ls", {})
    >>> K.edge_index.tolist(), K.origin.tolist()
    ([[0, 1, 0, 1], [1, 0, 0, 1]], [0, 1, -1, -1])
    """
    graph = SimpleNamespace(edge_index=edge_index, num_nodes=n, edge_weight=weights)
    K = kernel(as_graph(graph, symmetrize=symmetrize, weights="keep"), name, **options)
    K.sum_duplicates()  # it also sorts, so that entries ascend in row · n + column
    rows = np.repeat(np.arange(n), np.diff(K.indptr))
    columns, own = K.indices, rows * np.int64(n) + K.indices
    source, target = edge_index
    # K is symmetric, so rows can be sources; edges are mostly sorted by source.
    keys, first = np.unique(source * np.int64(n) + target, return_index=True)
    is_edge = source[first] != target[first]
    keys, first = keys[is_edge], first[is_edge]
    place = np.searchsorted(own, keys)
    hit = np.append(own, -1)[place] == keys  # -1 is for places after the last entry
    value = np.zeros(first.size)
    value[hit] = K.data[place[hit]]
    given_order = np.argsort(first)
    first, value = first[given_order], value[given_order]
    new = (rows != columns) & (K.data != 0)
    new[place[hit]] = False
    loops = np.arange(n)
    ends = [[source[first], rows[new], loops], [target[first], columns[new], loops]]
    return KernelEntries(
        edge_index=np.stack([np.concatenate(end) for end in ends]).astype(np.int64),
        value=np.concatenate([value, K.data[new], K.diagonal()]),
        origin=np.concatenate([first, np.full(np.count_nonzero(new) + n, -1)]),
    )
