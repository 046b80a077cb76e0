"""Labels as they come: wrong ones, rare classes, many classes, and classes in validation alone."""

import numpy as np
import pytest
from scipy import sparse

from lovasz import LCNClassifier
from lovasz.classify.parts import share_validation
from lovasz.classify.splits import split_off
from lovasz.graphs.families import planted_partition, sbm

BLOCKS = planted_partition(300, 3, 0.15, 0.02, seed=0)
RNG = np.random.default_rng(0)
KNOWN = np.arange(300) % 2 == 0
WRONG = KNOWN & (np.arange(300) % 10 == 4)  # a fifth of the labels
GIVEN = np.where(KNOWN, np.where(WRONG, (BLOCKS.y + 1) % 3, BLOCKS.y), -1)


def fast(**options):
    return LCNClassifier(**({"random_state": 0, "epochs": 30, "fast": True} | options))


@pytest.mark.parametrize("featured", [False, True])
def test_a_fifth_of_wrong_labels_is_found_and_put_right(featured):
    """Blocks without features, or features on a graph that tells nothing."""
    graph, X = BLOCKS.graph, None
    if featured:
        graph = planted_partition(300, 1, 0.03, 0.03, seed=1).graph
        X = (3 * np.eye(3)[BLOCKS.y] + RNG.standard_normal((300, 3))).astype(np.float32)
    noisy, plain = (fast(noisy=value).fit(graph, GIVEN, X) for value in (True, False))
    listed = [node for node, *_ in noisy.suspicious_]
    hit = WRONG[listed].sum()
    assert hit >= 0.8 * len(listed) and hit >= 0.8 * WRONG.sum()
    assert all(given == GIVEN[node] for node, given, *_ in noisy.suspicious_)
    right = {clf: (clf.predict() == BLOCKS.y) for clf in (noisy, plain)}
    assert right[noisy][~KNOWN].mean() >= right[plain][~KNOWN].mean() - 0.02
    assert right[noisy][WRONG].mean() > 0.8 and not right[plain][WRONG].any()


@pytest.mark.parametrize("featured", [False, True])
def test_a_class_of_one_in_a_hundred_is_found(featured):
    """It is a clique-like block of 8 among 800, or far away in the features."""
    P = np.array([[0.03, 0.002], [0.002, 0.9]])
    if featured:
        P[:] = 0.02
    graph, y, _ = sbm([792, 8], P, seed=2)
    X = None
    if featured:
        X = np.random.default_rng(3).standard_normal((800, 2)).astype(np.float32) + 6 * y[:, None]
    known = (np.arange(800) % 4 == 0) | (np.arange(800) == 793)
    clf = fast().fit(graph, np.where(known, y, -1), X)
    rare = (y == 1) & ~known
    assert (clf.predict()[rare] == 1).mean() > 0.5
    assert clf.expectation_.macro_f1 > 0.6  # 0.5 if the rare class were never found


def test_a_rare_class_that_cannot_be_told_shows_in_macro_f1():
    graph, y, _ = sbm([396, 4], np.full((2, 2), 0.02), seed=2)
    known = np.arange(400) % 2 == 1
    clf = fast(epochs=10).fit(graph, np.where(known, y, -1))
    assert clf.expected_accuracy_ > 0.9 and clf.expectation_.macro_f1 < 0.6


def test_a_hundred_classes_with_two_or_three_labels_each():
    graph, y, _ = sbm([6] * 100, np.where(np.eye(100, dtype=bool), 0.9, 0.002), seed=4)
    known = (np.arange(600) % 6 < 2) | (np.arange(600) % 12 == 2)
    clf = fast(epochs=10).fit(graph, np.where(known, y, -1))
    right = (clf.predict() == y)[~known].mean()
    assert right > 0.8
    low, high = clf.expected_range_
    assert low <= right <= high


def test_a_class_with_a_single_node_beside_islands():
    graph = sparse.block_diag([BLOCKS.graph.adjacency, sparse.csr_array((3, 3))]).tocsr()
    labels = np.concatenate([np.where(KNOWN, BLOCKS.y, -1), [3, -1, -1]])
    clf = fast().fit(graph, labels)
    P = clf.predict_proba()
    assert clf.predict()[300] == 3 and np.flatnonzero(clf.unreached_).tolist() == [301, 302]
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-6)
    right = (clf.predict()[:300] == BLOCKS.y)[~KNOWN].mean()
    assert right > 0.9 and clf.expected_range_[1] >= right


def test_one_label_per_class():
    clf = fast().fit(BLOCKS.graph, {int(np.flatnonzero(BLOCKS.y == c)[0]): c for c in range(3)})
    assert (clf.predict() == BLOCKS.y).mean() > 0.6 and clf.expected_accuracy_ is None


@pytest.mark.parametrize("kernel", ["auto", "ls"])
def test_a_class_in_validation_alone_gives_one_label_to_learn_from(kernel):
    validation = KNOWN & ((np.arange(300) % 4 == 0) | (BLOCKS.y == 2))
    clf = fast(kernel=kernel).fit(
        BLOCKS.graph, np.where(KNOWN, BLOCKS.y, -1), validation=np.flatnonzero(validation)
    )
    moved = np.flatnonzero(validation & (BLOCKS.y == 2))[0]
    assert moved not in clf.blend_.judges and len(clf.blend_.judges) == validation.sum() - 1
    assert clf.predict()[moved] == 2
    if kernel == "auto":  # one label is little for a single network
        assert (clf.predict()[(BLOCKS.y == 2) & ~KNOWN] == 2).mean() > 0.5


def test_validation_may_hold_every_label():
    codes = np.where(KNOWN, BLOCKS.y, -1)
    split = split_off(codes, KNOWN)
    assert sorted(codes[split.train]) == [0, 1, 2]
    assert len(split.train) + len(split.validation) == KNOWN.sum()
    clf = fast(epochs=10).fit(BLOCKS.graph, codes, validation=KNOWN)
    assert clf.predict_proba().shape == (300, 3)


def test_validation_nodes_judge_once_and_classes_are_dealt_evenly():
    split = split_off(BLOCKS.y, np.arange(0, 300, 2))
    parts = share_validation(split, BLOCKS.y, runs=3, seed=0)
    assert np.array_equal(parts.judges, split.validation)
    assert sum(len(judges) for _, judges in parts.runs) == len(split.validation)
    for _, judges in parts.runs:
        counts = np.bincount(BLOCKS.y[judges])
        assert counts.max() - counts.min() <= 1
