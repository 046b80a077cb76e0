"""What to label: before and after a fit, and when to stop."""

import re
from itertools import pairwise

import numpy as np
import pytest

import lovasz
from lovasz import LCNClassifier, LovaszError
from lovasz.classify.forecast import power_interval
from lovasz.graphs.families import planted_partition
from lovasz.linalg.scaling import normalize

NAMES = ["<b>x</b>", "", "a,b", "'; --", "\n", "a" * 300]


@pytest.fixture(scope="module")
def planted():
    return planted_partition(120, 4, 0.4, 0.03, seed=1)


@pytest.fixture(scope="module")
def fitted(planted):
    y = {row: f"c{planted.y[row]}" for row in range(0, 120, 5)}
    return LCNClassifier(fast=True, random_state=0, epochs=50).fit(planted.graph, y)


def spread(graph, rows, y):
    """Accuracy of label spreading, which is enough to tell good labels from bad ones."""
    F = Y = np.eye(y.max() + 1)[y] * np.isin(np.arange(graph.n), rows)[:, None]
    S = normalize(graph.adjacency)
    for _ in range(30):
        F = 0.9 * (S @ F) + 0.1 * Y
    return (F.argmax(1) == y).mean()


def test_distinct_unlabelled_and_deterministic(planted):
    labelled, barred = [0, 50], range(100, 120)
    found = lovasz.suggest(planted.graph, 20, labelled=labelled, exclude=barred)
    assert len({*found.nodes}) == len(found) == 20
    assert not {*found.nodes} & {*labelled, *barred}
    assert found == lovasz.suggest(planted.graph, 20, labelled=labelled, exclude=barred)
    assert all(item.reason and 0 <= item.score <= 1 for item in found)
    assert found.to_frame()["node"].tolist() == found.nodes


def test_reasons_count_alike_nodes_even_if_all_nodes_are_named(planted):
    few, all_ = lovasz.suggest(planted.graph, 1), lovasz.suggest(planted.graph, 120)
    assert "none of which is labelled" in few[0].reason
    assert all_[0] == few[0]
    assert all_[-1].reason == "no other node is like it"


def test_features_decide_where_the_graph_cannot(planted):
    empty = lovasz.Graph.from_edges([0], [6], n=60)
    X = np.eye(6)[np.arange(60) % 6] + 0.01 * np.random.default_rng(0).standard_normal((60, 6))
    found = lovasz.suggest(empty, 6, features=X)
    assert {node % 6 for node in found.nodes} == set(range(6))


def test_every_block_gets_a_label(planted):
    found = lovasz.suggest(planted.graph, 6)
    assert {planted.y[node] for node in found.nodes} == {0, 1, 2, 3}
    more = lovasz.suggest(planted.graph, 3, labelled=[0])
    assert {planted.y[node] for node in more.nodes} == {1, 2, 3}


def test_better_than_random_labels_on_average(planted):
    ours, theirs = [], []
    for seed in range(8):
        graph, y = planted_partition(120, 4, 0.3, 0.05, seed=seed)[:2]
        y = np.asarray(y)
        ours.append(spread(graph, lovasz.suggest(graph, 6).nodes, y))
        for draw in range(5):
            chosen = np.random.default_rng(draw).choice(120, 6, replace=False)
            theirs.append(spread(graph, chosen, y))
    assert np.mean(ours) > np.mean(theirs) + 0.05


def test_large_components_are_covered():
    i = np.arange(29)
    chains = [np.stack([30 * part + i, 30 * part + i + 1]) for part in range(5)]
    graph = lovasz.Graph.from_edges(*np.concatenate(chains, axis=1), n=153)  # and 3 isolated nodes
    for features in (None, np.random.default_rng(0).standard_normal((153, 3))):
        found = lovasz.suggest(graph, 6, features=features)
        assert {node // 30 for node in found.nodes} >= {0, 1, 2, 3, 4}
    left = lovasz.suggest(graph, 3, labelled=[0, 40, 70, 75])
    assert {node // 30 for node in left.nodes} >= {3, 4}


def test_hostile_names_and_tiny_graphs():
    graph = lovasz.as_graph([(NAMES[i], NAMES[i - 1]) for i in range(6)])
    assert {*lovasz.suggest(graph, 6).nodes} == {*NAMES}
    assert lovasz.suggest(graph, 1, labelled=NAMES[:5]).nodes == NAMES[5:]
    edgeless = lovasz.Graph.from_edges([], [], n=3)
    assert {*lovasz.suggest(edgeless, 3).nodes} == {0, 1, 2}


def test_refusals(planted):
    for k in (121, 0, 2.5):
        with pytest.raises(LovaszError, match=f"k={k}"):
            lovasz.suggest(planted.graph, k)
    with pytest.raises(LovaszError, match="at most 1"):
        lovasz.suggest([(0, 1)], 2, labelled=[0])
    with pytest.raises(LovaszError, match="'nobody'"):
        lovasz.suggest(planted.graph, 1, labelled=["nobody"])


def test_after_a_fit(planted, fitted):
    found = fitted.suggest(10, exclude=[1, 2])
    assert len({*found.nodes}) == 10
    assert not {*found.nodes} & {1, 2, *range(0, 120, 5)}
    assert found == fitted.suggest(10, exclude=[1, 2])
    assert all("c" in item.reason for item in found)
    with pytest.raises(LovaszError, match="at most 96"):
        fitted.suggest(97)
    with pytest.raises(LovaszError, match="fit"):
        LCNClassifier().suggest(1)


def test_reasons_after_a_fit_are_true(planted, fitted):
    A, known = planted.graph.adjacency, {*range(0, 120, 5)}
    P = fitted.predict_proba()
    for item in fitted.suggest(96):
        labelled = {*A.indices[A.indptr[item.node] : A.indptr[item.node + 1]].tolist()} & known
        assert ("hesitates" in item.reason) == (P[item.node].max() < 0.8)
        assert ("no neighbour is labelled" in item.reason) <= (not labelled)


def test_a_sure_answer_beside_labelled_nodes_has_a_reason_to_ask(planted):
    y = {node: node // 30 for node in range(120) if node % 40}
    found = LCNClassifier(fast=True, random_state=0).fit(planted.graph, y).suggest(3)
    assert any(item.reason.startswith("the model says") for item in found)
    for item in found:
        assert not re.fullmatch(r"the model says .* \(\d+%\)", item.reason)


def test_doubt_attracts(planted):
    # Blocks 0 and 1 have many labels, 2 and 3 share one class with a single label each.
    y = dict.fromkeys(range(30), "known") | dict.fromkeys(range(30, 60), "other")
    y |= {70: "rare", 100: "last"}
    clf = LCNClassifier("gcn", validation_fraction=0, epochs=50, random_state=0)
    found = clf.fit(planted.graph, y).suggest(6)
    assert {node // 30 for node in found.nodes} == {2, 3}


def test_a_saved_model_suggests_as_before(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    loaded = LCNClassifier.load(tmp_path / "model")
    assert loaded.suggest(3).nodes == fitted.suggest(3).nodes
    with pytest.raises(LovaszError, match="fit"):
        LCNClassifier().suggest(1)


def test_forecast(fitted):
    found = fitted.forecast()
    assert found.labels == 24 and found.now is not None
    points = [found.now, *found.curve]
    assert [p.labels for p in points] == sorted({p.labels for p in points})
    assert all(0 <= p.low <= p.accuracy <= p.high <= 1 for p in points)
    assert all(a.accuracy <= b.accuracy for a, b in pairwise(points))
    assert found.advice.startswith("with 24 labels")
    assert len(found.to_frame()) == len(points)


def test_forecast_of_few_labels():
    few = LCNClassifier("gcn", validation_fraction=0, epochs=5).fit([(0, 1), (1, 2)], {0: 0, 2: 1})
    assert few.forecast().now is None and "too few" in few.forecast().advice


def test_a_flat_learning_curve_promises_nothing():
    flat = np.full((20, 5), 0.3)
    assert max(power_interval(flat, seed=0)) < 1e-9
