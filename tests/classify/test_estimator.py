"""What the estimators accept: labels, features and folds of every kind."""

import numpy as np
import pandas as pd
import pytest
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
