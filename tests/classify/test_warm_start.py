"""More labels for a fitted classifier: honest judges, and the accuracy of a fresh fit."""

import numpy as np
import pytest

from lovasz import LCNClassifier, LovaszError
from lovasz.classify import warm_start
from lovasz.classify.parts import Parts, deal_folds
from lovasz.classify.warm_start import deal_new_labels, keep_judges
from lovasz.graphs.families import planted_partition

BLOCKS = planted_partition(100, 2, 0.2, 0.03, seed=0)
ORDER = np.random.default_rng(0).permutation(100)


def labels(count):
    return {int(row): "ab"[BLOCKS.y[row]] for row in ORDER[:count]}


def quick(**options):
    return LCNClassifier(**({"random_state": 0, "epochs": 30} | options))


@pytest.fixture
def fitted():
    return quick(epochs=15).fit(BLOCKS.graph, labels(30))


def test_more_labels_are_learned_and_judge_runs_that_have_not_seen_them(fitted):
    before = fitted.parts_
    assert fitted.partial_fit(labels(45)) is fitted
    now = fitted.parts_
    truth = np.array(["a", "b"])[BLOCKS.y]
    assert (fitted.predict() == truth).mean() > 0.9
    assert fitted.predict()[ORDER[:45]].tolist() == [*labels(45).values()]
    assert now.judges.tolist() == sorted(labels(45))
    for (_, old), (train, judges) in zip(before.runs, now.runs, strict=True):
        assert set(old) <= set(judges) and not set(train) & set(judges)


def test_the_same_labels_change_nothing(fitted):
    P = fitted.predict_proba().copy()
    fitted.partial_fit(labels(30))
    np.testing.assert_array_equal(fitted.predict_proba(), P)


def test_networks_go_on_and_for_fewer_epochs(fitted, monkeypatch):
    monkeypatch.setattr(warm_start, "WARM_EPOCHS", 3)
    fitted.partial_fit(labels(40))
    assert len(fitted.training_.train_loss) == 3


def test_a_corrected_label_is_taken(fitted):
    wrong = labels(30)
    node = next(iter(wrong))
    wrong[node] = "a" if wrong[node] == "b" else "b"
    fitted.partial_fit(wrong)
    assert fitted.predict()[node] == wrong[node]


def test_a_new_class_and_many_more_labels_are_a_fresh_fit(fitted, monkeypatch):
    more = labels(90)
    monkeypatch.setattr(warm_start, "FRESH_FACTOR", 2.0)
    fitted.partial_fit(more)
    fresh = quick(epochs=15).fit(BLOCKS.graph, more)
    np.testing.assert_array_equal(fitted.predict_proba(), fresh.predict_proba())
    more[next(iter(more))] = "new"
    fitted.partial_fit(more)
    assert fitted.classes_.tolist() == ["a", "b", "new"]


def test_given_validation_nodes_go_on_judging():
    rows = np.sort(ORDER[:10])
    clf = quick(epochs=5).fit(BLOCKS.graph, labels(40), validation=rows)
    clf.partial_fit(labels(50))
    assert clf.blend_.judges.tolist() == rows.tolist()
    assert all(not set(train) & set(rows) for train, _ in clf.parts_.runs)


def test_a_network_on_a_named_kernel_goes_on():
    clf = quick(kernel="ls").fit(BLOCKS.graph, labels(30))
    held = set(clf.parts_.judges)
    clf.partial_fit(labels(50))
    assert held <= set(clf.parts_.judges)
    assert (clf.predict() == np.array(["a", "b"])[BLOCKS.y]).mean() > 0.8


def test_a_loaded_model_learns_on_by_a_fresh_fit(tmp_path, fitted):
    fitted.save(tmp_path / "model")
    again = LCNClassifier.load(tmp_path / "model").partial_fit(labels(40))
    fresh = quick(epochs=15).fit(BLOCKS.graph, labels(40))
    np.testing.assert_allclose(again.predict_proba(), fresh.predict_proba(), atol=1e-6)


def test_without_a_graph_there_is_nothing_to_go_on_from():
    with pytest.raises(LovaszError, match="partial_fit needs a fitted"):
        LCNClassifier().partial_fit({"a": 1})


def test_no_class_is_held_out_all_at_once():
    before = np.array([0, 0, 0, 1, 1, 1, -1, -1])
    parts = deal_folds(before, folds=3, answering=1, seed=0)
    codes = np.array([0, 0, 0, 0, 1, 0, -1, 1])
    dealt = deal_new_labels(parts, before, codes, seed=0)
    for train, _ in dealt.runs:
        assert set(codes[train]) == {0, 1}
    assert np.array_equal(dealt.runs[-1][0], np.flatnonzero(codes >= 0))


def test_judges_that_lost_their_label_judge_no_more():
    parts = Parts([(np.array([0, 1]), np.array([2, 3]))], [0])
    kept = keep_judges(parts, np.array([0, 1, -1, 1, 1]))
    assert [part.tolist() for part in kept.runs[0]] == [[0, 1, 4], [3]]


@pytest.mark.parametrize("fast", [False, True])
def test_validation_nodes_that_lost_their_label_are_left_out(fast):
    y = np.where(np.arange(100) % 2, -1, BLOCKS.y)
    clf = LCNClassifier(fast=fast, epochs=5, random_state=0)
    clf.fit(BLOCKS.graph, y, validation=np.arange(0, 100, 4))
    y[0] = -1
    clf.partial_fit(y)
    assert clf.blend_.judges.tolist() == list(range(4, 100, 4))
    y[0] = BLOCKS.y[0]
    clf.partial_fit(y)  # it has its label back
    assert clf.blend_.judges.tolist() == list(range(0, 100, 4))
    assert all(0 not in train for train, _ in clf.parts_.runs)


@pytest.mark.parametrize("fast", [False, True])
def test_validation_nodes_that_all_lost_their_label_judge_when_they_have_it_back(fast):
    y = np.where(np.arange(100) % 2, -1, BLOCKS.y)
    rows = np.arange(0, 100, 4)
    without = np.where(np.isin(np.arange(100), rows), -1, y)
    clf = LCNClassifier(fast=fast, epochs=5, random_state=0)
    clf.fit(BLOCKS.graph, y, validation=rows).partial_fit(without)
    without[41] = BLOCKS.y[41]
    clf.partial_fit(without)
    assert not set(clf.blend_.judges) & set(rows) and {41, 50} <= set(clf.parts_.taught)
    clf.partial_fit(y)
    assert clf.blend_.judges.tolist() == rows.tolist()
