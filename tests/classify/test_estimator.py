"""What the estimators accept: labels, features and folds of every kind."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.model_selection import GridSearchCV, cross_val_score

import lovasz
from lovasz import LCNClassifier, LovaszError
from lovasz.graphs.families import planted_partition

BLOCKS = planted_partition(60, 2, 0.6, 0.05, seed=0)
NAMES = tuple(f"v{i}" for i in range(60))
NAMED = lovasz.as_graph(BLOCKS.graph.adjacency, nodes=NAMES)


def quick(**options):
    return LCNClassifier(**({"random_state": 0, "epochs": 30, "kernel": "ls"} | options))


def test_minus_one_is_a_class_when_it_is_a_word():
    labels = {name: str(code - 1) for name, code in zip(NAMES, BLOCKS.y, strict=True)}
    assert quick().fit(NAMED, labels).classes_.tolist() == ["-1", "0"]


def test_numpy_and_python_labels_mix():
    clf = quick().fit(BLOCKS.graph, {0: np.int64(0), 1: 0, 40: np.int64(1), 41: 1})
    assert clf.classes_.tolist() == [0, 1]


def test_a_series_and_a_frame_are_aligned_by_name():
    rng = np.random.default_rng(0)
    y = pd.Series(BLOCKS.y, index=NAMES)
    X = pd.DataFrame(rng.standard_normal((60, 3)), index=NAMES)
    expected = quick().fit(NAMED, y.to_numpy(), X.to_numpy()).predict_proba()
    order = rng.permutation(60)
    found = quick().fit(NAMED, y.iloc[order], X.iloc[order]).predict_proba()
    np.testing.assert_array_equal(found, expected)
    with pytest.raises(LovaszError, match="index of a Series"):
        quick().fit(NAMED, pd.Series(BLOCKS.y, index=[f"w{i}" for i in range(60)]))


def test_grid_search_with_features():
    X = np.random.default_rng(0).standard_normal((60, 5))
    search = GridSearchCV(quick(), {"hidden": [4, 8]}, cv=3, error_score="raise")
    assert search.fit(BLOCKS.graph, BLOCKS.y, features=lambda: X).best_score_ > 0.6
    with pytest.raises(LovaszError, match="lambda"):
        search.fit(BLOCKS.graph, BLOCKS.y, features=X)


def test_a_matrix_cut_by_cross_validation_is_explained():
    with pytest.raises(LovaszError, match=r"lovasz\.as_graph\(X\)"):
        cross_val_score(quick(), BLOCKS.graph.adjacency, BLOCKS.y, cv=3, error_score="raise")


def test_a_graph_with_other_edges_is_not_answered_with_those_of_the_fit():
    labels = {name: int(BLOCKS.y[row]) for row, name in enumerate(NAMES) if row % 5 == 0}
    clf = LCNClassifier(fast=True, random_state=0).fit(NAMED, labels)
    np.testing.assert_array_equal(clf.predict(NAMED), clf.predict())
    other = lovasz.as_graph(BLOCKS.graph.adjacency[::-1][:, ::-1], nodes=NAMES)
    with pytest.raises(LovaszError, match=r"other edges .* predict\(graph=…\)"):
        clf.predict(other)


def test_a_graph_with_other_weights_is_not_answered_with_those_of_the_fit():
    labels = {name: int(BLOCKS.y[row]) for row, name in enumerate(NAMES) if row % 5 == 0}
    A = sparse.triu(BLOCKS.graph.adjacency).tocsr()
    A.data = np.random.default_rng(0).uniform(1, 2, A.nnz)
    weighted, copy, other = (
        lovasz.as_graph(B + B.T, nodes=NAMES, weights="keep") for B in (A, A.copy(), A.sqrt())
    )
    clf = LCNClassifier(fast=True, random_state=0).fit(weighted, labels)
    for same in (weighted, copy, NAMED):
        np.testing.assert_array_equal(clf.predict(same), clf.predict())
    with pytest.raises(LovaszError, match="other edges or weights"):
        clf.predict(other)


@pytest.mark.parametrize("filled", [0.05, 0.9])
def test_dense_and_sparse_features_without_a_scale_give_the_same_answer(filled):
    rng = np.random.default_rng(0)
    words = np.where(rng.random((60, 12)) < filled, rng.random((60, 12)), 0)
    y = np.where(np.arange(60) % 3, -1, BLOCKS.y)
    found = []
    for make in (np.asarray, sparse.csr_array):
        clf = LCNClassifier(fast=True, scale=None, random_state=0)
        clf.fit(BLOCKS.graph, y, make(words))
        found.append(clf.predict_proba())
        for again in (np.asarray, sparse.csr_array):
            found.append(clf.predict_proba(graph=BLOCKS.graph, features=again(words)))
    for P in found[1:]:
        np.testing.assert_allclose(P, found[0], atol=1e-6)
