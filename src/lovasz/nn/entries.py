"""A kernel as weighted edges, in the order of the edges it was computed from."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from lovasz.graphs import as_graph
from lovasz.kernels import kernel


class Entries(NamedTuple):
    """Entries of K: the edges that were given, then what else K has, then the whole diagonal.

    Explainers of PyTorch Geometric count on this order: edges without loops, then n loops.
    """

    edge_index: np.ndarray
    """(2, entries), int64."""
    value: np.ndarray
    """(entries,), float64."""
    origin: np.ndarray
    """The given edge of each entry; -1 where there was none, as on the diagonal."""


def kernel_entries(
    edge_index: np.ndarray,
    n: int,
    name: str,
    options: dict[str, Any],
    *,
    weights: Any = None,
    symmetrize: bool = False,
) -> Entries:
    """The kernel ``name`` of a graph given as PyTorch Geometric does; loops, repeats are dropped.

    ``weights`` are those of the edges, for kernels that look at them. An edge that K has a zero
    on stays, with weight 0.

    >>> K = kernel_entries(np.array([[0, 1], [1, 0]]), 2, "ls", {})
    >>> K.edge_index.tolist(), K.origin.tolist()
    ([[0, 1, 0, 1], [1, 0, 0, 1]], [0, 1, -1, -1])
    """
    given = SimpleNamespace(edge_index=edge_index, num_nodes=n, edge_weight=weights)
    K = kernel(as_graph(given, symmetrize=symmetrize, weights="keep"), name, **options)
    source, target = edge_index
    keys = target * np.int64(n) + source
    first = np.unique(keys, return_index=True)[1]
    first = np.sort(first[source[first] != target[first]])
    value, diagonal = np.asarray(K[target[first], source[first]]).ravel(), K.diagonal()
    rows = columns = np.empty(0, dtype=np.int64)
    if np.count_nonzero(value) + np.count_nonzero(diagonal) < K.count_nonzero():
        entries = K.tocoo()
        rows, columns = (coordinate.astype(np.int64) for coordinate in entries.coords)
        new = (rows != columns) & ~np.isin(rows * n + columns, keys[first])
        rows, columns = rows[new], columns[new]
        value = np.concatenate([value, entries.data[new]])
    loops = np.arange(n)
    ends = [[source[first], columns, loops], [target[first], rows, loops]]
    return Entries(
        edge_index=np.stack([np.concatenate(end) for end in ends]).astype(np.int64),
        value=np.concatenate([value, diagonal]),
        origin=np.concatenate([first, np.full(rows.size + n, -1)]),
    )
