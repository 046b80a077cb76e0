"""Probabilities that mean what they say."""

import numpy as np
import pytest

from lovasz.classify.calibration import (
    Calibration,
    _least_surprised,
    calibration_error,
    wilson_interval,
)

RNG = np.random.default_rng(0)


def test_calibration_finds_the_temperature():
    logits = RNG.standard_normal((4000, 3))
    p = np.exp(logits / 2.5)
    y = np.array([RNG.choice(3, p=row / row.sum()) for row in p])
    found = Calibration.of(logits, y)
    assert found.temperature == pytest.approx(2.5, rel=0.15) and found.power == 0
    assert Calibration.of(logits[:5], y[:5]).temperature == 1


def test_logits_that_tell_of_degrees_are_evened_out():
    """The same odds at sizes that vary a hundredfold from node to node."""
    size = np.exp(RNG.uniform(-2.3, 2.3, 4000))[:, None]
    logits = RNG.standard_normal((4000, 3))
    p = np.exp(2 * logits)
    y = np.array([RNG.choice(3, p=row / row.sum()) for row in p])
    found = Calibration.of(size * logits, y)
    assert found.power == 0.5
    right = (logits.argmax(1) == y).mean()
    _, T = _least_surprised(size * logits, y)
    plain = Calibration(T)(size * logits).max(axis=1).mean()
    assert abs(found(size * logits).max(axis=1).mean() - right) < abs(plain - right)


def test_many_right_answers_are_not_certainty():
    """30 of 30 right: Platt's estimate is 31/32, however large the logits are."""
    y = np.arange(30) % 2
    for size in (0.01, 1.0, 100.0):
        logits = size * np.eye(2)[y]
        found = Calibration.of(logits, y)
        assert found(logits).max(axis=1) == pytest.approx(31 / 32, abs=1e-3)
        assert found.surprise(logits, y) == pytest.approx(
            -(31 * np.log(31 / 32) + np.log(1 / 32)) / 32, abs=1e-5
        )


def test_calibration_error_of_the_sure_and_wrong_is_everything():
    sure = np.array([[1.0, 0.0]] * 4)
    assert calibration_error(sure, np.ones(4, dtype=int)) == 100
    assert calibration_error(sure, np.zeros(4, dtype=int)) == 0


@pytest.mark.parametrize(("right", "count"), [(0, 7), (7, 7), (80, 100), (3, 20)])
def test_the_interval_is_wilsons(right, count):
    """The ends are the shares p with (right/count − p)² = z² p (1 − p) / count."""
    z = 1.959963984540054
    for p in wilson_interval(right / count, count):
        assert (right / count - p) ** 2 == pytest.approx(z**2 * p * (1 - p) / count, abs=1e-6)
