"""Graphs that have grown: old nodes by name, new ones answered without training again."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

import lovasz
from lovasz import LCNClassifier, LovaszError
from lovasz.classify.growth import align
from lovasz.graphs import Graph
from lovasz.graphs.families import planted_partition

BLOCKS = planted_partition(80, 2, 0.25, 0.04, seed=0)
NAMES = np.array([f"node {row}" for row in range(80)])
RNG = np.random.default_rng(0)
X = (np.eye(2)[BLOCKS.y] + RNG.standard_normal((80, 2))).astype(np.float32)
OLD = np.arange(80) % 8 != 5
SEEN = np.flatnonzero(OLD)
LABELS = {NAMES[row]: "ab"[BLOCKS.y[row]] for row in SEEN[::2]}


def graph_of(rows):
    return Graph(BLOCKS.graph.adjacency[rows][:, rows], tuple(NAMES[rows].tolist()))


def quick(**options):
    return LCNClassifier(**({"random_state": 0, "epochs": 20} | options))


@pytest.fixture(scope="module")
def fitted():
    return quick().fit(graph_of(SEEN), LABELS, X[SEEN])


@pytest.fixture(scope="module")
def bare():
    return quick().fit(graph_of(SEEN), LABELS)


def test_a_graph_without_new_nodes_has_the_answers_of_predict(fitted, bare):
    for clf, table in ((fitted, X[SEEN]), (bare, None)):
        found = clf.predict_proba(graph=graph_of(SEEN), features=table)
        np.testing.assert_allclose(found, clf.predict_proba(), atol=2e-4)


def test_answers_belong_to_names_and_not_to_the_order_of_nodes(fitted):
    one = fitted.extend(graph_of(np.arange(80)), X)
    mixed = RNG.permutation(80)
    other = fitted.extend(graph_of(mixed), X[mixed])
    np.testing.assert_allclose(other.probabilities, one.probabilities[mixed], atol=1e-5)
    assert np.array_equal(one.new, ~OLD) and np.array_equal(other.new, ~OLD[mixed])
    assert list(other.nodes) == NAMES[mixed].tolist()


@pytest.mark.parametrize("features", [True, False])
def test_new_nodes_are_answered_rightly_and_given_labels_stay(fitted, bare, features):
    clf = fitted if features else bare
    whole = graph_of(np.arange(80))
    found = clf.predict(graph=whole, features=X if features else None)
    truth = np.array(["a", "b"])[BLOCKS.y]
    assert (found == truth)[~OLD].mean() >= 0.8
    labelled = [whole.positions[name] for name in LABELS]
    assert found[labelled].tolist() == [*LABELS.values()]


def test_what_cannot_be_known_is_said(bare):
    A = sparse.block_diag([graph_of(SEEN).adjacency, [[0, 1], [1, 0]]], format="csr")
    names = (*NAMES[SEEN].tolist(), "far", "away")
    found = bare.extend(Graph(sparse.csr_array(A), names))
    assert found.unreached.sum() == 2 and found.unreached[-2:].all()
    shares = np.bincount([label == "b" for label in LABELS.values()]) / len(LABELS)
    np.testing.assert_allclose(found.probabilities[-2:], [shares, shares])
    assert any("no label reaches" in note for note in found.notes)
    assert any("neighbours alone" in note for note in found.notes)
    frame = found.to_frame()
    assert list(frame.columns) == ["node", "class", "probability", "new", "unreached"]


def test_old_nodes_may_be_gone(bare, fitted):
    fewer = np.setdiff1d(np.arange(80), SEEN[:6])
    for clf, table in ((bare, None), (fitted, X[fewer])):
        found = clf.extend(graph_of(fewer), table)
        truth = np.array(["a", "b"])[BLOCKS.y[fewer]]
        assert (found.predictions == truth).mean() > 0.8
        assert any("6 nodes of the fitted graph" in note for note in found.notes)


def test_a_named_kernel_grows_too():
    clf = quick(kernel="gcn", epochs=60).fit(graph_of(SEEN), LABELS)
    np.testing.assert_allclose(
        clf.predict_proba(graph=graph_of(SEEN)), clf.predict_proba(), atol=1e-5
    )
    assert clf.predict(graph=graph_of(np.arange(80))).shape == (80,)


def test_a_loaded_model_answers_on_a_grown_graph(tmp_path, fitted):
    fitted.save(tmp_path / "model")
    again = LCNClassifier.load(tmp_path / "model")
    whole = graph_of(np.arange(80))
    np.testing.assert_allclose(
        again.predict_proba(graph=whole, features=X),
        fitted.predict_proba(graph=whole, features=X),
        atol=1e-6,
    )


def test_rows_are_aligned_with_old_nodes_first():
    old = lovasz.as_graph([("a", "b"), ("b", "c")])
    order, kept = align(old, lovasz.as_graph([("z", "c"), ("c", "b"), ("m", "z")]))
    assert order.tolist() == [2, 1, 3, 0]
    assert kept.tolist() == [1, 2]


def test_bad_calls_are_refused_in_one_line(fitted, bare):
    whole = graph_of(np.arange(80))
    for clf, options, problem in (
        (LCNClassifier(), {}, "not fitted"),
        (fitted, {}, "fitted with features"),
        (bare, {"features": X}, "fitted without features"),
        (fitted, {"features": X[:, :1]}, "1 columns, those of the fit had 2"),
        (fitted, {"features": X[:5]}, "one row per node"),
    ):
        with pytest.raises(LovaszError, match=problem):
            clf.predict(graph=whole, **options)
    with pytest.raises(LovaszError, match="no node of the fitted graph"):
        bare.predict(graph=[("p", "q")])
    with pytest.raises(LovaszError, match="features go with a graph"):
        fitted.predict(features=X)


def small_model() -> LCNClassifier:
    graph = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (4, 5), (5, 6), (6, 7), (7, 4), (4, 6), (3, 4)]
    return LCNClassifier(fast=True, random_state=0).fit(graph, {0: "a", 1: "a", 6: "b", 7: "b"})


def test_a_graph_without_edges_keeps_labels_and_answers_the_rest_by_shares():
    bare = lovasz.as_graph([], nodes=[0, 3, 6])
    P = small_model().predict_proba(graph=bare)
    assert P.tolist() == [[1, 0], [0.5, 0.5], [0, 1]]


@pytest.mark.parametrize("rows", [[0, 1], [0, 1, 2], [3, 0]])
def test_a_graph_of_two_or_three_nodes_is_answered(rows):
    y = np.where(np.arange(80) % 3, -1, BLOCKS.y)
    clf = LCNClassifier(fast=True, random_state=0).fit(BLOCKS.graph, y, X)
    assert clf.blend_.shares["similar surroundings, smoothed"] > 0
    path = lovasz.as_graph(list(pairwise(rows)), nodes=rows)
    P = clf.predict_proba(graph=path, features=X[rows])
    assert P.shape == (len(rows), 2) and np.allclose(P.sum(axis=1), 1)
    assert P[rows.index(0), BLOCKS.y[0]] == 1


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        ([(2, 3)], "no labelled node is in the new graph"),  # its answers were NaN
        (lovasz.as_graph([], nodes=[2, 3]), "no labelled node is in the new graph"),
        ([], "no node of the fitted graph"),
    ],
)
def test_a_graph_without_labelled_nodes_is_refused(graph, words):
    with pytest.raises(LovaszError, match=words):
        small_model().predict_proba(graph=graph)


def test_labels_that_were_overruled_stay_overruled(tmp_path):
    labels = LABELS | {name: "ba"["ab".index(LABELS[name])] for name in list(LABELS)[:2]}
    graph = lovasz.as_graph(BLOCKS.graph.adjacency, nodes=NAMES)
    clf = LCNClassifier(fast=True, noisy=True, random_state=0).fit(graph, labels)
    assert {node for node, *_ in clf.suspicious_} >= set(list(LABELS)[:2])
    clf.save(tmp_path / "model")
    for model in (clf, LCNClassifier.load(tmp_path / "model")):
        np.testing.assert_array_equal(model.predict(graph=graph), clf.predict())


def test_a_single_new_row_joins_the_graph_of_a_table():
    y = np.where(np.arange(80) % 4 == 0, BLOCKS.y, -1)
    clf = LCNClassifier(affinity="knn", fast=True, random_state=0).fit(X, y)
    assert clf.predict(X[:1]).shape == (1,)
    with pytest.raises(LovaszError, match="n_samples=1"):
        LCNClassifier(affinity="knn").fit(X[:1], [0])
