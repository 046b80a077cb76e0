"""Correct and Smooth among the candidates: where it is tried, and what it does to an answer."""

import numpy as np
import pytest

from lovasz import LCNClassifier
from lovasz.classify.bench import Bench, Fitted
from lovasz.classify.candidates import CANDIDATES, candidates_for
from lovasz.classify.explainer import Explainer
from lovasz.classify.local_answers import Removals
from lovasz.classify.parts import Parts, deal_folds
from lovasz.classify.problem import make_problem
from lovasz.classify.smoothing import SMOOTHING, STEPS, spread, walk_weights
from lovasz.graphs import Graph
from lovasz.graphs.families import planted_partition
from lovasz.linalg.scaling import normalize
from lovasz.nn import Settings

NAME = "similar surroundings, smoothed"
SMOOTHED = CANDIDATES[NAME]
BLOCKS = planted_partition(90, 3, 0.25, 0.02, seed=0)
RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 4)) + 0.5 * np.eye(3, 4)[BLOCKS.y]


def problem_of(graph=BLOCKS.graph, features=X, labelled=3):
    problem = make_problem(graph, np.arange(3), BLOCKS.y, features, "auto", None)
    return problem.with_codes(np.where(np.arange(90) % labelled, -1, BLOCKS.y))


def bench_of(problem, logits):
    parts = deal_folds(problem.codes, folds=3, answering=1, seed=0)
    done = {SMOOTHED.prior: Fitted(np.stack([logits] * len(parts.runs)))}
    return Bench(problem, parts, Settings(), 0, "cpu", done)


def test_it_is_tried_where_there_are_edges_and_features():
    assert NAME in candidates_for(problem_of()) and NAME in candidates_for(problem_of(), fast=True)
    assert not SMOOTHED.suits(problem_of(features=None))
    assert not SMOOTHED.suits(problem_of(graph=Graph.from_edges([], [], n=90)))


def test_walks_of_every_length_add_up_to_what_is_spread():
    S, Y = normalize(BLOCKS.graph.adjacency), np.eye(3)[BLOCKS.y]
    walked, total = Y, np.zeros_like(Y)
    for weight in walk_weights(SMOOTHING):
        total += weight * walked
        walked = S @ walked
    np.testing.assert_allclose(total, spread(S, Y, SMOOTHING), atol=1e-12)
    assert len(walk_weights(SMOOTHING)) == STEPS + 1


def test_an_answer_that_is_wrong_at_labels_is_corrected_around_them():
    """The other candidate says class 0 everywhere; only corrections can tell the others apart."""
    problem = problem_of()
    constant = np.tile([1.0, 0.0, 0.0], (90, 1))
    logits = SMOOTHED.fit(bench_of(problem, constant), None).logits
    hidden = problem.codes < 0
    assert (logits[-1].argmax(axis=1) == BLOCKS.y)[hidden].mean() > 0.9


def test_an_answer_that_is_right_at_labels_is_only_smoothed():
    problem = problem_of()
    sure = 50.0 * np.eye(3)[BLOCKS.y]
    [*_, F] = SMOOTHED.corrected(bench_of(problem, sure), normalize(problem.graph.adjacency))
    # A calibrated answer is never certain, so a small residual is left.
    np.testing.assert_allclose(F, np.eye(3)[BLOCKS.y], atol=0.05)


def test_runs_that_learn_and_are_told_the_same_are_smoothed_once(monkeypatch):
    known, nothing = np.arange(0, 90, 3), np.empty(0, dtype=int)
    parts = Parts([(known, nothing)] * 3, range(3))
    said = RNG.normal(size=(90, 3))
    done = {SMOOTHED.prior: Fitted(np.stack([said, said, -said]))}
    bench = Bench(problem_of(), parts, Settings(), 0, "cpu", done)
    shares = []

    def count(S, Y, share):
        shares.append(share)
        return spread(S, Y, share)

    monkeypatch.setattr("lovasz.classify.smoothing.spread", count)
    first, second, other = SMOOTHED.fit(bench, None).logits
    assert shares == [SMOOTHING] * 4  # two runs, each corrected and smoothed
    assert np.array_equal(first, second) and not np.array_equal(first, other)


def test_no_run_sees_the_labels_that_judge_it():
    """Labels that a run does not know may change without any change of its answer."""
    problem = problem_of()
    logits = RNG.normal(size=(90, 3))
    before = SMOOTHED.fit(bench_of(problem, logits), None).logits
    parts = deal_folds(problem.codes, folds=3, answering=1, seed=0)
    _, judges = parts.runs[0]
    codes = problem.codes.copy()
    codes[judges] = (codes[judges] + 1) % 3
    calibration = bench_of(problem, logits).calibrate(SMOOTHED.prior)
    done = {SMOOTHED.prior: Fitted(np.stack([logits] * len(parts.runs)))}
    known = {SMOOTHED.prior: calibration}
    other = Bench(problem.with_codes(codes), parts, Settings(), 0, "cpu", done, calibrations=known)
    np.testing.assert_array_equal(SMOOTHED.fit(other, None).logits[0], before[0])


@pytest.fixture(scope="module")
def fitted():
    clf = LCNClassifier(fast=True, random_state=0)
    return clf.fit(BLOCKS.graph, np.where(np.arange(90) % 3, -1, BLOCKS.y), X)


def test_with_nothing_removed_it_answers_as_it_was_fitted(fitted):
    local = Explainer(fitted, fitted._problem).answers[NAME]
    nothing = Removals.of([np.empty((0, 2))], [False])
    bench = Explainer(fitted, fitted._problem)._bench(SMOOTHED.prior)
    logits = SMOOTHED.fit(bench, None).logits
    for node in (0, 1, 2, 50):  # node 0 is labelled
        np.testing.assert_allclose(local.logits(node, nothing)[0, 0], logits[0, node], atol=1e-9)


def test_an_edge_that_is_cut_passes_nothing_on_and_features_count_through_the_other(fitted):
    explainer, node = Explainer(fitted, fitted._problem), 1
    local = explainer.answers[NAME]
    cut = np.array([(node, int(BLOCKS.graph.adjacency[[node]].indices[0]))])
    removals = Removals.of([cut, np.empty((0, 2))], [False, True])
    S = local.walks.S.copy().tolil()
    [[i, j]] = cut
    S[i, j] = S[j, i] = 0
    kernels = [S.tocsr(), local.walks.S]
    before = local.calibration(local.base.logits(node, Removals.of([cut[:0]], [False])))[0, 0]
    after = local.calibration(local.base.logits(node, removals))[0]
    for number, matrix in enumerate(kernels):
        F = local.walks.H[:, 0].copy()
        F[node] += after[number] - before
        expected = np.log(spread(matrix, F, SMOOTHING)[node] + local.walks.floor)
        np.testing.assert_allclose(local.logits(node, removals)[0, number], expected, atol=1e-9)


def test_a_grown_graph_is_answered_and_a_saved_model_answers_alike(fitted, tmp_path):
    A = BLOCKS.graph.adjacency.toarray()
    grown = np.zeros((91, 91))
    grown[:90, :90] = A
    grown[90, :5] = grown[:5, 90] = 1
    table = np.vstack([X, X[:1]])
    found = fitted.predict_proba(graph=grown, features=table)
    assert found.shape == (91, 3) and fitted.blend_.shares[NAME] > 0
    fitted.save(tmp_path / "model")
    again = LCNClassifier.load(tmp_path / "model")
    np.testing.assert_allclose(again.predict_proba(graph=grown, features=table), found)
