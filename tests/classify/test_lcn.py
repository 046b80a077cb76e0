"""LCNClassifier: scikit-learn's manners, labels of every kind, and errors that say what to do."""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV, cross_val_score

import lovasz
from lovasz import LCNClassifier, LovaszError
from lovasz.graphs.families import planted_partition

BLOCKS = planted_partition(60, 2, 0.6, 0.05, seed=0)
GRAPH, TRUTH = BLOCKS.graph, BLOCKS.y
FEW = {row: int(TRUTH[row]) for row in (0, 1, 2, 3, 40, 41, 42, 43)}


def quick(**options):
    return LCNClassifier(**({"random_state": 0, "epochs": 60} | options))


@pytest.fixture(scope="module")
def fitted():
    return quick().fit(GRAPH, FEW)


def test_it_labels_communities_from_a_few_labels(fitted):
    assert (fitted.predict() == TRUTH).mean() > 0.95
    assert np.array_equal(fitted.transduction_, fitted.predict())
    assert fitted.score(GRAPH, TRUTH) == (fitted.predict() == TRUTH).mean()


def test_probabilities_are_probabilities(fitted):
    p = fitted.predict_proba()
    assert p.shape == (60, 2)
    np.testing.assert_allclose(p.sum(1), 1, atol=1e-6)
    assert np.array_equal(fitted.classes_[p.argmax(1)], fitted.predict())


def test_the_same_seed_gives_the_same_bits(fitted):
    assert np.array_equal(quick().fit(GRAPH, FEW).predict_proba(), fitted.predict_proba())
    other = quick(random_state=1).fit(GRAPH, FEW).predict_proba()
    assert not np.array_equal(other, fitted.predict_proba())


def as_array(fill):
    y = np.full(60, fill, dtype=object)
    for row, label in FEW.items():
        y[row] = label
    return y


@pytest.mark.parametrize(
    "y",
    [
        as_array(-1).astype(int),
        as_array(None),
        as_array(-1).tolist(),
        as_array(-1).astype(float),
        {np.int64(k): v for k, v in FEW.items()},
    ],
    ids=["-1", "None", "list", "float", "numpy keys"],
)
def test_every_way_to_write_labels_means_the_same(fitted, y):
    assert np.array_equal(quick().fit(GRAPH, y).predict_proba(), fitted.predict_proba())


@pytest.mark.parametrize("unlabelled", [-1, None, ""])
def test_string_classes(fitted, unlabelled):
    names = {0: "cat", 1: "dog"}
    y = [names[FEW[row]] if row in FEW else unlabelled for row in range(60)]
    for labels in (y, np.array([str(x) if x is not None else "" for x in y])):
        clf = quick().fit(GRAPH, labels)
        assert clf.classes_.tolist() == ["cat", "dog"]
        assert np.array_equal(clf.predict() == "dog", fitted.predict() == 1)


def test_named_nodes_keep_their_order():
    edges = [("z", "y"), ("y", "x"), ("x", "z"), ("x", "c"), ("c", "b"), ("b", "a"), ("a", "c")]
    clf = quick().fit(edges, {"z": "end", "a": "start"})
    answers = dict(zip(clf.nodes_, clf.predict(), strict=True))
    assert list(clf.nodes_) == ["z", "y", "x", "c", "b", "a"]
    assert answers["y"] == "end" and answers["b"] == "start"


def test_auto_names_the_kernel_of_its_network(fitted):
    assert isinstance(fitted.kernel_, sparse.csr_array)
    named = lovasz.kernel(GRAPH, fitted.kernel_name_)
    np.testing.assert_allclose(fitted.kernel_.toarray(), named.toarray())


def test_a_kernel_matrix_can_be_given(fitted):
    K = lovasz.kernel(GRAPH, "heat")
    by_name = quick(kernel="heat").fit(GRAPH, FEW).predict_proba()
    for matrix in (K, K.toarray()):
        np.testing.assert_allclose(
            quick(kernel=matrix).fit(GRAPH, FEW).predict_proba(), by_name, atol=1e-5
        )


def test_features_of_every_kind_are_used():
    rng = np.random.default_rng(0)
    y = {row: int(row % 2) for row in range(20)}
    X = np.c_[np.arange(60) % 2 * 100.0, rng.standard_normal(60)]
    graph = nx.empty_graph(60)  # only the features tell
    for features in (X, sparse.csr_array(X)):
        clf = quick(epochs=200, scale="columns").fit(graph, y, features)
        assert (clf.predict() == np.arange(60) % 2).mean() == 1


def test_a_large_table_with_many_zeros_may_be_dense_or_sparse(monkeypatch):
    from lovasz.nn.engine import inputs

    monkeypatch.setattr(inputs, "MANY_ENTRIES", 1)
    graph, y, _ = planted_partition(60, 2, 0.3, 0.1, seed=0)
    X = (np.random.default_rng(0).random((60, 30)) < 0.2 + 0.2 * y[:, None]).astype(float)
    codes = np.where(np.arange(60) % 3 == 0, y, -1)
    answers = [
        LCNClassifier(epochs=5, random_state=0).fit(graph, codes, features=table).predict_proba()
        for table in (X, sparse.csr_array(X), sparse.coo_array(X))
    ]
    assert (answers[0] == answers[1]).all()
    assert (answers[0] == answers[2]).all()


@pytest.mark.parametrize("scale", ["auto", "rows", "columns", None])
def test_scales(scale):
    features = sparse.random_array((60, 30), density=0.1, rng=np.random.default_rng(0))
    assert quick(scale=scale, epochs=3).fit(GRAPH, FEW, features).predict().shape == (60,)


def test_given_validation_nodes_are_not_learned_from():
    rows = np.array([3, 43])
    wrong = dict(FEW) | {3: 1, 43: 0}
    right = quick(kernel="ls", epochs=1).fit(GRAPH, FEW, validation=rows)
    lied = quick(kernel="ls", epochs=1).fit(GRAPH, wrong, validation=rows)
    others = np.setdiff1d(np.arange(60), [*FEW])
    assert np.array_equal(right.predict_proba()[others], lied.predict_proba()[others])


def test_get_params_clone_and_set_params():
    clf = LCNClassifier(hidden=8, kernel="gcn")
    twin = clone(clf)
    assert twin.get_params() == clf.get_params()
    assert twin.set_params(hidden=4).hidden == 4


def test_grid_search_over_a_graph_hides_labels_and_not_nodes():
    search = GridSearchCV(
        quick(epochs=30), {"kernel": ["ls", "gcn"], "hidden": [4, 8]}, cv=3, error_score="raise"
    ).fit(GRAPH, TRUTH)
    assert search.best_score_ > 0.9
    assert search.best_estimator_.predict().shape == (60,)


def test_cross_validation_leaves_unlabelled_nodes_out_of_the_score():
    y = TRUTH.copy()
    y[::2] = -1
    scores = cross_val_score(quick(kernel="ls"), GRAPH, y, cv=3, error_score="raise")
    assert scores.mean() > 0.8


def test_grid_search_over_a_feature_table_labels_new_rows():
    X, y = make_moons(150, noise=0.1, random_state=0)
    clf = quick(kernel="ls", affinity="knn")
    search = GridSearchCV(clf, {"hidden": [8]}, cv=3, error_score="raise").fit(X, y)
    assert search.best_score_ > 0.9


@pytest.mark.parametrize("affinity", ["rbf", "cosine", "knn"])
def test_affinities_make_a_graph_of_a_table(affinity):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal((5, 0), 0.5, (30, 2)), rng.normal((0, 5), 0.5, (30, 2))])
    truth = np.repeat([0, 1], 30)
    y = np.where(np.arange(60) % 6 == 0, truth, -1)
    clf = quick(affinity=affinity).fit(X, y)
    assert (clf.predict() == truth).mean() > 0.95
    assert clf.predict(np.array([[5.0, 0.1], [0.1, 5.0]])).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ({}, "no node is labelled"),
        (np.full(60, -1), "no node is labelled"),
        ({0: "a", 1: "a"}, "all 2 labels are 'a'"),
        (
            {0: 0, "nobody": 1, "noone": 0},
            "2 labelled nodes are not in the graph: 'nobody', 'noone'",
        ),
        (np.zeros(59), "y has 59 entries and the graph 60 nodes"),
        ([np.nan] + [0, 1] * 29 + [0], "a label is nan"),
        ({0: "a", 1: 2}, "labels mix int and str"),
    ],
)
def test_bad_labels(y, message):
    with pytest.raises(LovaszError) as problem:
        quick().fit(GRAPH, y)
    assert message in str(problem.value) and "\n" not in str(problem.value)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (np.zeros((59, 3)), "features have shape (59, 3) and the graph 60 nodes"),
        (np.zeros(60), "features have shape (60,)"),
        (np.full((60, 2), np.inf), "beyond 3e38 (node 0, column 0)"),
        (sparse.csr_array(np.full((60, 2), np.nan)), "features hold NaN"),
        (np.full((60, 2), "x"), "features are not numbers"),
    ],
)
def test_bad_features(features, message):
    with pytest.raises(LovaszError) as problem:
        quick().fit(GRAPH, FEW, features)
    assert message in str(problem.value) and "\n" not in str(problem.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "lsx"}, "unknown kernel 'lsx'"),
        ({"kernel": np.eye(3)}, "kernel is (3, 3)"),
        ({"kernel_options": {"t": 1}}, "'auto' takes no options"),
        ({"affinity": "euclid"}, "unknown affinity 'euclid'"),
        ({"hidden": 0}, "hidden=0 must be"),
        ({"dropout": 1.0}, "dropout=1.0 must be a number in [0, 1)"),
        ({"epochs": 0}, "epochs=0 must be"),
        ({"lr": -1}, "lr=-1 must be"),
        ({"patience": 0}, "patience=0 must be"),
        ({"validation_fraction": 1.0}, "validation_fraction=1.0 must be"),
        ({"random_state": "x"}, "random_state='x' must be"),
        ({"scale": "log"}, "scale='log'"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(LovaszError) as problem:
        quick(**options).fit(GRAPH, FEW)
    assert message in str(problem.value) and "\n" not in str(problem.value)


def test_bad_validation():
    with pytest.raises(LovaszError) as problem:
        quick().fit(GRAPH, FEW, validation=[3, 50])
    assert "1 validation nodes have no label (row 50 is one)" in str(problem.value)


def test_misuse_after_and_before_fit(tmp_path, fitted):
    with pytest.raises(LovaszError, match="not fitted"):
        LCNClassifier().predict()
    with pytest.raises(LovaszError, match="not fitted"):
        LCNClassifier().save(tmp_path / "model")
    with pytest.raises(LovaszError, match="nodes it was fitted on"):
        fitted.predict(nx.path_graph(3))
    with pytest.raises(LovaszError, match="holds no saved model"):
        LCNClassifier.load(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(LovaszError, match="holds other files"):
        fitted.save(tmp_path / "mine")


@pytest.mark.parametrize(
    ("fit", "message"),
    [
        (lambda: quick(lr=1e30).fit(GRAPH, TRUTH), "diverged"),
        (lambda: quick(kernel=np.full((60, 60), np.nan)).fit(GRAPH, TRUTH), "NaN"),
        (lambda: quick().fit(GRAPH, TRUTH, np.full((60, 2), 1e300)), "beyond 3e38"),
        (
            lambda: quick().fit(GRAPH, TRUTH, sparse.csr_array(np.full((60, 2), 1e300))),
            "beyond 3e38",
        ),
        (lambda: quick(hidden=2.5).fit(GRAPH, TRUTH), "hidden=2.5"),
        (lambda: quick(hidden="8").fit(GRAPH, TRUTH), "hidden='8'"),
        (lambda: quick().fit(GRAPH, TRUTH, validation=[0.7, 3]), "float64"),
        (lambda: quick(device="meta").fit(GRAPH, TRUTH), "'meta'"),
    ],
)
def test_what_cannot_work_is_said(fit, message):
    with pytest.raises(LovaszError, match=message) as problem:
        fit()
    assert "\n" not in str(problem.value) and len(str(problem.value)) < 300
