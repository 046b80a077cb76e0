"""The one hypergraph type, the graphs of its cliques, and the random family of the LCN paper.

What vectors and which ϑ a hypergraph has: :mod:`lovasz.hypergraphs`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.base.memory import free_memory
from lovasz.graphs.families import Seed, _generator, _whole
from lovasz.graphs.graph import Graph, _frozen, counted

BYTES_PER_PAIR = 56  # measured: the product, its upper triangle, and the graph made of it


@dataclass(frozen=True, eq=False)
class Hypergraph:
    """A hypergraph with weights: every hyperedge is a set of two or more nodes.

    Build one with :func:`lovasz.as_hypergraph` or :meth:`from_rows`. No two hyperedges have the
    same nodes, and weights are positive.

    >>> Hypergraph.from_rows([[0, 1, 2], [2, 3], [3, 2]], n=5)
    Hypergraph(n=5, m=2, weighted)
    """

    incidence: sparse.csr_array
    """(n, m), 1 where a node is in a hyperedge; cannot be written to."""
    weights: np.ndarray
    """(m,), positive; cannot be written to."""
    nodes: Sequence[Hashable]
    """Node names; ``nodes[i]`` is the name of row ``i``. A ``range`` when there are no names."""
    names: Sequence[Hashable]
    """Names of the hyperedges, the columns. A ``range`` when there are no names."""
    notes: tuple[str, ...] = ()
    """What was changed, in words ("dropped 2 hyperedges of one node")."""

    @classmethod
    def from_rows(
        cls,
        hyperedges: Iterable[Any],
        *,
        n: int,
        weights: Sequence[float] | np.ndarray | None = None,
        nodes: Sequence[Hashable] | None = None,
        names: Sequence[Hashable] | None = None,
    ) -> Hypergraph:
        """Hypergraph on the rows ``0..n-1``.

        Hyperedges of fewer than two nodes join nobody and are dropped; those with the same nodes
        become one, with the sum of their weights and the name of the first.
        """
        edges = [np.unique(edge) for edge in hyperedges]
        _flat(edges, _whole(n, "n"))  # names the node that is none
        w = _checked_weights(weights, len(edges))
        if nodes is not None and (len(nodes) != n or len(set(nodes)) != n):
            raise LovaszError(f"{n} nodes need {n} different names, there are {len(set(nodes))}")
        if names is not None and len(names) != len(edges):
            raise LovaszError(f"{len(names)} names for {len(edges)} hyperedges; give one each")
        found: dict[tuple[int, ...], list[Any]] = {}
        for number, edge in enumerate(edges):
            if edge.size >= 2:
                name = number if names is None else names[number]
                found.setdefault(tuple(edge.tolist()), [0.0, name])[0] += w[number]
        sizes = np.array([edge.size for edge in edges], dtype=np.int64)
        kept = tuple(name for _, name in found.values())
        return cls(
            _incidence(list(found), n),
            np.array([weight for weight, _ in found.values()]),
            range(n) if nodes is None else nodes,
            range(len(kept)) if names is None else kept,
            _notes(sizes, len(found)),
        )

    def __post_init__(self) -> None:
        own = np.array(self.weights, dtype=np.float64)
        own.flags.writeable = False
        object.__setattr__(self, "weights", own)
        object.__setattr__(self, "incidence", _frozen(self.incidence.copy()))

    @property
    def n(self) -> int:
        """Number of nodes."""
        return self.incidence.shape[0]

    @property
    def m(self) -> int:
        """Number of hyperedges."""
        return self.incidence.shape[1]

    @cached_property
    def weighted(self) -> bool:
        """Whether some hyperedge has a weight other than 1."""
        return bool((self.weights != 1).any())

    @cached_property
    def sizes(self) -> np.ndarray:
        """Number of nodes of each hyperedge."""
        return np.bincount(self.incidence.indices, minlength=self.m)

    @cached_property
    def degrees(self) -> np.ndarray:
        """Number of hyperedges that each node is in; 0 for isolated nodes."""
        return np.diff(self.incidence.indptr)

    def rows(self) -> list[np.ndarray]:
        """The row numbers of the nodes of each hyperedge, ascending."""
        columns = self.incidence.tocsc()
        return np.split(columns.indices, columns.indptr[1:-1]) if self.m else []

    def hyperedges(self) -> list[frozenset[Hashable]]:
        """The names of the nodes of each hyperedge."""
        return [frozenset(self.nodes[row] for row in edge.tolist()) for edge in self.rows()]

    def matrix(self, weights: np.ndarray | None = None) -> sparse.csr_array:
        """C_ij = Σ_{e ∋ i,j} w_e / (|e| − 1) for i ≠ j, and 0 on the diagonal.

        The sum of row i is Σ_{e ∋ i} w_e, the weighted degree. ``weights`` (≥ 0, an entry a
        hyperedge) takes the place of the hypergraph's own.
        """
        w = self.weights if weights is None else np.asarray(weights, dtype=np.float64)
        if w.shape != (self.m,):
            raise LovaszError(f"weights of shape {w.shape} for {self.m} hyperedges; give one each")
        return self.spread(w / (self.sizes - 1))

    def spread(self, values: np.ndarray) -> sparse.csr_array:
        """Σ_e z_e (1_e 1_eᵀ − diag 1_e): the values of all hyperedges that two nodes share."""
        _refuse_large(self.sizes)
        half = self.incidence * values  # a column a hyperedge
        whole = sparse.coo_array(half @ self.incidence.T)
        off = whole.row != whole.col
        rows, columns = whole.row[off], whole.col[off]
        return sparse.csr_array((whole.data[off], (rows, columns)), shape=whole.shape)

    def expansion(self, *, weighted: bool = False) -> Expansion:
        """The 2-section: the graph where each hyperedge is a clique, as the LCN paper has it.

        ``weighted`` gives the edges the weights of :meth:`matrix`. The graph remembers its
        hypergraph, so ``kernel(graph, "ls", weights="hyperedges")`` knows it.

        >>> Hypergraph.from_rows([[0, 1, 2], [2, 3]], n=5).expansion()
        Graph(n=5, m=4)
        """
        C = self.matrix()
        C.sort_indices()
        if not weighted:
            C.data = np.ones(C.nnz)
        return Expansion(_frozen(C), self.nodes, self.notes, self)

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return f"Hypergraph(n={self.n:,}, m={self.m:,}{', weighted' if self.weighted else ''})"


@dataclass(frozen=True, eq=False, repr=False)
class Expansion(Graph):
    """The 2-section of a hypergraph: a graph that remembers what it was made of."""

    hypergraph: Hypergraph | None = None


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
    _refuse_large(sizes)
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


def _refuse_large(sizes: np.ndarray) -> None:
    """Raise where the cliques of hyperedges of these sizes would not fit into memory."""
    needed, free = BYTES_PER_PAIR * int((sizes.astype(np.int64) ** 2).sum()), free_memory()
    if needed > free:
        raise LovaszError(
            f"the cliques of {sizes.size:,} hyperedges of up to {sizes.max():,} nodes would need "
            f"about {needed / 2**30:,.1f} GiB and {free / 2**30:,.1f} GiB are free; leave out "
            "the largest hyperedges"
        )


def _checked_weights(weights: Sequence[float] | np.ndarray | None, count: int) -> np.ndarray:
    if weights is None:
        return np.ones(count)
    try:
        w = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise LovaszError(f"the weights are no numbers ({problem}); give one each") from None
    if w.shape != (count,):
        raise LovaszError(f"weights of shape {w.shape} for {count} hyperedges; give one each")
    if (bad := np.flatnonzero(~(np.isfinite(w) & (w > 0)))).size:
        raise LovaszError(
            f"hyperedge {bad[0]} has weight {w[bad[0]]}; weights must be positive numbers, leave "
            "other hyperedges out"
        )
    return w


def _incidence(edges: Sequence[tuple[int, ...]], n: int) -> sparse.csr_array:
    sizes = [len(edge) for edge in edges]
    indptr = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)
    nodes = np.fromiter((row for edge in edges for row in edge), np.int64, int(indptr[-1]))
    by_edge = sparse.csr_array((np.ones(nodes.size), nodes, indptr), shape=(len(edges), n))
    incidence = sparse.csr_array(by_edge.T)
    incidence.sort_indices()
    return incidence


def _notes(sizes: np.ndarray, kept: int) -> tuple[str, ...]:
    """What :meth:`Hypergraph.from_rows` changed."""
    empty, single = int((sizes == 0).sum()), int((sizes == 1).sum())
    again = sizes.size - empty - single - kept
    dropped = [f"dropped {counted(empty, 'empty hyperedge')}"] * (empty > 0)
    if single:
        dropped.append(f"dropped {counted(single, 'hyperedge')} of one node")
    if again:
        dropped.append(f"merged {counted(again, 'duplicate hyperedge')}, weights added")
    return tuple(dropped)
