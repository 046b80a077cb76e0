"""Laws of the kernels, on random graphs."""

import networkx as nx
import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import lovasz
from lovasz.base import memory
from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph, as_graph
from lovasz.graphs.families import gnp
from lovasz.kernels import KERNELS
from lovasz.linalg import eigenvalues
from lovasz.linalg.eigenvalues import (
    DEPTH_DENSE_UP_TO,
    smallest_eigenvalue_depth,
    spectral_norm_bound,
)


@st.composite
def graphs(draw, largest=14):
    n = draw(st.integers(1, largest))
    pairs = [(i, j) for i in range(n) for j in range(i)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Graph.from_edges([i for i, _ in chosen], [j for _, j in chosen], n=n)


def permuted(graph, order):
    adjacency = sparse.csr_array(graph.adjacency[order][:, order])
    return as_graph(adjacency)


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


@pytest.mark.parametrize("weights", ["adjacency", "normalized"])
def test_lanczos_agrees_with_the_dense_eigenvalue(weights):
    graph = gnp(DEPTH_DENSE_UP_TO + 300, 0.01, seed=3)
    K = lovasz.kernel(graph, "ls", weights=weights)
    smallest = np.linalg.eigvalsh(K.toarray()).min()
    assert -1e-9 < smallest < 1e-4


def test_a_kernel_is_the_same_every_time():
    graph = gnp(DEPTH_DENSE_UP_TO + 300, 0.01, seed=3)
    first, second = lovasz.kernel(graph, "ls"), lovasz.kernel(graph, "ls")
    assert (first != second).nnz == 0


@given(graphs())
def test_the_spectral_bound_bounds(graph):
    if graph.m:
        C = graph.adjacency
        assert spectral_norm_bound(C) >= np.abs(np.linalg.eigvalsh(C.toarray())).max() - 1e-9
        assert smallest_eigenvalue_depth(C) <= spectral_norm_bound(C) * (1 + 1e-9)


def test_ls_survives_a_lanczos_that_does_not_converge(monkeypatch):
    from scipy.sparse.linalg import ArpackNoConvergence

    def give_up(*args, **kwargs):
        raise ArpackNoConvergence("no", np.array([]), np.array([]))

    monkeypatch.setattr(eigenvalues, "eigsh", give_up)
    K = lovasz.kernel(gnp(DEPTH_DENSE_UP_TO + 100, 0.01, seed=0), "ls")
    assert np.linalg.eigvalsh(K.toarray()).min() > 0


def test_ls_uses_the_weights_of_a_weighted_graph():
    graph = as_graph([("a", "b", 2.0), ("b", "c", 1.0)], weights="keep")
    K = lovasz.kernel(graph, "ls")
    assert K[0, 1] == pytest.approx(2 * K[1, 2])


CLOSED = [name for name in KERNELS if name not in ("lovasz", "node2vec")]  # with a formula


@given(graphs(), st.sampled_from(CLOSED), st.randoms(use_true_random=False))
def test_relabelling_the_nodes_relabels_the_kernel(graph, name, random):
    order = list(range(graph.n))
    random.shuffle(order)
    K = lovasz.kernel(graph, name).toarray()
    np.testing.assert_allclose(
        lovasz.kernel(permuted(graph, order), name).toarray(), K[order][:, order], atol=1e-8
    )


@given(graphs(), st.sampled_from(CLOSED))
def test_kernels_are_symmetric_csr_and_finite(graph, name):
    K = lovasz.kernel(graph, name)
    assert isinstance(K, sparse.csr_array) and K.dtype == np.float64
    assert (K != K.T).nnz == 0
    assert np.isfinite(K.data).all()


def definition(name, A):
    """Textbook formulas, dense."""
    n = len(A)
    eye, d = np.eye(n), A.sum(1)
    root = np.array([1 / np.sqrt(x) if x else 0.0 for x in d])
    looped = np.diag(1 / np.sqrt(d + 1)) @ (A + eye) @ np.diag(1 / np.sqrt(d + 1))
    unnormalized = np.diag(d) - A
    normalized = np.diag(root) @ unnormalized @ np.diag(root)
    inverse = np.linalg.inv(eye + unnormalized)
    return {
        "gcn": lambda: looped,
        "adjacency": lambda: A,
        "laplacian": lambda: inverse,
        "normalized-laplacian": lambda: np.linalg.inv(eye + normalized),
        "k-scaling": lambda: inverse / np.sqrt(np.outer(np.diag(inverse), np.diag(inverse))),
        "ppr": lambda: 0.1 * np.linalg.inv(eye - 0.9 * looped),
        "heat": lambda: scipy.linalg.expm(-3 * normalized),
        "ls": lambda: eye + (A / -np.linalg.eigvalsh(A)[0] if A.any() else 0),
    }[name]()


@settings(max_examples=200)
@given(graphs(), st.sampled_from(CLOSED))
def test_kernels_equal_their_definitions(graph, name):
    expected = definition(name, graph.adjacency.toarray())
    np.testing.assert_allclose(lovasz.kernel(graph, name).toarray(), expected, atol=1e-9)


@pytest.mark.parametrize("name", ["laplacian", "ppr", "heat"])
def test_full_kernels_are_sparse_between_components(name):
    graph = as_graph(nx.disjoint_union_all([nx.cycle_graph(5)] * 20))
    assert lovasz.kernel(graph, name).nnz <= 20 * 25


@pytest.mark.parametrize("name", ["ls", "gcn", "adjacency"])
def test_sparse_kernels_stay_sparse(name):
    graph = gnp(3000, 0.002, seed=0)
    assert lovasz.kernel(graph, name).nnz <= 2 * graph.m + graph.n


def test_a_kernel_that_would_not_fit_is_refused_with_an_estimate(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 2**20)
    with pytest.raises(LovaszError, match=r"'heat' would need about 0\.\d GiB.*'ls' or 'gcn'"):
        lovasz.kernel(nx.path_graph(1000), "heat")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("lsx", {}, "unknown kernel 'lsx'; known: lovasz, ls, gcn"),
        ("ls", {"t": 1}, "no option 't'; its options: weights"),
        ("gcn", {"t": 1}, "no option 't'; its options: none"),
        ("ls", {"weights": "degree"}, "weights='degree'"),
        ("ls", {"weights": 2}, "weights=2"),
        ("ls", {"features": np.ones((2, 2))}, "features have shape (2, 2)"),
        ("laplacian", {"c": 0}, "c=0"),
        ("ppr", {"alpha": 2}, "alpha=2"),
        ("heat", {"t": -1}, "t=-1"),
        ("laplacian", {"c": "big"}, "c='big'"),
    ],
)
def test_bad_calls_name_the_value(name, options, message):
    with pytest.raises(LovaszError) as problem:
        lovasz.kernel(nx.path_graph(3), name, **options)
    assert message in str(problem.value) and "\n" not in str(problem.value)


def test_a_graph_without_nodes_has_no_kernel():
    with pytest.raises(LovaszError, match="no nodes"):
        lovasz.kernel(sparse.csr_array((0, 0)), "ls")
