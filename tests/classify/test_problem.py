"""A labelling problem is made once, and builds every kernel once."""

import numpy as np
import pytest

import lovasz
from lovasz import LCNClassifier
from lovasz.classify import problem as module
from lovasz.classify.problem import Kernels, Problem
from lovasz.graphs.families import planted_partition

BLOCKS = planted_partition(60, 2, 0.6, 0.05, seed=0)
PROBLEM = Problem(BLOCKS.graph, np.array(["a", "b"]), BLOCKS.y)


@pytest.fixture
def built(monkeypatch):
    """The names and options of the kernels that are built."""
    calls = []
    real = module.make_kernel
    monkeypatch.setattr(
        module, "make_kernel", lambda *a, **o: calls.append((*a[1:], o)) or real(*a, **o)
    )
    return calls


def test_a_kernel_is_built_once_for_each_set_of_options(built):
    kernels = Kernels(BLOCKS.graph)
    assert kernels.get("heat", {"t": 2}) is kernels.get("heat", {"t": 2})
    assert kernels.get("heat") is not kernels.get("heat", {"t": 2})
    assert built == [("heat", {"t": 2}), ("heat", {})]
    assert (kernels.get("heat") != lovasz.kernel(BLOCKS.graph, "heat")).nnz == 0


def test_options_that_cannot_be_compared_are_not_remembered(built):
    kernels = Kernels(BLOCKS.graph)
    features = np.random.default_rng(0).standard_normal((60, 3))
    first, second = (kernels.get("ls", {"features": features}) for _ in range(2))
    assert (first != second).nnz == 0 and len(built) == 2


def test_other_labels_share_the_kernels():
    other = PROBLEM.with_codes(np.where(np.arange(60) < 30, BLOCKS.y, -1))
    assert other.kernels is PROBLEM.kernels and (other.codes[30:] == -1).all()


def test_fit_is_the_fit_of_the_problem():
    labels = [("a", "b")[code] for code in BLOCKS.y]
    options = {"kernel": "ls", "epochs": 10, "random_state": 0}
    by_labels = LCNClassifier(**options).fit(BLOCKS.graph, labels)
    by_problem = LCNClassifier(**options).fit_problem(PROBLEM)
    assert np.array_equal(by_labels.predict_proba(), by_problem.predict_proba())
    assert by_labels.predict().tolist() == by_problem.predict().tolist()


def test_new_rows_get_the_kernels_that_were_fitted(built):
    X = np.random.default_rng(0).standard_normal((40, 2))
    clf = LCNClassifier(
        "ls", "knn", kernel_options={"weights": "normalized"}, epochs=5, random_state=0
    )
    clf.fit(X, (X[:, 0] > 0).astype(int))
    built.clear()
    clf.predict(X[:3] + 0.01)
    assert built == [("ls", {"weights": "normalized"})]
