"""as_graph: the same graph from every kind of input, and one error a kind of misuse."""

import re

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from scipy import sparse
from torch_geometric.data import Data, HeteroData

from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph, as_graph

# A path 0-1-2, and 3 alone.
PATH = np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
BOTH = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


def igraph_path():
    return igraph.Graph(n=4, edges=[(0, 1), (1, 2)])


def networkx_path():
    graph = nx.path_graph(3)
    graph.add_node(3)
    return graph


@pytest.mark.parametrize(
    "given",
    [
        Graph.from_edges([0, 1], [1, 2], n=4),
        PATH,
        PATH.astype(float),
        sparse.csr_array(PATH),
        sparse.coo_matrix(PATH),
        sparse.csr_matrix(PATH.astype(float)),
        Graph.from_edges([0, 1], [1, 2], n=4).adjacency,
        pd.DataFrame(PATH),
        networkx_path(),
        igraph_path(),
        Data(edge_index=BOTH, num_nodes=4),
        {0: [1], 1: [2], 2: [], 3: []},
        {0: {1: 1}, 1: {0: 1, 2: 1}, 2: {1: 1}, 3: {}},
    ],
    ids=lambda given: type(given).__module__ + "." + type(given).__name__,
)
def test_every_kind_gives_the_same_graph(given):
    graph = as_graph(given)
    np.testing.assert_array_equal(graph.adjacency.toarray(), PATH)
    assert list(graph.nodes) == [0, 1, 2, 3]
    assert graph.notes == ()


@pytest.mark.parametrize(
    "given",
    [
        [("a", "b"), ("b", "c")],
        (edge for edge in [["a", "b"], ["b", "c"]]),
        np.array([["a", "b"], ["b", "c"], ["c", "b"]]),
        pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"]}),
        pd.DataFrame({"weight": [1, 1], "dst": ["b", "c"], "src": ["a", "b"]}),
        pd.DataFrame({"one": ["a", "b"], "other": ["b", "c"]}),
        pd.DataFrame({"other": [1, 1], "weight": [1, 1], "to": ["b", "c"], "FROM": ["a", "b"]}),
        pd.DataFrame({"w": [1, 1], "one": ["a", "b"], "other": ["b", "c"]}),
        pd.DataFrame({"v": ["a", "b"], "w": ["b", "c"]}),
        pd.DataFrame([["a", "b"], ["b", "c"]]),
        pd.DataFrame([["a", "b", 1], ["b", "c", 1], ["c", "b", 1]]),
        [np.array(["a", "b"]), np.array(["b", "c"])],
        nx.path_graph(["a", "b", "c"]),
        igraph.Graph.TupleList([("a", "b"), ("b", "c")]),
        {"a": ["b"], "b": ["c"]},
    ],
)
def test_names_survive(given):
    graph = as_graph(given)
    assert list(graph.nodes) == ["a", "b", "c"]
    assert graph.m == 2


def test_nodes_name_isolated_nodes_and_fix_the_order():
    graph = as_graph([("b", "a")], nodes=np.array(["c", "b", "a"]))
    assert list(graph.nodes) == ["c", "b", "a"]
    assert graph.degrees.tolist() == [0, 1, 1]
    assert list(as_graph(PATH, nodes=list("wxyz")).nodes) == list("wxyz")
    assert list(as_graph([(5, 3), (3, 9)]).nodes) == [3, 5, 9]


def test_a_matrix_of_the_caller_is_left_alone():
    matrix = sparse.csr_array(
        (np.array([1.0, 0, 1]), np.array([1, 2, 0]), np.array([0, 2, 3, 3])), shape=(3, 3)
    )
    assert as_graph(matrix).m == 1
    assert matrix.data.tolist() == [1, 0, 1]
    assert matrix.indptr.tolist() == [0, 2, 3, 3]


DIRECTED = [
    nx.DiGraph([(0, 1), (1, 2), (2, 1)]),
    igraph.Graph(edges=[(0, 1), (1, 2)], directed=True),
    np.triu(PATH),
    sparse.csr_array(np.triu(PATH)),
    Data(edge_index=BOTH[:, :3], num_nodes=4),
    pd.DataFrame({"source": [0, 1], "target": [1, 2], "Type": ["Directed", "Undirected"]}),
]


@pytest.mark.parametrize("given", DIRECTED, ids=lambda given: type(given).__name__)
def test_directed_input_needs_symmetrize(given):
    with pytest.raises(LovaszError, match="symmetrize=True"):
        as_graph(given)
    graph = as_graph(given, symmetrize=True)
    assert [set(edge) for edge in zip(*graph.edges(), strict=True)] == [{0, 1}, {1, 2}]


WEIGHTED = [
    nx.Graph([(0, 1, {"weight": 2}), (1, 2, {"weight": 0.5})]),
    igraph.Graph.TupleList([(0, 1, 2), (1, 2, 0.5)], weights=True),
    np.array([[0, 2, 0], [2, 0, 0.5], [0, 0.5, 0]]),
    [(0, 1, 2), (1, 2, 0.5)],
    {0: {1: 2}, 1: {2: 0.5}, 2: {}},
    pd.DataFrame({"source": [0, 1], "target": [1, 2], "weight": [2, 0.5]}),
    pd.DataFrame({"source": [0, 1], "target": [1, 2], "w": [2, 0.5]}),
    pd.DataFrame({"Weights": [2, 0.5], "u": [0, 1], "v": [1, 2]}),
    pd.DataFrame([[0, 1, 2], [1, 2, 0.5]]),
    [np.array([0, 1, 2]), np.array([1, 2, 0.5])],
    Data(edge_index=BOTH, edge_weight=torch.tensor([2, 2, 0.5, 0.5]), num_nodes=3),
]


@pytest.mark.parametrize("given", WEIGHTED, ids=lambda given: type(given).__name__)
def test_weighted_input_needs_a_word(given):
    with pytest.raises(
        LovaszError, match=r"one is 2\); pass lovasz.as_graph\(graph, weights='keep'\)"
    ):
        as_graph(given)
    kept = as_graph(given, weights="keep")
    assert (kept.adjacency[0, 1], kept.adjacency[2, 1]) == (2, 0.5)
    dropped = as_graph(given, weights="drop")
    assert (dropped.m, dropped.weighted) == (2, False)
    assert not as_graph(kept, weights="drop").weighted
    assert as_graph(kept) is kept


def test_a_square_frame_of_numbers_is_a_matrix():
    assert as_graph(pd.DataFrame([[0, 1], [1, 0]])).m == 1
    assert as_graph(pd.DataFrame([[0, 1], [1, 0]], dtype=object)).n == 2
    assert as_graph(pd.DataFrame([[False, True], [True, False]])).n == 2
    named = pd.DataFrame([[0, 1], [1, 0]], index=["x", "y"], columns=["x", "y"])
    assert as_graph(named).nodes == ("x", "y")
    assert as_graph(named.reset_index(drop=True)).notes == ("dropped 1 duplicate edge",)


def test_columns_of_a_frame_that_nobody_reads_are_noted():
    frame = pd.DataFrame({"source": ["a"], "target": ["b"], "year": [1999]})
    assert as_graph(frame).notes == ("ignored the column 'year'",)


def test_pairs_may_be_arrays():
    graph = as_graph([np.array([2, 1]), np.array([1, 0])])
    assert graph.nodes == range(3)
    assert as_graph([np.array([0, 1])], nodes=[1, 0, 2]).nodes == (1, 0, 2)


OWN_NAMES = [
    Graph.from_edges([0], [1]),
    "graph.csv",
    networkx_path(),
    igraph_path(),
    Data(edge_index=BOTH, num_nodes=4),
    {0: [1]},
    pd.DataFrame(PATH),
    pd.DataFrame({"source": ["a"], "target": ["b"]}),
]


@pytest.mark.parametrize("given", OWN_NAMES, ids=lambda given: type(given).__name__)
def test_nodes_belong_to_matrices_and_edge_lists(given):
    with pytest.raises(LovaszError, match=r"nodes= is for matrices and edge lists"):
        as_graph(given, nodes=["a", "b", "c", "d"])


COMPLEX = np.array([[0, 1 + 2j], [1 + 2j, 0]])


@pytest.mark.parametrize(
    "given",
    [
        COMPLEX,
        sparse.csr_array(COMPLEX),
        pd.DataFrame(COMPLEX),
        np.ones((4, 2), dtype=complex),
        [(0, 1, 2j)],
        [(0, 1, np.complex128(2j))],
        pd.DataFrame({"source": [0], "target": [1], "weight": [2j]}),
        Data(edge_index=BOTH, edge_weight=torch.ones(4) * 2j, num_nodes=3),
    ],
    ids=lambda given: type(given).__name__,
)
@pytest.mark.filterwarnings("error")
def test_complex_numbers_are_refused(given):
    with pytest.raises(LovaszError, match="real numbers"):
        as_graph(given, weights="keep", symmetrize=True)


def damaged(name, place, value):
    """A path whose sparse matrix has one wrong index, which compiled code would follow."""
    matrix = sparse.csr_array(np.array([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    getattr(matrix, name)[place] = value
    return matrix


def test_loops_and_repeats_are_dropped_with_a_note():
    assert as_graph([(0, 1), (1, 0), (1, 1)]).notes == (
        "dropped 1 self-loop", "dropped 1 duplicate edge",
    )  # fmt: skip
    assert as_graph(nx.MultiGraph([(0, 1), (0, 1)])).notes == ("dropped 1 duplicate edge",)
    assert as_graph(np.ones((2, 2))).notes == ("dropped 2 self-loops",)


def test_two_edges_in_a_square_array_are_a_matrix_with_a_note():
    edges = np.array([[0, 1], [1, 2]])
    told = "read an array of 2 rows and 2 columns as an adjacency matrix"
    remedy = "pass array.tolist() if it is two edges"
    assert as_graph(edges, weights="drop").notes == ("dropped 1 self-loop", f"{told}; {remedy}")
    assert as_graph(edges.tolist()).m == 2
    for other in (edges, np.array([[0, 1], [2, 3]])):
        with pytest.raises(LovaszError, match=f"^{told}, and .*{re.escape(remedy)}$"):
            as_graph(other)
    for plain in ([[0, 1], [1, 0]], [[0, 0], [0, 0]]):
        assert as_graph(np.array(plain)).notes == ()
    assert as_graph(np.array([[0, 2.5], [2.5, 0]]), weights="keep").notes == ()


def test_an_edge_index_is_no_list_of_two_weighted_edges():
    index = np.array([[0, 1, 2], [1, 2, 3]])
    for weights in (None, "drop"):
        with pytest.raises(LovaszError, match=r"pass edge_index.T .*, or array.tolist\(\) for"):
            as_graph(index, weights=weights)
    with pytest.raises(LovaszError, match=r"which is edge_index.T for an edge_index$"):
        as_graph(np.array([[0, 1, 2, 3], [1, 2, 3, 0]]))
    assert as_graph(index.T).m == 3
    assert as_graph(index, weights="keep").m == as_graph(index * 1.0, weights="drop").m == 2
    assert as_graph(index.tolist(), weights="drop").m == 2


@pytest.mark.parametrize(
    ("given", "options", "words"),
    [
        (5, {}, "cannot read a graph from int"),
        (np.zeros((2, 4)), {}, r"shape \(2, 4\)"),
        (np.zeros(3), {}, "shape"),
        (sparse.csr_array((2, 3)), {}, "square"),
        (np.array([[0, np.nan], [np.nan, 0]]), {}, "NaN"),
        (np.array([["x", "y"], ["y", "x"]]), {}, "not real numbers"),
        (PATH, {"nodes": ["a"]}, "1 node names"),
        ([(0, 1, 2, 3)], {}, "edge 1"),
        (np.ones((5, 5)).tolist(), {}, r"edge 1 is .*; pass numpy.array\(...\) if it is an adj"),
        ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], {}, "a list is read as edges.*numpy.array"),
        ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], {"weights": "drop"}, "a list is read as edges"),
        (["ab"], {}, "edge 1 is 'ab'"),
        ([np.zeros((2, 2))], {}, "edge 1"),
        ([np.array(3)], {}, r"edge 1 is array\(3\)"),
        ([(0, 1, 10**400)], {"weights": "keep"}, "not a number"),
        (pd.DataFrame([["a", "b", 1, 2]]), {}, "4 columns without names"),
        ([("a", "b", "heavy")], {}, "not a number"),
        ([("a", "b")], {"nodes": ["a"]}, "lacks: b"),
        ([("a", "b", 2)], {"weights": "maybe"}, "'maybe'"),
        ({"a": "bc"}, {}, "neighbours of 'a'"),
        ({"a": {"b": {"weight": 1}}}, {}, "not a number"),
        (pd.DataFrame({"a": [1]}), {}, "two columns"),
        (pd.DataFrame({"source": ["a", None], "target": ["b", "c"]}), {}, "missing"),
        (sparse.coo_array(np.array([0, 1])), {}, "square"),
        (damaged("indices", 0, 99), {"symmetrize": True}, "damaged"),
        (damaged("indptr", 1, 9), {}, "damaged"),
        (np.ma.masked_equal(np.array([[0, 1], [1, 0]]), 1), {}, "masked"),
        ([([1], [2])], {}, "a node is no name"),
        (pd.DataFrame(np.eye(5), columns=list("abcde")), {}, "looks like an adjacency matrix"),
        (pd.DataFrame([[1, 2, 3]], columns=["source", "target", "target"]), {}, "several columns"),
        (Data(x=torch.ones(2, 1)), {}, "edge_index"),
        (HeteroData(), {}, "edge_index"),
        (Data(edge_index=BOTH, num_nodes=2), {}, "num_nodes"),
    ],
)
def test_misuse_is_one_line(given, options, words):
    with pytest.raises(LovaszError, match=words) as error:
        as_graph(given, **options)
    assert "\n" not in str(error.value)


def test_the_edges_of_a_networkx_graph_are_pairs():
    graph = nx.Graph([("a", "b"), ("b", "c")], weight=1)
    for edges in (graph.edges, graph.edges(), graph.edges("b")):
        assert set(as_graph(edges).nodes) == set("abc")  # such a view is also a mapping
