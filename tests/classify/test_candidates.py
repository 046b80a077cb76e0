"""kernel="auto": what it tries, how it chooses, and how far its probabilities can be trusted."""

import numpy as np
import pytest
from scipy import sparse

import lovasz
from lovasz import LCNClassifier, LovaszError
from lovasz.classify import candidates
from lovasz.classify.bench import Bench
from lovasz.classify.blend import CREDIT
from lovasz.classify.parts import deal_folds
from lovasz.classify.problem import make_problem
from lovasz.graphs.families import planted_partition, sbm
from lovasz.graphs.similarity import similarity_graph
from lovasz.nn import Settings

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
    tried = [name for name in candidates.CANDIDATES if name != "ls hyperedges"]
    assert list(fitted.tried_) == tried
    shares = fitted.blend_.shares
    assert list(shares) == tried and sum(shares.values()) == pytest.approx(1)
    assert min(shares.values()) > 0 and shares[fitted.chosen_] == max(shares.values())
    assert fitted.network_.startswith(fitted.kernel_name_)
    assert fitted.propagation_ == candidates.CANDIDATES[fitted.network_].propagation
    assert (fitted.predict() == BLOCKS.y).mean() > 0.85


def test_without_features_it_tries_less(fitted):
    clf = quick().fit(BLOCKS.graph, FEW)
    assert {"spectral", "spreading", "blocks", "ls", "gcn"} <= set(clf.tried_)
    assert not {"linear", "perceptron", "blocks on features"} & set(clf.tried_)


def test_a_large_graph_and_a_hurry_leave_out_the_slow(monkeypatch):
    problem = make_problem(BLOCKS.graph, np.arange(2), BLOCKS.y, X, "auto")
    every = candidates.candidates_for(problem)
    fewer = candidates.candidates_for(problem, fast=True)
    assert set(every) - set(fewer) == set(candidates.FAST_LEAVES_OUT) - {"ls hyperedges"}
    clf = quick(fast=True, epochs=5).fit(BLOCKS.graph, FEW, X)
    assert list(clf.tried_) == [*fewer] and len(clf.parts_.runs) == candidates.FAST_FOLDS + 1
    dozen = problem.with_codes(np.where(np.arange(len(BLOCKS.y)) < 12, BLOCKS.y, -1))
    assert set(every) - set(candidates.candidates_for(dozen)) == set(candidates.SLOW)
    monkeypatch.setattr(candidates, "LARGE_EDGES", 10)
    assert not set(candidates.SLOW) & set(candidates.candidates_for(problem))


def test_every_label_judges_once_and_all_labels_teach_the_runs_that_answer(fitted):
    assert fitted.training_.logits.shape[0] == candidates.FOLDS + candidates.ANSWERING
    assert fitted.blend_.judges.tolist() == sorted(FEW)
    first = fitted.networks_[fitted.network_][0]
    assert first.ndim == 3 and first.shape[1] == candidates.ANSWERING
    np.testing.assert_array_equal(fitted.weights_[0], first[:, 0])


@pytest.mark.parametrize("hidden", [16, 70])
def test_the_hidden_units_of_a_candidate_are_the_least(hidden):
    clf = quick(hidden=hidden, epochs=2).fit(BLOCKS.graph, FEW, X)
    least = {"gcn": 16, "gcn, ppr, consistent": 32, "perceptron": candidates.WIDE}
    for name, count in least.items():
        assert clf.networks_[name][0].shape[2] == max(count, hidden)


def test_given_validation_nodes_judge_alone():
    rows = np.arange(0, 120, 6)
    clf = quick().fit(BLOCKS.graph, FEW, X, validation=rows)
    assert clf.blend_.judges.tolist() == rows.tolist()
    assert clf.training_.logits.shape[0] == candidates.ANSWERING + 1


def test_two_labels_leave_nothing_to_judge_by():
    clf = quick().fit(BLOCKS.graph, {0: 0, 119: 1}, X)
    assert clf.expected_accuracy_ is None and clf.expected_range_ is None
    shares = clf.blend_.shares
    assert {name for name in shares if shares[name] > 0} == set(candidates.TRUSTED)


def test_the_expected_accuracy_is_near_the_real_one(fitted):
    hidden = np.setdiff1d(np.arange(120), list(FEW))
    right = (fitted.predict() == BLOCKS.y)[hidden].mean()
    assert abs(fitted.expected_accuracy_ - right) < 0.12
    low, high = fitted.expected_range_
    assert 0 <= low < fitted.expected_accuracy_ <= high <= 1
    assert low <= right <= high


def test_dense_and_sparse_features_give_the_same_answer():
    words = (RNG.random((120, 30)) < 0.1).astype(np.float32)
    words[np.arange(120), BLOCKS.y] = 1
    dense = quick(epochs=10).fit(BLOCKS.graph, FEW, words).predict_proba()
    thin = quick(epochs=10).fit(BLOCKS.graph, FEW, sparse.csr_array(words)).predict_proba()
    np.testing.assert_allclose(dense, thin, atol=1e-5)


@pytest.mark.parametrize(("inside", "between"), [(0.12, 0.04), (0.03, 0.10)])
def test_blocks_that_attract_or_avoid_each_other_are_found(inside, between):
    affinity = np.full((3, 3), between) + (inside - between) * np.eye(3)
    blocks = sbm([100] * 3, affinity, seed=1)
    known = np.arange(300) % 10 == 0
    clf = quick(epochs=20).fit(blocks.graph, np.where(known, blocks.y, -1))
    assert (clf.predict() == blocks.y)[~known].mean() > 0.9


@pytest.mark.parametrize(("inside", "between"), [(0.06, 0.03), (0.03, 0.07)])
def test_a_block_model_with_features_is_known_as_such(inside, between):
    affinity = np.full((3, 3), between) + (inside - between) * np.eye(3)
    blocks = sbm([80] * 3, affinity, seed=2)
    rows = 1.5 * np.eye(3)[blocks.y] + np.random.default_rng(2).standard_normal((240, 3))
    clf = quick(epochs=20).fit(blocks.graph, np.where(np.arange(240) % 6, -1, blocks.y), rows)
    assert clf.chosen_ == "blocks with features"
    assert clf.blend_.shares["blocks with features"] > 0.4
    assert clf.blend_.shares["blocks"] < 0.1


def test_a_graph_of_neighbours_is_not_taken_for_a_block_model():
    table = np.vstack([RNG.normal((3, 0), 1, (40, 2)), RNG.normal((0, 3), 1, (40, 2))])
    y = np.repeat([0, 1], 40)
    graph = similarity_graph(table, "knn", k=6)
    problem = make_problem(graph, np.arange(2), y, table, "auto")
    parts = deal_folds(np.where(np.arange(80) % 2, -1, y), folds=5, answering=1, seed=0)
    bench = Bench(problem, parts, Settings(), 0, "cpu")
    assert candidates.CANDIDATES["blocks with features"].fit(bench, None).credit == CREDIT
    planted = make_problem(BLOCKS.graph, np.arange(2), BLOCKS.y, X, "auto")
    other = Bench(planted, parts, Settings(), 0, "cpu")
    found = candidates.CANDIDATES["blocks with features"].fit(other, None)
    assert found.credit == candidates.BLOCK_CREDIT
    assert candidates.CANDIDATES["blocks"].fit(other, None).credit == CREDIT


def test_new_rows_are_answered_by_networks_and_models_of_the_features(tmp_path):
    table = np.vstack([RNG.normal((5, 0), 0.7, (40, 2)), RNG.normal((0, 5), 0.7, (40, 2))])
    y = np.where(np.arange(80) % 2 == 0, np.repeat([0, 1], 40), -1)
    clf = quick(affinity="knn").fit(table, y)
    assert {"perceptron", "ls"} <= set(clf.networks_)
    assert {"linear", "similar rows", "similar surroundings"} <= set(clf.tried_)
    new = np.array([[5.0, 0.1], [0.1, 5.0]])
    assert clf.predict(new).tolist() == [0, 1]
    clf.save(tmp_path / "model")
    again = LCNClassifier.load(tmp_path / "model")
    assert np.array_equal(again.predict_proba(new), clf.predict_proba(new))


def test_a_given_label_stays_unless_labels_are_noisy():
    wrong = dict(FEW) | {0: 1 - FEW[0]}
    kept = quick().fit(BLOCKS.graph, wrong, X)
    assert kept.predict()[0] == 1 - FEW[0] and kept.predict_proba()[0].max() == 1
    free = quick(noisy=True).fit(BLOCKS.graph, wrong, X)
    assert free.predict_proba()[0].max() < 1


def test_a_class_with_one_label_is_kept_and_can_be_answered():
    labels = {row: str(FEW[row]) for row in FEW} | {1: "rare"}
    clf = quick().fit(BLOCKS.graph, labels, X)
    assert clf.predict()[1] == "rare"
    assert 1 not in clf.blend_.judges


def test_islands_are_answered_from_features_or_with_the_shares_of_the_classes():
    edges = [*zip(*BLOCKS.graph.edges(), strict=True), ("alone", "together")]
    graph = lovasz.as_graph([(str(a), str(b)) for a, b in edges])
    labels = {str(row): code for row, code in FEW.items()}
    bare = quick(epochs=10).fit(graph, labels)
    lonely = [graph.positions["alone"], graph.positions["together"]]
    shares = np.bincount([*FEW.values()]) / len(FEW)
    np.testing.assert_allclose(bare.predict_proba()[lonely], [shares, shares])
    assert bare.unreached_.sum() == 2
    table = np.zeros((graph.n, 2), dtype=np.float32)
    for name, row in graph.positions.items():
        table[row] = X[int(name)] if name.isdigit() else (-9.0, 9.0)
    with_features = quick().fit(graph, labels, table)
    assert with_features.predict()[lonely].tolist() == [1, 1]


def test_the_propagation_that_lcn_has_not_is_refused():
    clf = quick(epochs=5).fit(BLOCKS.graph, FEW, X)
    clf.propagation_ = "learned"
    with pytest.raises(LovaszError, match="auto chose the propagation 'learned'"):
        clf.model_  # noqa: B018


@pytest.mark.parametrize("labels", [[0, 1, -1], [0, 1] * 14 + [-1] * 2])
def test_nothing_to_learn_from_is_one_line(labels):
    bare = lovasz.as_graph([], nodes=range(len(labels)))
    with pytest.raises(LovaszError, match="no edges and the nodes no features"):
        LCNClassifier(fast=True).fit(bare, labels)
