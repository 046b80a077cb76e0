"""kernel="auto": what it tries, how it chooses, and how far its probabilities can be trusted."""

import numpy as np
import pytest

from lovasz import LCNClassifier, LovaszError
from lovasz.classify import candidates
from lovasz.classify.calibration import Calibration
from lovasz.graphs.families import planted_partition

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
    assert list(fitted.tried_) == list(candidates.CANDIDATES)
    shares = fitted.blend_.shares
    assert list(shares) == list(fitted.tried_) and sum(shares.values()) == pytest.approx(1)
    assert min(shares.values()) > 0 and shares[fitted.chosen_] == max(shares.values())
    assert fitted.chosen_.startswith(fitted.kernel_name_)
    assert fitted.propagation_ == candidates.CANDIDATES[fitted.chosen_].propagation
    assert (fitted.predict() == BLOCKS.y).mean() > 0.85


def test_without_features_it_tries_less(fitted):
    clf = quick().fit(BLOCKS.graph, FEW)
    assert list(clf.tried_) == list(candidates.CANDIDATES)[: candidates.WITHOUT_FEATURES]


def test_a_huge_graph_gets_few_candidates(monkeypatch):
    monkeypatch.setattr(candidates, "MANY_EDGES", 10)
    assert candidates.candidate_names(BLOCKS.graph, X) == ["ls", "gcn"]


def test_without_validation_nodes_the_labels_are_held_out_in_turn(fitted):
    assert fitted.training_.logits.shape[0] == candidates.FOLDS
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
    assert clf.blend_.calibrations["ls"] == Calibration()
    assert clf.blend_.shares["ls"] == 1 and clf.expected_accuracy_ is None


def test_calibration_leaves_the_answers_as_they_are(fitted):
    found = fitted.blend_.calibrations[fitted.chosen_](fitted.logits_)
    assert np.array_equal(found.argmax(1), fitted.logits_.argmax(1))


def test_the_expected_accuracy_is_near_the_real_one(fitted):
    hidden = np.setdiff1d(np.arange(120), list(FEW))
    right = (fitted.predict() == BLOCKS.y)[hidden].mean()
    assert fitted.expected_accuracy_ == fitted.blend_.accuracy
    assert abs(fitted.expected_accuracy_ - right) < 0.12
    low, high = fitted.expected_range_
    assert 0 <= low < fitted.expected_accuracy_ <= high <= 1


def test_new_rows_get_the_propagation_that_was_learned(monkeypatch):
    only = {"ls normalized": candidates.CANDIDATES["ls normalized, learned"]}
    monkeypatch.setattr(candidates, "CANDIDATES", only)
    table = np.vstack([RNG.normal((5, 0), 0.5, (30, 2)), RNG.normal((0, 5), 0.5, (30, 2))])
    y = np.where(np.arange(60) % 6 == 0, np.repeat([0, 1], 30), -1)
    clf = quick(affinity="knn", epochs=100).fit(table, y)
    assert clf.propagation_ == "learned"
    assert clf.predict(np.array([[5.0, 0.1], [0.1, 5.0]])).tolist() == [0, 1]
    with pytest.raises(LovaszError, match="auto chose the propagation 'learned'"):
        clf.model_  # noqa: B018
