"""node2vec: vectors that separate communities, and a kernel of unit vectors."""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import lovasz
from lovasz.base import memory
from lovasz.base.errors import LovaszError
from lovasz.graphs import as_graph
from lovasz.kernels.node2vec import node2vec_vectors
from lovasz.linalg.scaling import unit_rows

SMALL = {"dim": 8, "walks": 4, "length": 10, "window": 3}
CLIQUES = nx.barbell_graph(8, 0)


def test_a_seed_gives_the_same_vectors_and_leaves_numpy_s_own_stream_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first, again, other = (node2vec_vectors(CLIQUES, **SMALL, seed=s) for s in (3, 3, 4))
    assert np.array_equal(first, again) and not np.array_equal(first, other)
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_two_cliques_joined_by_an_edge_separate():
    K = lovasz.kernel(CLIQUES, "node2vec", dim=16, walks=20, length=40, window=4).toarray()
    side = np.arange(16) < 8
    same = side[:, None] == side[None, :]
    joined = np.zeros((16, 16), dtype=bool)
    joined[7:9, 7:9] = True  # the ends of the bridge know both sides
    assert K[same & ~joined].min() > K[~same & ~joined].max()


def test_the_kernel_is_positive_semidefinite_with_unit_diagonal():
    K = lovasz.kernel(nx.petersen_graph(), "node2vec", **SMALL)
    assert isinstance(K, sparse.csr_array) and K.dtype == np.float64 and (K != K.T).nnz == 0
    np.testing.assert_allclose(K.diagonal(), 1, atol=1e-12)
    values = np.linalg.eigvalsh(K.toarray())
    assert values[0] > -1e-12 and (values > 1e-9).sum() <= SMALL["dim"]


def test_nodes_without_neighbours_keep_a_random_vector():
    graph = as_graph(sparse.block_diag([nx.to_scipy_sparse_array(CLIQUES), np.zeros((3, 3))]))
    vectors = node2vec_vectors(graph, **SMALL)
    assert np.array_equal(vectors, node2vec_vectors(graph, **SMALL))
    lengths = np.linalg.norm(vectors, axis=1)
    assert (lengths > 0).all() and lengths[16:].max() < lengths[:16].min()
    edgeless = unit_rows(node2vec_vectors(np.zeros((4, 4)), dim=8))
    assert np.linalg.matrix_rank(edgeless) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dim": 0}, "dim=0; pass a whole number of at least 1"),
        ({"walks": 1.5}, "walks=1.5; pass a whole number of at least 1"),
        ({"length": 1}, "length=1; pass a whole number of at least 2"),
        ({"seed": -1}, "seed=-1; pass a whole number of at least 0"),
        ({"p": 0}, "p=0 must be a number > 0"),
        ({"q": "big"}, "q='big' must be a number > 0"),
        ({"lr": np.inf}, "lr=inf must be a number > 0"),
        ({"size": 3}, "no option 'size'; its options: dim, walks, length"),
    ],
)
def test_bad_calls_name_the_value(options, message):
    with pytest.raises(LovaszError) as problem:
        lovasz.kernel(nx.path_graph(3), "node2vec", **options)
    assert message in str(problem.value) and "\n" not in str(problem.value)


def test_a_negative_weight_is_refused():
    graph = as_graph([("a", "b", -2.0), ("b", "c", 1.0)], weights="keep")
    with pytest.raises(LovaszError, match=r"weight -2, and a walk needs weights > 0; drop"):
        node2vec_vectors(graph)


def test_what_would_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 2**20)
    with pytest.raises(LovaszError, match=r"'node2vec' would need about .* GiB.*LowRank"):
        lovasz.kernel(nx.path_graph(1000), "node2vec")
    monkeypatch.setattr(memory, "free_memory", lambda: 2**10)
    with pytest.raises(LovaszError, match=r"10 walks of 80 nodes from 16 nodes would .*; lower"):
        node2vec_vectors(CLIQUES)
