"""The hypergraph type, its 2-section, and the random hypergraphs of the LCN paper.

The orthonormal representations and the ϑ of a hypergraph are in :mod:`lovasz.hypergraphs`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from lovasz.base.checks import Seed, check_whole, random_generator
from lovasz.base.errors import LovaszError
from lovasz.base.memory import refuse_if_too_large
from lovasz.base.text import pluralize
from lovasz.graphs.graph import Graph, freeze

BYTES_PER_PAIR = 56
"""Measured peak memory per pair of nodes in a hyperedge while a 2-section is made."""


@dataclass(frozen=True, eq=False)
class Hypergraph:
    """A weighted hypergraph: every hyperedge is a set of two or more nodes.

    Build one with :func:`lovasz.as_hypergraph` or :meth:`from_rows`. No two hyperedges have the
    same nodes, and the weights are positive.

    >>> Hypergraph.from_rows([[0, 1, 2], [2, 3], [3, 2]], n=5)
    Hypergraph(n=5, m=2, weighted)
    """

    incidence: sparse.csr_array
    """Shape (n, m); 1 where a node is in a hyperedge. Read-only."""
    weights: np.ndarray
    """Shape (m,); the positive weight of each hyperedge. Read-only."""
    nodes: Sequence[Hashable]
    """Node names; ``nodes[i]`` is the name of row ``i``. A ``range`` if there are no names."""
    names: Sequence[Hashable]
    """Names of the hyperedges (columns). A ``range`` if there are no names."""
    notes: tuple[str, ...] = ()
    """What was changed in the input, such as "dropped 2 hyperedges of one node"."""

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
        """Build a hypergraph on the rows ``0..n-1``.

        Hyperedges of fewer than two nodes are dropped. Hyperedges with the same nodes are merged
        into one, with the sum of their weights and the name of the first.
        """
        edges = [np.unique(edge) for edge in hyperedges]
        _check_rows(edges, check_whole(n, "n"))
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
        object.__setattr__(self, "incidence", freeze(self.incidence.copy()))

    @property
    def n(self) -> int:
        """Number of nodes."""
        return int(self.incidence.shape[0])

    @property
    def m(self) -> int:
        """Number of hyperedges."""
        return int(self.incidence.shape[1])

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
        """Return the ascending row numbers of the nodes of each hyperedge."""
        columns = self.incidence.tocsc()
        return np.split(columns.indices, columns.indptr[1:-1]) if self.m else []

    def hyperedges(self) -> list[frozenset[Hashable]]:
        """Return the names of the nodes of each hyperedge."""
        return [frozenset(self.nodes[row] for row in edge.tolist()) for edge in self.rows()]

    def matrix(self, weights: np.ndarray | None = None) -> sparse.csr_array:
        """Return C with C_ij = Σ_{e ∋ i,j} w_e / (|e| − 1) for i ≠ j and C_ii = 0.

        The sum of row i is the weighted degree Σ_{e ∋ i} w_e. ``weights`` (≥ 0, one entry per
        hyperedge) replaces the weights of the hypergraph.
        """
        w = self.weights if weights is None else np.asarray(weights, dtype=np.float64)
        if w.shape != (self.m,):
            raise LovaszError(f"weights of shape {w.shape} for {self.m} hyperedges; give one each")
        return self.spread(w / (self.sizes - 1))

    def spread(self, values: np.ndarray) -> sparse.csr_array:
        """Return Σ_e z_e (1_e 1_eᵀ − diag 1_e), which sums the values z of shared hyperedges."""
        _refuse_large(self.sizes)
        half = self.incidence * values
        whole = sparse.coo_array(half @ self.incidence.T)
        off = whole.row != whole.col
        rows, columns = whole.row[off], whole.col[off]
        return sparse.csr_array((whole.data[off], (rows, columns)), shape=whole.shape)

    def expansion(self, *, weighted: bool = False) -> Expansion:
        """Return the 2-section (clique expansion): i ~ j if some hyperedge contains both.

        This is the graph that the LCN paper makes of a hypergraph. With H the incidence matrix,
        its edges are the non-zeros of H Hᵀ off the diagonal. If ``weighted``, the edges have the
        weights of :meth:`matrix`. The graph refers to its hypergraph, which
        ``kernel(graph, "ls", weights="hyperedges")`` uses.

        >>> Hypergraph.from_rows([[0, 1, 2], [2, 3]], n=5).expansion()
        Graph(n=5, m=4)
        """
        C = self.matrix()
        C.sort_indices()
        if not weighted:
            C.data = np.ones(C.nnz)
        return Expansion(freeze(C), self.nodes, self.notes, self)

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return f"Hypergraph(n={self.n:,}, m={self.m:,}{', weighted' if self.weighted else ''})"


@dataclass(frozen=True, eq=False, repr=False)
class Expansion(Graph):
    """The 2-section of a hypergraph, a graph that refers to the hypergraph it was made of."""

    hypergraph: Hypergraph | None = None
    """The hypergraph that this graph is the 2-section of, if it is known."""


class LabelledHypergraph(NamedTuple):
    """A random hypergraph and the classes of its nodes."""

    hyperedges: tuple[np.ndarray, ...]
    """Rows of the nodes of each hyperedge."""
    y: np.ndarray
    """Code of the class of each node."""


def hypergraph(
    n: int = 100, size: int = 35, homogeneous: int = 20, heterogeneous: int = 10, *, seed: Seed
) -> LabelledHypergraph:
    """Draw hyperedges whose nodes have one class, or two (LCN paper, section 6).

    Half of the ``n`` nodes, drawn at random, have class 1. Each of the ``homogeneous``
    hyperedges, which come first, has ``size`` nodes of one random class. Each of the
    ``heterogeneous`` hyperedges has ``size`` nodes of both classes in the ratio 2:3, where the
    class of the smaller part is random.

    >>> hyperedges, y = hypergraph(heterogeneous=5, seed=0)
    >>> len(hyperedges), hyperedges[0].size, int(y.sum())
    (25, 35, 50)
    >>> sorted(np.bincount(y[hyperedges[-1]]).tolist())
    [14, 21]
    """
    n, size = check_whole(n, "n", least=1), check_whole(size, "size", least=1)
    check_whole(homogeneous, "homogeneous"), check_whole(heterogeneous, "heterogeneous")
    if n // 2 < size:
        raise LovaszError(
            f"size={size} with n={n}: a class of {n // 2} nodes has no hyperedge that large; "
            f"pass a size of at most {n // 2}"
        )
    rng = random_generator(seed)
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


def _check_rows(edges: Sequence[np.ndarray], n: int) -> None:
    """Raise if a hyperedge contains anything but row numbers from 0 to n - 1."""
    for number, edge in enumerate(edges):
        whole = edge.dtype.kind in "iu"
        wrong = edge[(edge < 0) | (edge >= n)] if whole else edge
        if wrong.size:
            raise LovaszError(
                f"hyperedge {number} has the node {wrong[0]!s}; with n={n} nodes are whole "
                f"numbers from 0 to {n - 1}"
            )


def _refuse_large(sizes: np.ndarray) -> None:
    """Raise if the cliques of hyperedges of these sizes would not fit into memory."""
    pairs = int((sizes.astype(np.int64) ** 2).sum())
    most = int(sizes.max(initial=0))
    refuse_if_too_large(
        f"the cliques of {pluralize(sizes.size, 'hyperedge')} of up to {most:,} nodes",
        pairs,
        "leave out the largest hyperedges",
        bytes_per_entry=BYTES_PER_PAIR,
    )


def _checked_weights(weights: Sequence[float] | np.ndarray | None, count: int) -> np.ndarray:
    if weights is None:
        return np.ones(count)
    try:
        w = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise LovaszError(f"the weights are not numbers ({problem}); give one each") from None
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
    """Return notes on what :meth:`Hypergraph.from_rows` changed."""
    empty, single = int((sizes == 0).sum()), int((sizes == 1).sum())
    again = sizes.size - empty - single - kept
    dropped = [f"dropped {pluralize(empty, 'empty hyperedge')}"] * (empty > 0)
    if single:
        dropped.append(f"dropped {pluralize(single, 'hyperedge')} of one node")
    if again:
        dropped.append(f"merged {pluralize(again, 'duplicate hyperedge')}, weights added")
    return tuple(dropped)
