"""Networks that answer together: judged by nodes they have not seen, weighted by what they say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import softmax

from lovasz import LCNClassifier
from lovasz.classify.blend import blend, stack
from lovasz.classify.calibration import Calibration
from lovasz.classify.splits import Split, halve_validation
from lovasz.graphs.families import planted_partition
from lovasz.graphs.similarity import similarity_graph

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 200)
NOTHING = np.empty(0, dtype=np.int64)


def split(train, validation, test=NOTHING):
    return Split(*(np.asarray(part, dtype=np.int64) for part in (train, validation, test)))


def noisy(right):
    """Logits that are right on this share of the nodes."""
    said = np.where(RNG.random(200) < right, Y, 1 - Y)
    return 2.0 * np.eye(2)[said][None].repeat(2, axis=0)


KEPT = [split(range(50), range(50, 100), range(100, 160)),
        split(range(50), range(50, 100), range(140, 200))]  # fmt: skip


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 4), st.integers(1, 30), st.integers(0, 10_000))
def test_stacking_finds_the_maximum(count, nodes, seed):
    p = np.random.default_rng(seed).uniform(0.01, 1, (count, nodes))

    def minus(z):
        w = softmax(z)
        return -np.log(w @ p).sum() - np.log(w).sum()

    best = minimize(minus, np.zeros(count), method="BFGS").fun
    w = stack(p)
    assert w.sum() == pytest.approx(1) and w.min() > 0
    assert minus(np.log(w)) <= best + 1e-6


def test_who_is_right_more_often_has_the_larger_share():
    found = blend({"poor": noisy(0.55), "good": noisy(0.95)}, Y, KEPT)
    assert found.chosen == "good" and found.shares["good"] > 0.8
    assert found.judged == 120 and found.tried["good"].accuracy > 0.85
    assert found.accuracy == pytest.approx(found.tried["good"].accuracy, abs=0.05)


def test_validation_nodes_are_not_asked_where_others_were_kept():
    """A candidate that knows its validation nodes by heart, and nothing else."""
    heart = noisy(0.5)
    heart[:, 50:100] = 9 * np.eye(2)[Y[50:100]]
    rivals = {"heart": heart, "good": noisy(0.9)}
    assert blend(rivals, Y, KEPT).chosen == "good"
    flattered = blend(rivals, Y, [split(s.train, s.validation) for s in KEPT])
    assert flattered.shares == {"heart": 1.0, "good": 0.0}


def test_the_answer_is_the_mean_of_calibrated_parts():
    logits = {"a": RNG.standard_normal((2, 200, 2)), "b": RNG.standard_normal((2, 200, 2))}
    found = blend(logits, Y, KEPT)
    by_hand = sum(
        found.shares[name] * found.calibrations[name](z).mean(axis=0) for name, z in logits.items()
    )
    np.testing.assert_allclose(found(logits), by_hand, atol=1e-12)
    np.testing.assert_allclose(found(logits).sum(axis=1), 1)


def test_one_network_is_left_as_it_is():
    z = RNG.standard_normal((1, 200, 2))
    found = blend({"only": z}, Y, [split(range(50), range(50, 100))])
    nodes = np.arange(50, 100)
    assert found.calibrations["only"] == Calibration.of(z[0][nodes], Y[nodes])
    np.testing.assert_allclose(found({"only": z}), found.calibrations["only"](z[0]))


def test_halves_are_halves_of_the_validation_nodes():
    whole = [split(range(50), range(50, 81)), split(range(30, 80), range(80, 110))]
    cut = halve_validation(whole, 20, seed=3)
    for before, after in zip(whole, cut, strict=True):
        assert np.array_equal(before.train, after.train)
        assert sorted([*after.validation, *after.test]) == before.validation.tolist()
        assert len(after.validation) - len(after.test) in (0, 1)
    few = [split(range(5), range(5, 15))] * 3
    assert halve_validation(few, 20, seed=3) == few


def clf_graph(clf):
    return similarity_graph(clf._table, clf.affinity)


def test_new_rows_are_answered_by_all_networks(tmp_path):
    blobs = np.vstack([RNG.normal((5, 0), 1, (40, 2)), RNG.normal((0, 5), 1, (40, 2))])
    truth = np.repeat([0, 1], 40)
    clf = LCNClassifier(affinity="knn", epochs=30, random_state=0).fit(blobs, truth)
    assert len(clf.networks_) == len(clf.tried_) == 4
    again = {name: clf._logits(clf_graph(clf), name, W) for name, W in clf.networks_.items()}
    np.testing.assert_allclose(clf.blend_(again), clf.predict_proba(), atol=1e-4)
    new = np.array([[5.0, 0.1], [0.1, 5.0]])
    assert clf.predict(new).tolist() == [0, 1]
    clf.save(tmp_path / "model")
    assert np.array_equal(LCNClassifier.load(tmp_path / "model").predict_proba(new),
                          clf.predict_proba(new))  # fmt: skip


def test_a_graph_needs_only_the_network_it_shows():
    blocks = planted_partition(60, 2, 0.4, 0.1, seed=0)
    labels = {row: int(blocks.y[row]) for row in range(50)}
    clf = LCNClassifier(epochs=10, random_state=0).fit(blocks.graph, labels)
    assert list(clf.networks_) == [clf.chosen_]
