"""The Luz–Schrijver kernel is feasible, and as large as it can be."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import lovasz
from lovasz.graphs import Graph, as_graph


@st.composite
def graphs(draw, largest=14):
    n = draw(st.integers(1, largest))
    pairs = [(i, j) for i in range(n) for j in range(i)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Graph.from_edges([i for i, _ in chosen], [j for _, j in chosen], n=n)


@given(graphs(), st.sampled_from(["adjacency", "normalized"]))
def test_ls_is_in_the_feasible_set(graph, weights):
    K = lovasz.kernel(graph, "ls", weights=weights)
    dense = K.toarray()
    assert np.array_equal(dense, dense.T)
    assert np.array_equal(np.diag(dense), np.ones(graph.n))
    off_graph = (graph.adjacency.toarray() == 0) & ~np.eye(graph.n, dtype=bool)
    assert not dense[off_graph].any()
    assert np.linalg.eigvalsh(dense).min() > -1e-12 * graph.n


@given(graphs())
def test_ls_touches_the_boundary_of_the_cone(graph):
    """With an edge, λ_min(K) = 0: a larger multiple of C would leave the cone."""
    if graph.m:
        assert np.linalg.eigvalsh(lovasz.kernel(graph, "ls").toarray()).min() < 1e-9


def test_ls_of_known_graphs():
    five_cycle = lovasz.kernel(nx.cycle_graph(5), "ls")
    assert five_cycle[0, 1] == pytest.approx(1 / (2 * np.cos(np.pi / 5)), abs=1e-12)
    complete = lovasz.kernel(nx.complete_graph(6), "ls")
    np.testing.assert_allclose(complete.toarray(), np.ones((6, 6)), atol=1e-12)
    petersen = lovasz.kernel(nx.petersen_graph(), "ls")
    assert petersen[0, 1] == pytest.approx(1 / 2, abs=1e-12)


def test_ls_of_an_edgeless_graph_is_the_identity():
    K = lovasz.kernel(sparse.csr_array((4, 4)), "ls")
    assert np.array_equal(K.toarray(), np.eye(4))


@pytest.mark.parametrize("exponent", [0.25, 0.5, 1.0])
@pytest.mark.parametrize("kind", ["none", "dense", "sparse"])
def test_every_exponent_and_similarity_is_in_the_feasible_set(exponent, kind):
    graph = as_graph(nx.karate_club_graph(), weights="drop")
    X = np.random.default_rng(0).standard_normal((34, 5))
    X[3] = 0  # a node without features stays connected
    features = {"none": None, "dense": X, "sparse": sparse.csr_array(X)}[kind]
    K = lovasz.kernel(graph, "ls", weights=exponent, features=features)
    assert np.array_equal(K.diagonal(), np.ones(34))
    assert ((K != 0) != (graph.adjacency + sparse.eye_array(34) != 0)).nnz == 0
    assert -1e-12 < np.linalg.eigvalsh(K.toarray())[0] < 1e-9


def test_similar_neighbours_are_closer():
    X = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]])
    K = lovasz.kernel([(0, 1), (1, 2)], "ls", features=X).toarray()
    assert K[0, 1] / K[1, 2] == pytest.approx(np.hypot(1, 0.1) / 0.1 / np.hypot(1, 0.1))


def test_the_named_weights_are_exponents():
    graph = as_graph(nx.karate_club_graph(), weights="drop")
    for name, exponent in (("adjacency", 0), ("normalized", 0.5)):
        named = lovasz.kernel(graph, "ls", weights=name)
        assert (named != lovasz.kernel(graph, "ls", weights=exponent)).nnz == 0


def test_ls_uses_the_weights_of_a_weighted_graph():
    graph = as_graph([("a", "b", 2.0), ("b", "c", 1.0)], weights="keep")
    K = lovasz.kernel(graph, "ls")
    assert K[0, 1] == pytest.approx(2 * K[1, 2])
