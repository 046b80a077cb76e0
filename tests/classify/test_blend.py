"""Candidates that answer together, weighted by labels that they have not seen."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import softmax

from lovasz.classify.blend import CREDIT, GROUPS, UNJUDGED, blend, clearly_worse, stack
from lovasz.classify.calibration import Calibration
from lovasz.classify.parts import Parts, deal_folds

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 200)
PARTS = deal_folds(Y, folds=4, answering=1, seed=0)


def noisy(right, seed=0):
    """Logits of every run that are right on this share of the nodes; the same for the same seed."""
    said = np.where(np.random.default_rng(seed).random(200) < right, Y, 1 - Y)
    return 2.0 * np.eye(2)[said][None].repeat(len(PARTS.runs), axis=0)


def judged(**logits):
    return blend(logits, Y, PARTS)


@settings(max_examples=40)
@given(st.integers(2, 4), st.integers(1, 30), st.integers(0, 10_000))
def test_stacking_finds_the_maximum(count, nodes, seed):
    p = np.random.default_rng(seed).uniform(0.01, 1, (count, nodes))

    def minus(z):
        w = softmax(z)
        return -np.log(w @ p).sum() - CREDIT * np.log(w).sum()

    best = minimize(minus, np.zeros(count), method="BFGS").fun
    w = stack(p)
    assert w.sum() == pytest.approx(1) and w.min() > 0
    assert minus(np.log(w)) <= best + 1e-6


def test_credit_counts_like_nodes_that_a_candidate_explained():
    same = np.full((2, 30), 0.7)
    np.testing.assert_allclose(stack(same, np.array([10.0, 1.0])), [10 / 11, 1 / 11])
    logits = dict.fromkeys(("one", "other"), noisy(0.8))
    shares = [blend(logits, Y, PARTS, credit={"one": c}).shares["one"] for c in (1.0, 30.0)]
    assert shares[0] < shares[1]


def test_credit_is_lost_where_the_judges_are_sure_that_another_is_better():
    logits = {"poor": noisy(0.55), "good": noisy(0.95, 1)}
    with_credit = blend(logits, Y, PARTS, credit={"poor": 30.0})
    assert with_credit.shares == blend(logits, Y, PARTS).shares


def test_held_out_answers_do_not_know_who_is_clearly_worse_at_their_own_labels(monkeypatch):
    asked = []

    def ask(p):
        asked.append(p.shape[1])
        return clearly_worse(p)

    monkeypatch.setattr("lovasz.classify.blend.clearly_worse", ask)
    blend({"poor": noisy(0.55), "good": noisy(0.95, 1)}, Y, PARTS)
    assert asked == [200, *[160] * GROUPS]


@given(st.integers(2, 5), st.integers(2, 40), st.integers(0, 10_000))
def test_the_best_candidate_is_never_clearly_worse(count, nodes, seed):
    p = np.random.default_rng(seed).uniform(0.01, 1, (count, nodes))
    assert not clearly_worse(p)[np.log(p).mean(axis=1).argmax()]


def test_who_is_right_more_often_has_the_larger_share():
    found = judged(poor=noisy(0.55), good=noisy(0.95, 1))
    assert found.chosen == "good" and found.shares["good"] > 0.8
    assert len(found.judges) == 200 and found.tried["good"].accuracy > 0.85
    right = (found.held_out.argmax(1) == Y[found.judges]).mean()
    assert right == pytest.approx(found.tried["good"].accuracy, abs=0.05)


def test_a_candidate_is_judged_only_by_labels_kept_from_it():
    """One that knows by heart what it learned from, and nothing else, has a small share."""
    heart = noisy(0.5)
    for run, (train, _) in enumerate(PARTS.runs):
        heart[run, train] = 9 * np.eye(2)[Y[train]]
    assert judged(heart=heart, good=noisy(0.9, 1)).chosen == "good"


def test_the_answer_is_the_sharpened_mean_of_calibrated_runs():
    logits = {"a": RNG.standard_normal((5, 200, 2)), "b": RNG.standard_normal((5, 200, 2))}
    found = judged(**logits)
    mean = sum(
        found.shares[name] * found.calibrations[name](z).mean(axis=0) for name, z in logits.items()
    )
    np.testing.assert_allclose(found(logits), found.sharpness(np.log(mean)), atol=1e-12)
    np.testing.assert_allclose(found(logits).sum(axis=1), 1)
    only = found(logits, among=["b"])
    alone = found.calibrations["b"](logits["b"]).mean(axis=0)
    np.testing.assert_allclose(only, found.sharpness(np.log(alone)), atol=1e-12)


def test_sharpening_corrects_a_mean_that_is_too_modest():
    """Twenty candidates that err independently: together they are right far more often."""
    logits = {f"{k}": noisy(0.7, k) for k in range(20)}
    found = judged(**logits)
    right = (found.held_out.argmax(1) == Y[found.judges]).mean()
    plain = np.mean([found.calibrations[name](z[0]).max(1).mean() for name, z in logits.items()])
    assert right > 0.85 and found.held_out.max(1).mean() > plain + 0.1


def test_too_few_judges_leave_equal_shares_to_those_that_are_trusted():
    few = Parts([(np.arange(10), np.arange(10, 15))], [0])
    z = RNG.standard_normal((1, 200, 2))
    found = blend(dict.fromkeys("abc", z), Y, few, trusted=("a", "c"))
    assert found.shares == {"a": 0.5, "b": 0.0, "c": 0.5} and not len(found.held_out)
    alone = blend({"a": z}, Y, few)
    assert alone.calibrations["a"] == Calibration()


def test_candidates_that_nobody_can_judge_are_equally_sure():
    """One whose logits are large does not outvote the others, and one that is silent may be."""
    few = Parts([(np.arange(10), np.arange(10, 15))], [0])
    z = RNG.standard_normal((1, 200, 2))
    logits = {"small": 0.01 * z, "large": 100 * RNG.standard_normal((1, 200, 2)), "silent": 0 * z}
    found = blend(logits, Y, few)
    for name in ("small", "large"):
        sure = found.calibrations[name](logits[name][0]).max(axis=1).mean()
        assert sure == pytest.approx(0.5 + 0.5 * UNJUDGED)
    assert found.calibrations["silent"] == Calibration()
    small, large = (found.calibrations[name](logits[name]) for name in ("small", "large"))
    np.testing.assert_allclose(
        found(logits, among=["small", "large"]), (small + large)[0] / 2, atol=1e-9
    )


def test_nodes_that_no_label_reaches_do_not_tell_how_sure_a_candidate_is():
    few = Parts([(np.arange(10), np.arange(10, 15))], [0])
    z = RNG.standard_normal((1, 200, 2))
    z[:, 100:] *= 1e-18  # rounding errors
    unreached = np.arange(200) >= 100
    found = blend({"a": z, "b": z}, Y, few, unreached=unreached).calibrations["a"]
    assert found(z[0, :100]).max(axis=1).mean() == pytest.approx(0.5 + 0.5 * UNJUDGED)
    assert found == blend({"a": z[:, :100], "b": z[:, :100]}, Y, few).calibrations["a"]


def test_a_dozen_judges_tell_a_good_candidate_from_bad_ones():
    rng = np.random.default_rng(0)
    y = np.arange(24) % 2
    parts = Parts([(np.arange(12), np.arange(12, 24))], [0])
    right = np.eye(2)[y][None] * 4.0
    logits = {"good": right} | {name: rng.normal(size=right.shape) for name in "abcdefgh"}
    found = blend(logits, y, parts, trusted=("a",))
    assert found.chosen == "good" and found.shares["good"] > 0.5
    assert found.tried["good"].surprise < found.tried["a"].surprise
    assert len(found.held_out) == 12
