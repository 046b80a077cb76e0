"""kernel="auto": what it tries, how it chooses, and how far its probabilities can be trusted."""

import json

import numpy as np
import pytest
from scipy import sparse

from lovasz import LCNClassifier, LovaszError
from lovasz.classify import candidates as auto
from lovasz.classify import evaluation as protocol
from lovasz.graphs.families import planted_partition
from lovasz.pages.report import render_report
from lovasz.workflows.labelling import label_graph

BLOCKS = planted_partition(120, 2, 0.2, 0.05, seed=0)
RNG = np.random.default_rng(0)
X = (np.eye(2)[BLOCKS.y] + RNG.standard_normal((120, 2))).astype(np.float32)
FEW = {row: int(BLOCKS.y[row]) for row in range(0, 120, 3)}


def quick(**options):
    return LCNClassifier(**({"random_state": 0, "epochs": 40} | options))


@pytest.fixture(scope="module")
def fitted():
    return quick().fit(BLOCKS.graph, FEW, X)


def test_it_says_what_it_tried_and_what_each_has_to_say(fitted):
    assert list(fitted.tried_) == list(auto.CANDIDATES)
    shares = fitted.blend_.shares
    assert list(shares) == list(fitted.tried_) and sum(shares.values()) == pytest.approx(1)
    assert min(shares.values()) > 0 and shares[fitted.chosen_] == max(shares.values())
    assert fitted.chosen_.startswith(fitted.kernel_name_)
    assert fitted.propagation_ == auto.CANDIDATES[fitted.chosen_].propagation
    assert (fitted.predict() == BLOCKS.y).mean() > 0.85


def test_without_features_it_tries_less(fitted):
    clf = quick().fit(BLOCKS.graph, FEW)
    assert list(clf.tried_) == list(auto.CANDIDATES)[: auto.WITHOUT_FEATURES]


def test_a_huge_graph_gets_few_candidates(monkeypatch):
    monkeypatch.setattr(auto, "MANY_EDGES", 10)
    assert auto.names(BLOCKS.graph, X) == ["ls", "gcn"]


def test_without_validation_nodes_the_labels_are_held_out_in_turn(fitted):
    assert fitted.training_.logits.shape[0] == auto.FOLDS
    assert len(fitted.networks_[fitted.chosen_][0].shape) == 3
    np.testing.assert_array_equal(fitted.weights_[0], fitted.networks_[fitted.chosen_][0][:, 0])


def test_given_validation_nodes_choose_alone():
    clf = quick().fit(BLOCKS.graph, FEW, X, validation=np.arange(0, 120, 6))
    assert clf.training_.logits.shape[0] == 1
    assert clf.tried_[clf.chosen_].surprise == min(t.surprise for t in clf.tried_.values())
    assert clf.blend_.shares[clf.chosen_] == 1
    np.testing.assert_allclose(
        clf.predict_proba(), clf.blend_.calibrations[clf.chosen_](clf.logits_), atol=1e-12
    )


def test_two_labels_leave_nothing_to_choose_by():
    clf = quick().fit(BLOCKS.graph, {0: 0, 119: 1}, X)
    assert clf.chosen_ == "ls" and np.isnan(clf.tried_["ls"].accuracy)
    assert clf.blend_.calibrations["ls"] == protocol.Calibration()
    assert clf.blend_.shares["ls"] == 1 and clf.expected_accuracy_ is None


def test_calibration_leaves_answers_and_is_the_likeliest(fitted):
    found = fitted.blend_.calibrations[fitted.chosen_](fitted.logits_)
    assert np.array_equal(found.argmax(1), fitted.logits_.argmax(1))
    logits = RNG.standard_normal((4000, 3))
    p = np.exp(logits / 2.5)
    y = np.array([RNG.choice(3, p=row / row.sum()) for row in p])
    found = protocol.Calibration.of(logits, y)
    assert found.temperature == pytest.approx(2.5, rel=0.15) and found.power == 0
    assert protocol.Calibration.of(logits[:5], y[:5]).temperature == 1


def test_logits_that_tell_of_degrees_are_evened_out():
    """The same odds at sizes that vary a hundredfold from node to node."""
    size = np.exp(RNG.uniform(-2.3, 2.3, 4000))[:, None]
    logits = RNG.standard_normal((4000, 3))
    p = np.exp(2 * logits)
    y = np.array([RNG.choice(3, p=row / row.sum()) for row in p])
    found = protocol.Calibration.of(size * logits, y)
    assert found.power == 0.5
    right = (logits.argmax(1) == y).mean()
    _, T = protocol._likeliest(size * logits, y)
    plain = protocol.Calibration(T)(size * logits).max(axis=1).mean()
    assert abs(found(size * logits).max(axis=1).mean() - right) < abs(plain - right)


def test_the_expected_accuracy_is_near_the_real_one(fitted):
    hidden = np.setdiff1d(np.arange(120), list(FEW))
    right = (fitted.predict() == BLOCKS.y)[hidden].mean()
    assert fitted.expected_accuracy_ == fitted.blend_.accuracy
    assert abs(fitted.expected_accuracy_ - right) < 0.12
    low, high = fitted.expected_range_
    assert 0 <= low < fitted.expected_accuracy_ <= high <= 1


def test_candidates_are_chosen_by_surprise_then_accuracy_then_order():
    Trial = protocol.Trial
    sure, right = Trial(0.8, 0.4), Trial(0.9, 0.5)
    assert protocol.choose({"right": right, "sure": sure}) == "sure"
    few = {"a": Trial(0.8, np.nan), "b": Trial(0.9, np.nan), "c": Trial(0.9, np.nan)}
    assert protocol.choose(few) == "b"
    assert protocol.choose(dict.fromkeys("xy", Trial(np.nan, np.nan))) == "x"


def test_many_right_answers_are_not_certainty():
    """30 of 30 right: Platt's estimate is 31/32, however large the logits are."""
    y = np.arange(30) % 2
    for size in (0.01, 1.0, 100.0):
        logits = size * np.eye(2)[y]
        found = protocol.Calibration.of(logits, y)
        assert found(logits).max(axis=1) == pytest.approx(31 / 32, abs=1e-3)
        assert found.surprise(logits, y) == pytest.approx(
            -(31 * np.log(31 / 32) + np.log(1 / 32)) / 32, abs=1e-5
        )


def test_every_choice_is_saved_and_loaded(tmp_path, fitted):
    fitted.save(tmp_path / "model")
    loaded = LCNClassifier.load(tmp_path / "model")
    for name in (
        "chosen_",
        "propagation_",
        "tried_",
        "blend_",
        "expected_accuracy_",
        "expected_range_",
    ):
        assert getattr(loaded, name) == getattr(fitted, name)
    assert np.array_equal(loaded.predict_proba(), fitted.predict_proba())


def test_new_rows_get_the_propagation_that_was_learned(monkeypatch):
    only = {"ls normalized": auto.CANDIDATES["ls normalized, learned"]}
    monkeypatch.setattr(auto, "CANDIDATES", only)
    table = np.vstack([RNG.normal((5, 0), 0.5, (30, 2)), RNG.normal((0, 5), 0.5, (30, 2))])
    y = np.where(np.arange(60) % 6 == 0, np.repeat([0, 1], 30), -1)
    clf = quick(affinity="knn", epochs=100).fit(table, y)
    assert clf.propagation_ == "learned"
    assert clf.predict(np.array([[5.0, 0.1], [0.1, 5.0]])).tolist() == [0, 1]
    with pytest.raises(LovaszError, match="auto chose the propagation 'learned'"):
        clf.model_  # noqa: B018


def test_the_job_says_it_in_words_and_in_json():
    labels = {row: int(BLOCKS.y[row]) for row in range(0, 120, 2)}
    job = label_graph(
        BLOCKS.graph, labels, quick(epochs=15), features=sparse.csr_array(X), splits=2,
        title="t", command="c",
    )  # fmt: skip
    page = render_report(job.page)
    said = job.summary()
    assert "What was tried" in page and "gcn, ppr, consistent" in page
    share, (low, high) = said["expected_accuracy"], said["expected_range"]
    assert f"{100 * share:.0f} % were labelled rightly (95 % interval {100 * low:.0f} to" in page
    assert low <= share <= high
    assert json.loads(json.dumps(said))["tried"].keys() == auto.CANDIDATES.keys()
