"""``as_hypergraph``: convert whatever the caller holds to a :class:`Hypergraph`."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import chain
from os import PathLike
from typing import Any

import numpy as np
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.base.text import short_repr
from lovasz.graphs.graph import Graph
from lovasz.graphs.hypergraph import Expansion, Hypergraph

HyperedgeWeights = Sequence[float] | np.ndarray | Mapping[Any, float] | None
"""One positive number per hyperedge, or a dict from the names of the hyperedges; None for ones."""


def as_hypergraph(
    source: Any, *, nodes: Sequence[Hashable] | None = None, weights: HyperedgeWeights = None
) -> Hypergraph:
    """Return ``source`` as a :class:`Hypergraph`.

    Takes a :class:`Hypergraph`, node sets (a list of lists), a dict {hyperedge: nodes}, an
    incidence matrix (SciPy sparse or a NumPy array of zeros and ones, with one row per node and
    one column per hyperedge), an XGI hypergraph, a file path (see :func:`read_hypergraph`), or a
    :class:`lovasz.Graph`, whose edges become hyperedges of two nodes. A graph made by
    :meth:`Hypergraph.expansion` gives back its hypergraph.

    ``nodes`` names the nodes in order, isolated ones included. Without it, the nodes of node sets
    come in the order of appearance, or sorted if all are integers. ``weights`` has one positive
    number per hyperedge, or is a dict {hyperedge: weight}.

    >>> as_hypergraph([["ann", "bob", "cem"], ["cem", "dee"]])
    Hypergraph(n=4, m=2)
    >>> as_hypergraph(np.array([[1, 0], [1, 1], [0, 1]]), nodes="abc").hyperedges()[0] == {"a", "b"}
    True
    """
    if sparse.issparse(source) or isinstance(source, np.ndarray):
        return _from_incidence(source, nodes, weights)
    library = type(source).__module__.partition(".")[0]
    if isinstance(source, Mapping):
        return from_sets(list(source.values()), list(source), nodes=nodes, weights=weights)
    ready = isinstance(source, Hypergraph | Graph | str | PathLike) or library == "xgi"
    if not ready:
        if not isinstance(source, Iterable):
            raise LovaszError(
                f"cannot read a hypergraph from {type(source).__name__}; pass a list of node "
                "sets, a dict, an incidence matrix, an XGI hypergraph or a file path"
            )
        return from_sets(list(source), None, nodes=nodes, weights=weights)
    if nodes is not None or weights is not None:
        raise LovaszError(
            f"nodes= and weights= are for node sets and matrices; {type(source).__name__} has "
            "its own, leave them out"
        )
    if isinstance(source, Hypergraph):
        return source
    if isinstance(source, Graph):
        return _from_graph(source)
    if library == "xgi":
        return _from_xgi(source)
    from lovasz.graphs.formats.hyperedges import read_hypergraph

    return read_hypergraph(source)


def from_sets(
    edges: Sequence[Any],
    names: Sequence[Hashable] | None = None,
    *,
    nodes: Sequence[Hashable] | None = None,
    weights: HyperedgeWeights = None,
) -> Hypergraph:
    """Build a hypergraph from sets of node names, which must be in ``nodes`` if that is given."""
    sets = [_members(number, edge) for number, edge in enumerate(edges)]
    try:
        positions = dict.fromkeys(chain.from_iterable(sets) if nodes is None else nodes)
    except TypeError as problem:
        raise LovaszError(f"a node name is unusable ({problem}); use strings or numbers") from None
    if nodes is None and all(type(name) is int for name in positions):
        positions = dict.fromkeys(sorted(positions))  # type: ignore[type-var]
    order: Sequence[Hashable] = tuple(positions) if nodes is None else nodes
    rows = {name: row for row, name in enumerate(order)}
    if isinstance(weights, Mapping):
        weights = _weights_by_name(weights, range(len(sets)) if names is None else names)
    return Hypergraph.from_rows(
        [[_row(rows, name, number) for name in edge] for number, edge in enumerate(sets)],
        n=len(order),
        weights=weights,
        nodes=None if order == tuple(range(len(order))) else order,
        names=names,
    )


def _members(number: int, edge: Any) -> list[Hashable]:
    if isinstance(edge, np.ndarray):
        return edge.ravel().tolist()
    if isinstance(edge, str | bytes) or not isinstance(edge, Iterable):
        raise LovaszError(
            f"hyperedge {number} is {short_repr(edge)}; "
            "every hyperedge must be a list or set of nodes"
        )
    return [name.item() if isinstance(name, np.generic) else name for name in edge]


def _row(rows: Mapping[Any, int], name: Any, number: int) -> int:
    try:
        return rows[name]
    except KeyError:
        raise LovaszError(
            f"hyperedge {number} has the node {short_repr(name)}, which nodes= lacks; add it there"
        ) from None


def _weights_by_name(weights: Mapping[Any, float], names: Sequence[Hashable]) -> list[float]:
    if missing := [name for name in names if name not in weights]:
        raise LovaszError(f"hyperedge {missing[0]!r} has no weight; give one to each")
    if unknown := set(weights) - set(names):
        raise LovaszError(f"there is a weight for {unknown.pop()!r}, which is not a hyperedge")
    return [weights[name] for name in names]


def _from_incidence(
    matrix: Any, nodes: Sequence[Hashable] | None, weights: HyperedgeWeights
) -> Hypergraph:
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise LovaszError(
            f"an array of {matrix.dtype} and shape {matrix.shape} is not an incidence matrix; pass "
            "zeros and ones, one row per node and one column per hyperedge (or a list of node "
            "sets)"
        )
    entries = sparse.csc_array(matrix, copy=True)
    entries.sum_duplicates()
    entries.eliminate_zeros()
    if (other := entries.data[entries.data != 1]).size:
        raise LovaszError(
            f"the incidence matrix holds {other[0]}; its entries must be 0 or 1, and weights of "
            "hyperedges go into weights="
        )
    n, m = entries.shape
    if isinstance(weights, Mapping):
        weights = _weights_by_name(weights, range(m))
    return Hypergraph.from_rows(
        np.split(entries.indices, entries.indptr[1:-1]) if m else [],
        n=n,
        weights=weights,
        nodes=None if nodes is None else tuple(nodes),
    )


def _from_graph(graph: Graph) -> Hypergraph:
    if isinstance(graph, Expansion) and graph.hypergraph is not None:
        return graph.hypergraph
    ends = np.stack(graph.edges(), axis=1)
    weights = np.asarray(graph.adjacency[ends[:, 0], ends[:, 1]]).ravel()
    return Hypergraph.from_rows(
        ends, n=graph.n, weights=weights if graph.weighted else None, nodes=graph.nodes
    )


def _from_xgi(source: Any) -> Hypergraph:
    kind = type(source).__name__
    if kind == "DiHypergraph" or not hasattr(source, "edges"):
        raise LovaszError(f"an xgi {kind} is directed; pass an undirected xgi.Hypergraph")
    members = source.edges.members(dtype=dict)
    attributes = source.edges.attrs.asdict()
    weights = [attributes.get(name, {}).get("weight", 1.0) for name in members]
    return from_sets(
        list(members.values()), list(members), nodes=tuple(source.nodes), weights=weights
    )
