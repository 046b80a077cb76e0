"""The greedy choice of nodes: variances by hand, and labels at once or one by one."""

import numpy as np

from lovasz.classify.design import NOISE, Information
from lovasz.linalg.scaling import unit_rows

RNG = np.random.default_rng(0)
Z = unit_rows(RNG.standard_normal((40, 6)))
WEIGHTS = RNG.random(40)
KNOWN = np.array([3, 7, 8, 30])


def test_labels_given_at_once_are_those_observed_one_by_one():
    together, single = Information(Z, WEIGHTS, KNOWN), Information(Z, WEIGHTS, KNOWN[:0])
    for row in KNOWN.tolist():
        single.observe(row)
    np.testing.assert_allclose(together.variance, single.variance, atol=1e-12)
    np.testing.assert_allclose(together.gains(), single.gains(), atol=1e-12)
    np.testing.assert_allclose(together.posterior, single.posterior, atol=1e-12)
    assert together.total == single.total


def test_variance_and_gains_are_those_of_the_gaussian_process():
    K = Z @ Z.T
    inner = np.linalg.inv(K[np.ix_(KNOWN, KNOWN)] + NOISE * np.eye(len(KNOWN)))
    posterior = K - K[:, KNOWN] @ inner @ K[KNOWN]
    found = Information(Z, WEIGHTS, KNOWN)
    np.testing.assert_allclose(found.variance, np.diag(posterior), atol=1e-12)
    fall = WEIGHTS @ posterior**2 / (np.diag(posterior) + NOISE)
    np.testing.assert_allclose(found.gains(), fall / (WEIGHTS @ np.diag(K)), atol=1e-12)
