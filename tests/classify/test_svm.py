"""The bias-free SVM against its own quadratic programme."""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.base import clone

import lovasz
from lovasz import KernelClassifier, LovaszError
from lovasz.graphs.families import planted_partition

BLOCKS = planted_partition(40, 2, 0.6, 0.1, seed=1)


def solve_dual(K, y, C):
    """max Σα − ½ αᵀ(yyᵀ∘K)α over the box, by a general solver."""
    Q = K * np.outer(y, y)
    result = minimize(
        lambda a: a @ Q @ a / 2 - a.sum(), np.zeros(len(y)), jac=lambda a: Q @ a - 1,
        bounds=[(0, C)] * len(y), method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-10},
    )  # fmt: skip
    return result.x


@pytest.mark.parametrize("name", ["ls", "laplacian", "k-scaling"])
@pytest.mark.parametrize("C", [0.3, 10.0])
def test_it_solves_the_machine_without_bias(name, C):
    K = lovasz.kernel(BLOCKS.graph, name).toarray()
    rows = np.arange(0, 40, 3)
    sign = np.where(BLOCKS.y == 1, 1.0, -1.0)
    alpha = solve_dual(K[np.ix_(rows, rows)], sign[rows], C)
    expected = K[:, rows] @ (alpha * sign[rows])
    y = np.full(40, -1)
    y[rows] = BLOCKS.y[rows]
    clf = KernelClassifier(name, C=C).fit(BLOCKS.graph, y)
    np.testing.assert_allclose(clf.decision_[:, 1], expected, atol=2e-3)


def test_several_classes():
    planted = planted_partition(90, 3, 0.7, 0.05, seed=0)
    y = np.where(np.arange(90) % 5 == 0, planted.y, -1)
    clf = KernelClassifier("ls").fit(planted.graph, y)
    assert clf.decision_.shape == (90, 3)
    assert clf.score(planted.graph, planted.y) > 0.95


def test_it_clones():
    assert clone(KernelClassifier("heat", C=3)).get_params()["C"] == 3


@pytest.mark.parametrize(
    ("clf", "message"),
    [
        (KernelClassifier("adjacency"), "eigenvalue"),
        (KernelClassifier(C=0), "C=0"),
        (KernelClassifier("auto"), "needs one kernel"),
    ],
)
def test_bad_calls(clf, message):
    with pytest.raises(LovaszError, match=message):
        clf.fit(nx.path_graph(4), [0, 1, 0, 1])


def test_predict_before_fit():
    with pytest.raises(LovaszError, match="not fitted"):
        KernelClassifier().predict()


@pytest.mark.parametrize("as_matrix", [sparse.csr_array.toarray, lambda K: K])
def test_an_svm_takes_a_matrix(as_matrix):
    K = lovasz.kernel(BLOCKS.graph, "heat")
    y = np.where(np.arange(40) % 3 == 0, BLOCKS.y, -1)
    by_name = KernelClassifier("heat").fit(BLOCKS.graph, y)
    by_matrix = KernelClassifier(as_matrix(K)).fit(BLOCKS.graph, y)
    np.testing.assert_allclose(by_matrix.decision_, by_name.decision_)
