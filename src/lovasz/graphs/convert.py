"""``as_graph``: convert whatever the caller holds to a :class:`Graph`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import chain
from os import PathLike
from typing import Any, Literal

import numpy as np
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.base.text import short_repr
from lovasz.graphs.counts import check_node_count
from lovasz.graphs.graph import Graph
from lovasz.graphs.hypergraph import Hypergraph
from lovasz.graphs.matrix_rows import ROWS_OF_A_MATRIX, is_small_matrix
from lovasz.graphs.symmetric_graph import SymmetricGraph

Weights = Literal["keep", "drop"] | None
"""What to do with edge weights; None makes weights other than 1 an error."""

DIRECTED = (
    "the graph is directed; pass symmetrize=True (--symmetrize on the command line) "
    "to ignore the directions"
)
"""The error message about directed input."""


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
    PyTorch Geometric ``Data``, a dict of neighbours, edges as pairs, a :class:`Hypergraph`
    (or XGI's), whose hyperedges become cliques, or a symmetric graph of
    :mod:`lovasz.graphs.families`, whose edges are written down. A DataFrame is an adjacency
    matrix if it is square, its index equals its columns and all its values are numbers.
    Otherwise its columns are found by their names (``source``, ``target``, ``weight``), as in a
    CSV file. A NumPy array is an adjacency matrix if it is square, and edges otherwise, one row
    each.

    Directed input is an error unless ``symmetrize``. Weighted input is an error unless
    ``weights`` says whether to ``"keep"`` or ``"drop"`` the weights. ``nodes`` names the nodes of
    a matrix or an edge list, in order, isolated ones included.

    >>> as_graph([("ann", "bob"), ("bob", "cem")])
    Graph(n=3, m=2)
    >>> as_graph({"ann": ["bob"], "bob": [], "cem": []}).nodes
    ('ann', 'bob', 'cem')
    """
    if isinstance(graph, np.ndarray):
        _check_array(graph, weights)
        if _may_be_two_edges(graph):
            return _from_two_rows(graph, symmetrize=symmetrize, weights=weights, nodes=nodes)
    if sparse.issparse(graph) or (isinstance(graph, np.ndarray) and is_square(graph)):
        return from_matrix(graph, symmetrize=symmetrize, weights=weights, nodes=nodes)
    convert = _converter(graph)
    if convert is None:
        return _from_pairs(graph, nodes=nodes, weights=weights)
    if nodes is not None:
        raise LovaszError(
            f"nodes= is for matrices and edge lists; {type(graph).__name__} has names of its own, "
            "leave it out"
        )
    return convert(graph, symmetrize=symmetrize, weights=weights)


def _converter(graph: Any) -> Callable[..., Graph] | None:
    """Return the function that converts ``graph``, or None if it must be edges as pairs."""
    if isinstance(graph, Graph):
        return _settle_graph
    if isinstance(graph, SymmetricGraph):
        return _from_symmetric
    if isinstance(graph, str | PathLike):
        from lovasz.graphs.read import read_graph

        return read_graph
    library = type(graph).__module__.partition(".")[0]
    if library == "xgi" or isinstance(graph, Hypergraph):
        return _from_hypergraph
    if library == "networkx" and hasattr(graph, "is_directed"):
        return _from_networkx
    if library == "igraph" and hasattr(graph, "get_edgelist"):
        return _from_igraph
    if library == "torch_geometric" or hasattr(graph, "edge_index"):
        return _from_pyg
    if hasattr(graph, "columns") and hasattr(graph, "iloc"):
        from lovasz.graphs.dataframes import from_dataframe

        return from_dataframe
    # G.edges of networkx is both a mapping and a set.
    if isinstance(graph, Mapping) and not isinstance(graph, AbstractSet):
        return _from_neighbours
    if isinstance(graph, Iterable):
        return None
    raise LovaszError(
        f"cannot read a graph from {type(graph).__name__}; pass a file path, a networkx graph, "
        "a scipy sparse matrix, a square array, or edges as pairs"
    )


def _from_symmetric(graph: SymmetricGraph, *, symmetrize: bool, weights: Weights) -> Graph:
    return graph.to_graph()


def is_square(table: Any) -> bool:
    """Whether a matrix or table has two dimensions of equal size."""
    return len(table.shape) == 2 and table.shape[0] == table.shape[1]


def _check_array(array: np.ndarray, weights: Weights) -> None:
    whole = array.dtype.kind in "iu"
    if not is_square(array) and not (array.ndim == 2 and array.shape[1] in (2, 3)):
        index = array.ndim == 2 and len(array) == 2 and whole
        raise LovaszError(
            f"an array of shape {array.shape} is not a graph; pass a square adjacency matrix "
            "or one row (source, target[, weight]) per edge"
            + (", which is edge_index.T for an edge_index" if index else "")
        )
    if array.shape == (2, 3) and whole and array.min() >= 0 and weights != "keep":
        raise LovaszError(
            "an array of 2 rows of 3 nodes may be an edge_index of three edges or two edges with "
            "weights; pass edge_index.T for the one, or array.tolist() for the other"
        )
    if array.dtype.kind == "c":
        raise LovaszError(f"the array holds {array.dtype} entries; pass real numbers")
    if np.ma.is_masked(array):
        raise LovaszError("the array has masked entries; fill them, for example by filled(0)")


def _may_be_two_edges(array: np.ndarray) -> bool:
    """Whether a square array may be two edges, and another graph as such than as a matrix."""
    if array.shape != (2, 2) or array.dtype.kind not in "iu":
        return False
    (a, b), (c, d) = array.tolist()
    return (a, d) != (0, 0) or b != c or b not in (0, 1)


def _from_two_rows(
    array: np.ndarray, *, symmetrize: bool, weights: Weights, nodes: Sequence[Hashable] | None
) -> Graph:
    """Build a graph from a 2 × 2 adjacency matrix; its note, or the error, says how it was read."""
    told = "read an array of 2 rows and 2 columns as an adjacency matrix"
    remedy = "pass array.tolist() if it is two edges"
    try:
        graph = from_matrix(array, symmetrize=symmetrize, weights=weights, nodes=nodes)
    except LovaszError as error:
        raise LovaszError(f"{told}, and {error}; {remedy}") from error
    return replace(graph, notes=(*graph.notes, f"{told}; {remedy}"))


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
    """Build a graph from the names of the two ends of each edge.

    ``nodes`` come first, isolated ones included, and the other names follow in the order of
    appearance. Unless ``ordered``, names that are all integers are sorted, so that node i is
    row i if the names are 0..n-1.
    """
    try:
        positions: dict[Any, Any] = dict.fromkeys(
            chain(nodes, chain.from_iterable(zip(source, target, strict=True)))
        )
    except TypeError as error:
        raise LovaszError(f"a node is no name ({error}); use text, numbers or tuples") from error
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
    """Build a graph from a square adjacency matrix whose non-zero entries are the edges."""
    if not is_square(matrix):
        raise LovaszError(f"an adjacency matrix must be square, but this one is {matrix.shape}")
    if nodes is not None and len(nodes) != matrix.shape[0]:
        raise LovaszError(f"{len(nodes)} node names for a matrix of {matrix.shape[0]} rows")
    if matrix.dtype.kind not in "biufO":
        raise LovaszError(
            f"the adjacency matrix holds {matrix.dtype} entries, not real numbers; "
            "pass edges between named nodes as a list of pairs"
        )
    check_node_count(matrix.shape[0])
    try:  # a copy, because what follows changes it in place
        if sparse.issparse(matrix) and matrix.format in ("csr", "csc", "bsr"):
            matrix.check_format(full_check=True)  # compiled code trusts the indices
        entries = sparse.csr_array(matrix, dtype=np.float64, copy=True)
    except (TypeError, ValueError) as error:
        raise LovaszError(
            f"the adjacency matrix is damaged or holds no numbers ({error})"
        ) from error
    entries.sum_duplicates()
    entries.eliminate_zeros()
    if not np.isfinite(entries.data).all():
        raise LovaszError("the adjacency matrix holds NaN or inf; replace them by 0 or a weight")
    if not symmetrize and (entries - entries.T).count_nonzero():
        raise LovaszError("the adjacency matrix is not symmetric: " + DIRECTED)
    edges = entries.tocoo()
    if symmetrize:  # an edge may be listed in either direction, or in both with equal weights
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


def settle_weights(values: Any, weights: Weights) -> np.ndarray | None:
    """Return the weights to store, or None if the graph is to be unweighted.

    Weights other than 1 are an error unless ``weights`` says what to do with them.
    """
    if weights not in (None, "keep", "drop"):
        raise LovaszError(f"weights={weights!r} is not known; use 'keep' or 'drop'")
    if values is None or weights == "drop":
        return None
    try:
        given = np.asarray(values)
        if given.dtype.kind == "c":  # the cast below would drop the imaginary part
            raise TypeError(f"one is {given.flat[0]}")
        numbers: np.ndarray = given.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise LovaszError(f"an edge weight is not a number ({error}); pass real numbers") from error
    other = numbers[numbers != 1]
    if not other.size:
        return None
    if weights is None:
        raise LovaszError(
            f"the edges carry weights (one is {other[0]:g}); pass lovasz.as_graph(graph, "
            "weights='keep') to use them, or weights='drop' there to ignore them (--weights "
            "keep|drop on the command line)"
        )
    return numbers


def _settle_graph(graph: Graph, *, symmetrize: bool, weights: Weights) -> Graph:
    if not graph.weighted or weights == "keep" or weights is None:
        return graph  # whoever made it has already chosen to keep its weights
    source, target = graph.edges()
    return Graph.from_edges(source, target, n=graph.n, nodes=graph.nodes)


def _from_hypergraph(hypergraph: Any, *, symmetrize: bool, weights: Weights) -> Graph:
    from lovasz.graphs.hyperconvert import as_hypergraph

    # Weights of hyperedges are not edge weights; kernel(..., weights="hyperedges") uses them.
    return as_hypergraph(hypergraph).expansion()


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
    check_node_count(n)
    ends = np.concatenate([source, target])
    if ends.size and not (ends.min() >= 0 and ends.max() < n):
        raise LovaszError(f"edge_index names nodes outside 0 to {n - 1}; correct num_nodes")
    # Only the pattern tells whether both directions are listed, because an edge may have weight 0.
    pattern = sparse.coo_array((np.ones(source.size), (source, target)), shape=(n, n)).tocsr()
    pattern.data[:] = 1
    if not symmetrize and (pattern - pattern.T).count_nonzero():
        raise LovaszError("edge_index lists some edges in one direction only: " + DIRECTED)
    return Graph.from_edges(
        source, target, n=n, weights=settle_weights(values, weights), both_directions=True
    )


def _from_neighbours(graph: Mapping[Hashable, Any], *, symmetrize: bool, weights: Weights) -> Graph:
    source: list[Hashable] = []
    target: list[Hashable] = []
    values: list[float] = []
    for u, around in graph.items():
        if isinstance(around, str) or not isinstance(around, Iterable):
            raise LovaszError(
                f"the neighbours of {short_repr(u)} are {short_repr(around)}; pass a list or a dict"
            )
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
    # tolist() turns NumPy scalars into Python objects, for one array or for an array per edge.
    for number, given in enumerate(edges.tolist() if isinstance(edges, np.ndarray) else edges, 1):
        one_row = isinstance(given, np.ndarray) and given.ndim == 1
        edge = given.tolist() if one_row else given
        if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) not in (2, 3):
            shown = short_repr(edge)
            matrix = isinstance(edge, list) and len(edge) > 3
            raise LovaszError(
                f"edge {number} is {shown}; pass (source, target[, weight])"
                + (f"; {ROWS_OF_A_MATRIX}" if matrix else "")
            )
        source.append(edge[0])
        target.append(edge[1])
        values.append(edge[2] if len(edge) == 3 else 1)
    if is_small_matrix(source, target, values):
        raise LovaszError(f"edge 3 is {short_repr(edge)}; {ROWS_OF_A_MATRIX}")
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
