"""``as_graph``: whatever the caller holds, as a :class:`Graph`."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import chain
from os import PathLike
from typing import Any, Literal

import numpy as np
from scipy import sparse

from lovasz.errors import LovaszError
from lovasz.graphs.graph import Graph

Weights = Literal["keep", "drop"] | None


def as_graph(
    graph: Any,
    *,
    symmetrize: bool = False,
    weights: Weights = None,
    nodes: Sequence[Hashable] | None = None,
) -> Graph:
    """Return ``graph`` as a :class:`Graph`.

    Takes a :class:`Graph`, a file path (``-`` is standard input), a networkx or igraph graph,
    a scipy sparse matrix, a square NumPy array, a DataFrame (square, or columns of edges), a
    PyTorch Geometric ``Data``, a dict of neighbours, or edges as pairs.

    Directed input is an error unless ``symmetrize``; weighted input is an error unless
    ``weights`` says whether to ``"keep"`` or ``"drop"`` them. ``nodes`` names the nodes of
    an edge list, in order, isolated ones included.

    >>> as_graph([("ann", "bob"), ("bob", "cem")])
    Graph(n=3, m=2)
    >>> as_graph({"ann": ["bob"], "bob": [], "cem": []}).nodes
    ('ann', 'bob', 'cem')
    """
    if isinstance(graph, Graph):
        return _settle_graph(graph, weights)
    options: dict[str, Any] = {"symmetrize": symmetrize, "weights": weights}
    if isinstance(graph, str | PathLike):
        from lovasz.graphs.read import read_graph

        return read_graph(graph, **options)
    library = type(graph).__module__.partition(".")[0]
    if library == "networkx":
        return _from_networkx(graph, **options)
    if library == "igraph":
        return _from_igraph(graph, **options)
    if library == "torch_geometric" or hasattr(graph, "edge_index"):
        return _from_pyg(graph, **options)
    if sparse.issparse(graph):
        return from_matrix(graph, nodes=nodes, **options)
    if hasattr(graph, "columns") and hasattr(graph, "iloc"):
        return _from_dataframe(graph, **options)
    if isinstance(graph, Mapping):
        return _from_neighbours(graph, weights=weights)
    if isinstance(graph, np.ndarray) and graph.ndim == 2 and graph.shape[0] == graph.shape[1]:
        return from_matrix(graph, nodes=nodes, **options)
    if isinstance(graph, np.ndarray) and not (graph.ndim == 2 and graph.shape[1] in (2, 3)):
        raise LovaszError(
            f"an array of shape {graph.shape} is no graph; pass a square adjacency matrix "
            "or one row (source, target[, weight]) an edge"
        )
    if isinstance(graph, Iterable):
        return _from_pairs(graph, nodes=nodes, weights=weights)
    raise LovaszError(
        f"cannot read a graph from {type(graph).__name__}; pass a file path, a networkx graph, "
        "a scipy sparse matrix, a square array, or edges as pairs"
    )


def from_names(
    source: Sequence[Hashable],
    target: Sequence[Hashable],
    edge_weights: Sequence[float] | np.ndarray | None = None,
    *,
    nodes: Iterable[Hashable] = (),
    ordered: bool = False,
    weights: Weights = None,
    both_directions: bool = False,
) -> Graph:
    """Graph from edge ends given by name.

    ``nodes`` come first (isolated ones among them), the rest in order of appearance; names
    that are all integers are sorted unless ``ordered``, so that node i is row i.
    """
    positions: dict[Any, Any] = dict.fromkeys(
        chain(nodes, chain.from_iterable(zip(source, target, strict=True)))
    )
    if not ordered and all(type(name) is int for name in positions):
        positions = dict.fromkeys(sorted(positions))
    names: Sequence[Hashable] = tuple(positions)
    if names == tuple(range(len(names))):
        names = range(len(names))
    for row, name in enumerate(positions):
        positions[name] = row
    count = len(source)
    return Graph.from_edges(
        np.fromiter(map(positions.__getitem__, source), np.int64, count),
        np.fromiter(map(positions.__getitem__, target), np.int64, count),
        n=len(names),
        nodes=names,
        weights=settle_weights(edge_weights, weights),
        both_directions=both_directions,
    )


def from_matrix(
    matrix: Any,
    *,
    symmetrize: bool = False,
    weights: Weights = None,
    nodes: Sequence[Hashable] | None = None,
) -> Graph:
    """Graph from a square adjacency matrix, sparse or dense; non-zero entries are edges."""
    if matrix.shape[0] != matrix.shape[1]:
        raise LovaszError(f"an adjacency matrix must be square, this one is {matrix.shape}")
    if nodes is not None and len(nodes) != matrix.shape[0]:
        raise LovaszError(f"{len(nodes)} node names for a matrix of {matrix.shape[0]} rows")
    try:  # a copy: what follows works in place, and the matrix is the caller's
        entries = sparse.csr_array(matrix, dtype=np.float64, copy=True)
    except (TypeError, ValueError) as error:
        raise LovaszError(f"the adjacency matrix holds no numbers ({error})") from error
    entries.sum_duplicates()
    entries.eliminate_zeros()
    if not np.isfinite(entries.data).all():
        raise LovaszError("the adjacency matrix holds NaN or inf; replace them by 0 or a weight")
    if not symmetrize and (entries - entries.T).count_nonzero():
        raise LovaszError("the adjacency matrix is not symmetric: " + DIRECTED)
    edges = entries.tocoo()
    if symmetrize:  # one direction is enough; with both, the weights must agree
        return Graph.from_edges(
            edges.row, edges.col, n=matrix.shape[0], nodes=nodes, both_directions=True,
            weights=settle_weights(edges.data, weights),
        )  # fmt: skip
    once = edges.row <= edges.col
    return Graph.from_edges(
        edges.row[once],
        edges.col[once],
        n=matrix.shape[0],
        nodes=nodes,
        weights=settle_weights(edges.data[once], weights),
    )


DIRECTED = (
    "the graph is directed; pass symmetrize=True (--symmetrize on the command line) "
    "to ignore the directions"
)


def settle_weights(values: Any, weights: Weights) -> np.ndarray | None:
    """The weights to store: None for an unweighted graph, an error if nobody said what to do."""
    if weights not in (None, "keep", "drop"):
        raise LovaszError(f"weights={weights!r} is not known; use 'keep' or 'drop'")
    if values is None or weights == "drop":
        return None
    try:
        values = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise LovaszError(f"an edge weight is no number ({error}); pass numbers") from error
    other = values[values != 1]
    if not other.size:
        return None
    if weights is None:
        raise LovaszError(
            f"the edges carry weights (one is {other[0]:g}); pass weights='keep' to use them or "
            "weights='drop' to ignore them (--weights keep|drop on the command line)"
        )
    return values


def _settle_graph(graph: Graph, weights: Weights) -> Graph:
    if not graph.weighted or weights == "keep" or weights is None:
        return graph  # its weights were asked for when it was made
    source, target = graph.edges()
    return Graph.from_edges(source, target, n=graph.n, nodes=graph.nodes)


def _from_networkx(graph: Any, *, symmetrize: bool, weights: Weights) -> Graph:
    if graph.is_directed() and not symmetrize:
        raise LovaszError(DIRECTED)
    edges = list(graph.edges(data="weight", default=1))
    return from_names(
        [u for u, _, _ in edges],
        [v for _, v, _ in edges],
        [w for _, _, w in edges],
        nodes=graph.nodes,
        ordered=True,
        weights=weights,
        both_directions=graph.is_directed(),
    )


def _from_igraph(graph: Any, *, symmetrize: bool, weights: Weights) -> Graph:
    if graph.is_directed() and not symmetrize:
        raise LovaszError(DIRECTED)
    ends = np.asarray(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    return Graph.from_edges(
        ends[:, 0],
        ends[:, 1],
        n=graph.vcount(),
        nodes=tuple(graph.vs["name"]) if "name" in graph.vs.attributes() else None,
        weights=settle_weights(
            graph.es["weight"] if "weight" in graph.es.attributes() else None, weights
        ),
        both_directions=graph.is_directed(),
    )


def _from_pyg(data: Any, *, symmetrize: bool, weights: Weights) -> Graph:
    edge_index = getattr(data, "edge_index", None)
    if edge_index is None:
        raise LovaszError(f"{type(data).__name__} has no edge_index; pass a homogeneous Data")
    source, target = np.asarray(edge_index)
    n = int(data.num_nodes) if getattr(data, "num_nodes", None) is not None else None
    n = int(max(source.max(initial=-1), target.max(initial=-1)) + 1) if n is None else n
    values = getattr(data, "edge_weight", None)
    values = np.ones(source.size) if values is None else np.asarray(values, dtype=np.float64)
    ends = np.concatenate([source, target])
    if ends.size and not (ends.min() >= 0 and ends.max() < n):
        raise LovaszError(f"edge_index names nodes outside 0 to {n - 1}; correct num_nodes")
    # The pattern alone says whether both directions are there: 0 is a weight, not a gap.
    pattern = sparse.coo_array((np.ones(source.size), (source, target)), shape=(n, n)).tocsr()
    pattern.data[:] = 1
    if not symmetrize and (pattern - pattern.T).count_nonzero():
        raise LovaszError("edge_index lists some edges in one direction only: " + DIRECTED)
    return Graph.from_edges(
        source, target, n=n, weights=settle_weights(values, weights), both_directions=True
    )


def _from_dataframe(frame: Any, *, symmetrize: bool, weights: Weights) -> Graph:
    if frame.shape[0] == frame.shape[1] and list(frame.index) == list(frame.columns):
        return from_matrix(
            frame.to_numpy(), nodes=tuple(frame.index), symmetrize=symmetrize, weights=weights
        )
    if frame.shape[1] < 2:
        raise LovaszError("a DataFrame of edges needs two columns, source and target")
    named = {str(c).lower(): frame[c] for c in frame.columns}
    pairs = {"source": "target", "src": "dst", "from": "to"}
    first = next((c for c in pairs if c in named and pairs[c] in named), None)
    source = named[first] if first else frame.iloc[:, 0]
    target = named[pairs[first]] if first else frame.iloc[:, 1]
    if source.isna().any() or target.isna().any():
        raise LovaszError("the DataFrame of edges has missing node names; drop those rows first")
    return from_names(
        source.tolist(),
        target.tolist(),
        named["weight"].to_numpy() if "weight" in named else None,
        weights=weights,
    )


def _from_neighbours(graph: Mapping[Hashable, Any], *, weights: Weights) -> Graph:
    source: list[Hashable] = []
    target: list[Hashable] = []
    values: list[float] = []
    for u, around in graph.items():
        if isinstance(around, str) or not isinstance(around, Iterable):
            raise LovaszError(f"the neighbours of {u!r} are {around!r}; pass a list or a dict")
        for v in around:
            source.append(u)
            target.append(v)
            values.append(around[v] if isinstance(around, Mapping) else 1)
    return from_names(
        source, target, values, nodes=graph, ordered=True, weights=weights, both_directions=True
    )


def _from_pairs(
    edges: Iterable[Any], *, nodes: Sequence[Hashable] | None, weights: Weights
) -> Graph:
    source: list[Hashable] = []
    target: list[Hashable] = []
    values: list[float] = []
    for number, edge in enumerate(edges.tolist() if isinstance(edges, np.ndarray) else edges, 1):
        if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) not in (2, 3):
            raise LovaszError(f"edge {number} is {edge!r}; pass (source, target[, weight])")
        source.append(edge[0])
        target.append(edge[1])
        values.append(edge[2] if len(edge) == 3 else 1)
    if nodes is not None and (unknown := {*source, *target} - set(nodes)):
        raise LovaszError(
            f"edges name {len(unknown)} nodes that nodes= lacks: {min(map(str, unknown))}"
        )
    return from_names(
        source,
        target,
        values,
        nodes=() if nodes is None else nodes,
        ordered=nodes is not None,
        weights=weights,
    )
