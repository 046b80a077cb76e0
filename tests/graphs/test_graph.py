"""Laws of Graph: simple, symmetric, immutable, whatever edges come in."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph

ENDS = st.integers(0, 8)
EDGES = st.lists(st.tuples(ENDS, ENDS), max_size=30)


def build(edges, **options):
    return Graph.from_edges([u for u, _ in edges], [v for _, v in edges], n=9, **options)


@given(EDGES)
def test_adjacency_is_that_of_the_simple_graph(edges):
    expected = np.zeros((9, 9))
    for u, v in edges:
        if u != v:
            expected[u, v] = expected[v, u] = 1
    graph = build(edges)
    np.testing.assert_array_equal(graph.adjacency.toarray(), expected)
    assert graph.n == len(graph) == 9
    assert graph.m == expected.sum() / 2
    np.testing.assert_array_equal(graph.degrees, expected.sum(axis=0))
    assert graph.adjacency.has_sorted_indices


@given(EDGES)
def test_notes_count_what_was_dropped(edges):
    loops = sum(u == v for u, v in edges)
    graph = build(edges)
    noted = " ".join(graph.notes)
    assert ("self-loop" in noted) == (loops > 0)
    assert ("duplicate" in noted) == (len(edges) - loops > graph.m)


@given(EDGES)
def test_edges_come_back_once_and_ordered(edges):
    source, target = build(edges).edges()
    assert (source < target).all()
    pairs = set(zip(source.tolist(), target.tolist(), strict=True))
    assert pairs == {(min(e), max(e)) for e in edges if e[0] != e[1]}
    assert len(pairs) == source.size


def test_listing_both_directions_is_not_worth_a_note():
    twice = [(0, 1), (1, 0), (1, 2), (2, 1)]
    assert build(twice, both_directions=True).notes == ()
    assert build(twice).notes == ("dropped 2 duplicate edges",)
    weights = [0, 0, 3, 3]
    assert build(twice, weights=weights, both_directions=True).notes == (
        "dropped 1 edge of weight 0",
    )


def test_weights_are_kept_on_both_sides():
    graph = build([(0, 1), (1, 2)], weights=[2.5, -1])
    assert graph.weighted
    assert graph.adjacency[0, 1] == graph.adjacency[1, 0] == 2.5
    assert graph.adjacency[2, 1] == -1
    assert not build([(0, 1)], weights=[1.0]).weighted


@pytest.mark.parametrize("array", ["data", "indices", "indptr"])
def test_arrays_cannot_be_changed(array):
    with pytest.raises(ValueError, match="read-only"):
        getattr(build([(0, 1)]).adjacency, array)[0] = 7


def test_a_matrix_of_the_caller_stays_writeable():
    matrix = sparse.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
    graph = Graph(matrix, range(2))
    matrix.data[:] = 7
    assert graph.adjacency.toarray().tolist() == [[0, 1], [1, 0]]
    assert not graph.weighted
    for array in (graph.adjacency.data, graph.adjacency.indices, graph.adjacency.indptr):
        assert not array.flags.writeable


def test_arrays_that_nobody_can_change_are_not_copied():
    graph = build([(0, 1), (1, 2)])
    assert replace(graph, notes=("x",)).adjacency is graph.adjacency
    assert Graph(graph.adjacency, range(9)).adjacency is graph.adjacency


def test_a_copy_keeps_the_kind_of_its_indices():
    matrix = build([(0, 1)]).adjacency.copy()
    matrix.indices, matrix.indptr = matrix.indices.astype("i8"), matrix.indptr.astype("i8")
    assert Graph(matrix, range(9)).adjacency.indices.dtype == np.int64


def test_more_nodes_than_fit_are_refused():
    with pytest.raises(LovaszError, match="a graph of 100,000,000,000 nodes"):
        Graph.from_edges([0], [1], n=10**11)


@pytest.mark.parametrize("row", [slice(0, 1), 1.0, "x", None, [0, 1], (0, 1), np.array([0, 1])])
def test_a_row_is_one_number(row):
    with pytest.raises(TypeError, match="number of one row"):
        build([(0, 1)])[row]
    assert build([(0, 1)])[np.int64(1)].row == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"source": [0], "target": [5], "n": 3}, "node 5"),
        ({"source": [0], "target": [-1], "n": 3}, "node -1"),
        ({"source": [0, 1], "target": [1]}, "the same length"),
        ({"source": [0], "target": [1], "weights": [1, 2]}, "the same length"),
        ({"source": [0], "target": [1], "weights": [float("nan")]}, "nan"),
        ({"source": [0, 1], "target": [1, 0], "weights": [1, 2]}, "different weights"),
        ({"source": [0], "target": [1], "nodes": ["a", "a"]}, "different names"),
        ({"source": [0], "target": [1], "n": 2, "nodes": ["a"]}, "different names"),
    ],
)
def test_impossible_edges_are_refused(options, words):
    with pytest.raises(LovaszError, match=words):
        Graph.from_edges(**options)


def test_names_rows_and_nodes():
    graph = Graph.from_edges([0], [2], nodes=("x", "y", "z"))
    assert list(graph) == ["x", "y", "z"]
    assert graph.positions == {"x": 0, "y": 1, "z": 2}
    assert graph[-1].row == 2
    assert graph[1].graph is graph
    with pytest.raises(IndexError):
        graph[3]


def test_the_empty_graph_and_the_printed_form():
    assert repr(Graph.from_edges([], [])) == "Graph(n=0, m=0)"
    assert repr(Graph.from_edges([0], [1], weights=[2])) == "Graph(n=2, m=1, weighted)"
