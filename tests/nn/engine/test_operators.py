"""Operators, dense, sparse and of low rank, and the part of them that a network needs."""

import networkx as nx
import numpy as np
import pytest
import torch
from scipy import sparse

import lovasz
from lovasz import KernelClassifier, LCNClassifier
from lovasz.base.errors import LovaszError
from lovasz.classify.splits import random_splits
from lovasz.graphs.families import planted_partition
from lovasz.nn import LCN, LowRank, Settings, train
from lovasz.nn.engine.operators import as_operator, receptive_field

BLOCKS = planted_partition(90, 3, 0.5, 0.05, seed=0)
Z = np.random.default_rng(0).standard_normal((90, 5)) + 2 * np.eye(3, 5)[BLOCKS.y]
Z /= np.linalg.norm(Z, axis=1, keepdims=True)
SPLITS = [split[:2] for split in random_splits(BLOCKS.y, (0.3, 0.2, 0.5), 3, seed=0)]
TABLE = sparse.random_array((90, 40), density=0.1, rng=np.random.default_rng(0), format="csr")


def test_the_gradient_of_an_unsymmetric_operator_is_its_transpose():
    matrix = np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]])
    for given in (matrix, sparse.csr_array(matrix)):
        H = torch.randn(3, 2, dtype=torch.float64, requires_grad=True)
        operator = as_operator(given, dtype=torch.float64)
        assert torch.autograd.gradcheck(lambda H, operator=operator: operator @ H, (H,))


def test_a_receptive_field_is_exact():
    K = lovasz.kernel(nx.path_graph(60), "ls")
    rows = np.array([5, 17])
    (first, second), (nodes, _, last) = receptive_field(K, rows, layers=2)
    assert last is rows
    X = np.random.default_rng(0).standard_normal((60, 4))
    np.testing.assert_allclose(second @ (first @ X[nodes]), (K @ (K @ X))[rows], atol=1e-12)
    assert len(nodes) == 10


@pytest.mark.parametrize("features", [None, TABLE, TABLE.toarray()], ids=str)
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_it_trains_as_the_dense_matrix_does(features, layers):
    settings = Settings(layers=layers, epochs=20, precision="double")
    low, dense = (
        train(K, BLOCKS.y, SPLITS, features=features, settings=settings)
        for K in (LowRank(Z), Z @ Z.T)
    )
    np.testing.assert_allclose(low.logits, dense.logits, atol=1e-8)
    np.testing.assert_allclose(low.train_loss, dense.train_loss, atol=1e-8)
    assert np.array_equal(low.best_epoch, dense.best_epoch)


def test_the_operator_is_the_matrix_and_so_is_its_gradient():
    H = torch.randn(90, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    rows = np.array([3, 50, 7])
    found = []
    for K in (LowRank(Z)[rows], (Z @ Z.T)[rows]):
        operator, x = as_operator(K, dtype=torch.float64), H.clone().requires_grad_()
        assert operator.shape == (3, 90)
        out = operator @ x
        (out**3).sum().backward()
        found.append((out.detach(), x.grad))
    for low, dense in zip(*found, strict=True):
        torch.testing.assert_close(low, dense)


def test_every_node_is_in_the_receptive_field():
    matrices, fields = receptive_field(LowRank(Z), np.array([4, 8]), 2)
    assert [matrix.shape for matrix in matrices] == [(90, 90), (2, 90)]
    assert [len(field) for field in fields] == [90, 90, 2]


def test_a_large_kernel_is_never_formed():
    """100,000 nodes: the matrix would have 80 GB."""
    n = 100_000
    factor = np.random.default_rng(0).standard_normal((n, 2)) / n
    nodes = np.arange(20)
    trained = train(
        LowRank(factor), np.arange(n) % 2, [(nodes, nodes)], settings=Settings(epochs=2, hidden=4)
    )
    assert trained.logits.shape == (1, n, 2)


def test_classifiers_and_models_take_it(tmp_path):
    y = np.where(np.arange(90) % 3 == 0, BLOCKS.y, -1)
    low, dense = (
        LCNClassifier(K, epochs=20, random_state=0).fit(BLOCKS.graph, y)
        for K in (LowRank(Z), Z @ Z.T)
    )
    np.testing.assert_allclose(low.predict_proba(), dense.predict_proba(), atol=1e-3)
    low.save(tmp_path / "model")
    kept = LCNClassifier.load(tmp_path / "model")
    assert np.array_equal(kept.kernel_.toarray(), low.kernel_.toarray())
    machines = [KernelClassifier(K).fit(BLOCKS.graph, y).predict() for K in (LowRank(Z), Z @ Z.T)]
    assert np.array_equal(*machines)
    model = LCN(90, 4, 3).eval()
    torch.testing.assert_close(model(None, LowRank(Z)), model(None, Z @ Z.T), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("factor", [np.ones(3), [["a"]], [[1.0, np.nan]]])
def test_a_factor_that_is_none_is_refused(factor):
    with pytest.raises(LovaszError, match="one row of finite numbers per node"):
        LowRank(factor)
