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


@st.composite
def graphs(draw, largest=14):
    n = draw(st.integers(1, largest))
    pairs = [(i, j) for i in range(n) for j in range(i)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Graph.from_edges([i for i, _ in chosen], [j for _, j in chosen], n=n)


def permuted(graph, order):
    adjacency = sparse.csr_array(graph.adjacency[order][:, order])
    return as_graph(adjacency)


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


@pytest.mark.parametrize("name", [["gcn"], {}, 3])
def test_a_name_that_is_no_text_is_not_known(name):
    with pytest.raises(LovaszError, match="unknown kernel"):
        lovasz.kernel([(0, 1)], name)


@pytest.mark.parametrize("t", [1e15, 1e18, 1e300])
def test_heat_in_a_long_time_is_spread_by_degrees(t):
    graph = as_graph(nx.karate_club_graph(), weights="drop")
    share = np.sqrt(graph.degrees / graph.degrees.sum())
    assert np.allclose(lovasz.kernel(graph, "heat", t=t).toarray(), np.outer(share, share))
