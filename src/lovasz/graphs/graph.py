"""The graph type: simple, undirected, immutable, in CSR form, with the caller's node names."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from lovasz.base.display import as_html
from lovasz.base.errors import LovaszError
from lovasz.base.text import pluralize
from lovasz.graphs.counts import check_node_count

_ARRAYS = ("data", "indices", "indptr")
"""The attributes of a CSR matrix that hold its arrays."""
TABLE_UP_TO = 64
"""Number of rows up to which dense tables are faster than SciPy's checks of sparse ones."""


@dataclass(frozen=True, eq=False)
class Graph:
    """A simple undirected graph.

    Build one with :func:`lovasz.as_graph`, :func:`lovasz.read_graph` or :meth:`from_edges`,
    which establish what the rest of the library relies on. A writeable matrix is copied, so that
    the caller's matrix stays as it was.

    >>> Graph.from_edges([0, 1, 2], [1, 2, 0])
    Graph(n=3, m=3)
    """

    adjacency: sparse.csr_array
    """Symmetric, zero diagonal, sorted indices, float64; all ones unless ``weighted``."""
    nodes: Sequence[Hashable]
    """Node names; ``nodes[i]`` is the name of row ``i``. A ``range`` if there are no names."""
    notes: tuple[str, ...] = ()
    """What was changed to make the input simple, such as "dropped 2 self-loops"."""

    @classmethod
    def from_edges(
        cls,
        source: Iterable[int],
        target: Iterable[int],
        *,
        n: int | None = None,
        weights: Iterable[float] | None = None,
        nodes: Sequence[Hashable] | None = None,
        both_directions: bool = False,
    ) -> Graph:
        """Build a graph on ``0..n-1`` from the two ends of each edge, given as integers.

        Loops and repeated edges are dropped, with a note. ``both_directions`` says that the
        input may list every edge in both directions on purpose, which then makes no note.
        """
        i, j = np.asarray(source, dtype=np.int64), np.asarray(target, dtype=np.int64)
        if n is None:
            n = len(nodes) if nodes is not None else int(max(i.max(), j.max()) + 1) if i.size else 0
        w = None if weights is None else np.asarray(weights, dtype=np.float64)
        check_node_count(n)
        _check_ends(i, j, w, n)
        if nodes is not None and not isinstance(nodes, range) and len(set(nodes)) != n:
            raise LovaszError(f"{n} nodes need {n} different names, there are {len(set(nodes))}")
        if w is not None and not np.isfinite(w).all():
            bad = int(np.flatnonzero(~np.isfinite(w))[0])
            raise LovaszError(f"edge {bad + 1} has weight {w[bad]}; weights must be finite numbers")

        loops = i == j
        notes = [f"dropped {pluralize(int(loops.sum()), 'self-loop')}"] if loops.any() else []
        if notes:
            i, j, w = i[~loops], j[~loops], None if w is None else w[~loops]
        key = np.minimum(i, j) * n + np.maximum(i, j)
        forward = int((i < j).sum())
        if w is None:
            ordered = np.sort(key)  # faster than np.unique, which hashes integers
            kept = ordered[np.diff(ordered, prepend=-1) > 0]
        else:
            kept, w = _agreed(key, w, range(n) if nodes is None else nodes)
        repeats = key.size - kept.size
        if repeats and not (both_directions and repeats == kept.size == forward):
            notes.append(f"dropped {pluralize(repeats, 'duplicate edge')}")
        if w is not None and (zero := int((w == 0).sum())) > 0:
            notes.append(f"dropped {pluralize(zero, 'edge')} of weight 0")
            kept, w = kept[w != 0], w[w != 0]
        return cls(_symmetric(kept, w, n), range(n) if nodes is None else nodes, tuple(notes))

    def __post_init__(self) -> None:
        # Writeable arrays may belong to the caller, who goes on using them.
        if any(getattr(self.adjacency, name).flags.writeable for name in _ARRAYS):
            own = copy(self.adjacency)
            for name in _ARRAYS:
                setattr(own, name, getattr(own, name).copy())
            object.__setattr__(self, "adjacency", freeze(own))

    @property
    def n(self) -> int:
        """Number of nodes."""
        return int(self.adjacency.shape[0])

    @property
    def m(self) -> int:
        """Number of edges."""
        return int(self.adjacency.nnz) // 2

    @cached_property
    def degrees(self) -> np.ndarray:
        """Number of neighbours of each node."""
        return np.diff(self.adjacency.indptr)

    @cached_property
    def weighted(self) -> bool:
        """Whether some edge has a weight other than 1."""
        return bool((self.adjacency.data != 1).any())

    @cached_property
    def positions(self) -> dict[Hashable, int]:
        """Row of each node name."""
        return {name: row for row, name in enumerate(self.nodes)}

    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows of both ends of every edge, each edge once, first end < second end."""
        return self._edges

    @cached_property
    def _edges(self) -> tuple[np.ndarray, np.ndarray]:
        rows = np.repeat(np.arange(self.n, dtype=np.int32), np.diff(self.adjacency.indptr))
        columns = self.adjacency.indices
        upper = rows < columns
        ends = rows[upper], columns[upper]
        for end in ends:
            end.setflags(write=False)
        return ends

    def to_networkx(self, **attributes: Any) -> Any:
        """Return a networkx graph with the weights, and with attributes of the nodes.

        An attribute is a sequence or an array with one value per node, in order.

        >>> Graph.from_edges([0, 1], [1, 2]).to_networkx(color=["red", "blue", "red"]).nodes[1]
        {'color': 'blue'}
        """
        import networkx as nx

        for name, values in attributes.items():
            if len(values) != self.n:
                raise LovaszError(f"{name} has {len(values)} values; the graph has {self.n} nodes")
        graph = nx.Graph()
        names = list(attributes)
        rows: Iterable[tuple[Any, ...]] = zip(*map(_plain, attributes.values()), strict=True)
        if not names:
            rows = ((),) * self.n
        graph.add_nodes_from(
            (node, dict(zip(names, values, strict=True)))
            for node, values in zip(self.nodes, rows, strict=True)
        )
        source, target = (end.tolist() for end in self.edges())
        nodes = self.nodes
        if not self.weighted:
            graph.add_edges_from((nodes[i], nodes[j]) for i, j in zip(source, target, strict=True))
            return graph
        i, j = self.edges()
        weights = np.asarray(self.adjacency[i, j]).ravel().tolist()
        graph.add_weighted_edges_from(
            (nodes[i], nodes[j], w) for i, j, w in zip(source, target, weights, strict=True)
        )
        return graph

    def _repr_html_(self) -> str | None:
        return as_html(self)

    def __len__(self) -> int:
        return self.n

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.nodes)

    def __getitem__(self, row: int) -> Node:
        """Return one node with its graph, which is what cross-validation hands to an estimator."""
        try:
            return Node(self, range(self.n)[index(row)])
        except TypeError:
            raise TypeError(
                f"graph[{row!r}]: the index of a graph is the number of one row; "
                "for several rows write [graph[i] for i in rows]"
            ) from None

    def __repr__(self) -> str:
        return f"Graph(n={self.n:,}, m={self.m:,}{', weighted' if self.weighted else ''})"


def _plain(values: Any) -> list[Any]:
    """Return values as Python objects, which networkx can write to files."""
    return np.asarray(values).tolist() if isinstance(values, np.ndarray) else list(values)


class Node(NamedTuple):
    """A node and the whole graph it belongs to.

    scikit-learn's cross-validation takes ``graph[i]`` for the rows of a fold. A list of these
    lets an estimator learn on the whole graph while it sees only the labels of the fold.
    """

    graph: Graph
    row: int


def _check_ends(i: np.ndarray, j: np.ndarray, w: np.ndarray | None, n: int) -> None:
    if i.shape != j.shape or i.ndim != 1 or (w is not None and w.shape != i.shape):
        sizes = [array.size for array in (i, j, w) if array is not None]
        raise LovaszError(f"source, target and weights must have the same length, not {sizes}")
    for ends in (i, j):
        # A row beyond n would silently become another edge, as edges are coded by i·n + j.
        if ends.size and not (ends.min() >= 0 and ends.max() < n):
            bad = ends[(ends < 0) | (ends >= n)][0]
            raise LovaszError(f"an edge ends in node {bad}; with n={n} nodes are 0 to {n - 1}")


def _agreed(
    key: np.ndarray, w: np.ndarray, nodes: Sequence[Hashable]
) -> tuple[np.ndarray, np.ndarray]:
    """Return each edge once with its weight; raise if two listings of an edge disagree."""
    kept, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    if (conflict := np.flatnonzero(w != w[first][inverse])).size:
        a, b = divmod(int(key[conflict[0]]), len(nodes))
        raise LovaszError(
            f"edge {nodes[a]!r} - {nodes[b]!r} is listed with different weights; "
            "list each edge once, or drop the weights"
        )
    return kept, w[first]


def _symmetric(key: np.ndarray, w: np.ndarray | None, n: int) -> sparse.csr_array:
    """Return the CSR matrix of the edges with the ascending keys i·n + j, i < j.

    SciPy keeps the order of the entries within a row. With the lower triangle first, the columns
    come out sorted and need no sorting.
    """
    if 0 < n <= TABLE_UP_TO:
        i, j = divmod(key, n)
        table = np.zeros((n, n))
        table[i, j] = table[j, i] = 1.0 if w is None else w
        return freeze(pack(table))
    kind = np.int32 if max(n, 2 * key.size) < 2**31 else np.int64
    i, j = (part.astype(kind) for part in divmod(key, max(n, 1)))
    values = np.ones(2 * key.size) if w is None else np.concatenate([w, w])
    rows, columns = np.concatenate([j, i]), np.concatenate([i, j])
    return freeze(sparse.coo_array((values, (rows, columns)), shape=(n, n)).tocsr())


def freeze(matrix: sparse.csr_array) -> sparse.csr_array:
    """Make the arrays of ``matrix`` read-only, in place, and return it."""
    for name in _ARRAYS:
        getattr(matrix, name).flags.writeable = False
    return matrix


def pack(table: np.ndarray) -> sparse.csr_array:
    """Return a dense table as a CSR matrix without zeros."""
    i, j = table.nonzero()
    ends = np.zeros(len(table) + 1, dtype=np.int32)
    np.cumsum(np.bincount(i, minlength=len(table)), out=ends[1:])
    return sparse.csr_array((table[i, j], j.astype(np.int32), ends), shape=table.shape)
