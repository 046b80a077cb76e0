"""Gaussian evidence: what features say about classes that are known in part or softly."""

import numpy as np

from lovasz.clustering.feature_evidence import GaussianEvidence

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1, 2], 40)
X = 2 * np.eye(3)[Y] @ RNG.standard_normal((3, 5)) + RNG.standard_normal((120, 5))


def test_a_rotation_changes_nothing():
    turn = np.linalg.qr(RNG.standard_normal((5, 5)))[0]
    state = np.eye(3)[Y]
    np.testing.assert_allclose(GaussianEvidence(X @ turn)(state), GaussianEvidence(X)(state))


def test_nodes_that_count_for_no_class_teach_nothing():
    state = np.eye(3)[Y] * (np.arange(120) % 4 == 0)[:, None]
    moved = X.copy()
    moved[1], moved[2] = X[2], X[1]  # the mean of all rows stays
    found, other = GaussianEvidence(X)(state), GaussianEvidence(moved)(state)
    np.testing.assert_allclose(found[3:], other[3:])
    np.testing.assert_allclose(found[1], other[2])


def test_features_that_are_all_alike_say_nothing():
    found = GaussianEvidence(np.ones((120, 4)))(np.eye(3)[Y])
    assert not found.any()


def test_noise_says_little():
    noise = RNG.standard_normal((120, 3))
    found = GaussianEvidence(noise)(np.eye(3)[RNG.permutation(Y)])
    assert np.ptp(found, axis=1).mean() < 1
    assert np.ptp(GaussianEvidence(X)(np.eye(3)[Y]), axis=1).mean() > 3
