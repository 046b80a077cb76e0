"""Nodes that no label reaches, and judges that are answered as they are."""

import numpy as np
import pytest
from scipy import sparse

from lovasz import LCNClassifier
from lovasz.classify.islands import PRIOR_LABELS, Islands
from lovasz.classify.parts import Parts
from lovasz.graphs.families import planted_partition

# Nodes 0-1-2 hang together, 3-4 too, and 5, 6 and 7 are isolated.
ISLANDS = Islands(
    np.array([0, 0, 0, 1, 1, 2, 3, 4]), np.array([0, 1, -1, -1, -1, 1, 1, -1]), features=False
)


def test_a_component_without_a_label_is_unreached():
    assert np.flatnonzero(ISLANDS.unreached()).tolist() == [3, 4, 7]
    nothing = np.empty(0, dtype=int)
    parts = Parts([(np.array([0, 5]), np.array([1, 6])), (np.arange(7), nothing)], [1])
    assert ISLANDS.unreached_judges(parts).tolist() == [False, True]


def test_islands_have_the_classes_of_labelled_islands():
    prior = PRIOR_LABELS * np.array([0.25, 0.75])
    expected = (prior + np.array([0, 2])) / (PRIOR_LABELS + 2)
    np.testing.assert_allclose(ISLANDS.shares(2), [expected])
    without_own = (prior + np.array([0, 1])) / (PRIOR_LABELS + 1)
    np.testing.assert_allclose(ISLANDS.shares(2, np.array([6, 0])), [without_own, expected])


def test_isolated_nodes_of_a_rare_class_are_found_and_expected():
    blocks = planted_partition(160, 2, 0.2, 0.03, seed=0)
    graph = sparse.block_diag([blocks.graph.adjacency, sparse.csr_array((40, 40))]).tocsr()
    y = np.concatenate([blocks.y + 1, np.zeros(40, dtype=int)])
    known = np.arange(200) % 4 == 0
    clf = LCNClassifier(random_state=0, fast=True, epochs=30).fit(graph, np.where(known, y, -1))
    assert (clf.predict()[160:] == 0).all()
    right = (clf.predict() == y)[~known].mean()
    low, high = clf.expected_range_
    assert low - 0.02 <= right <= high + 0.02  # the interval may miss one draw in twenty
    assert clf.expected_accuracy_ == pytest.approx(right, abs=0.06)
