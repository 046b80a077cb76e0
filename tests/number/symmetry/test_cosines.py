"""Cosines with proven errors."""

import math
from fractions import Fraction

import numpy as np
import pytest

from lovasz.number.symmetry.cosines import COSINE_ERROR, cosine_bounds, cosines, odd_cycle_bounds


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 12, 97, 360, 4099])
def test_every_entry_is_as_near_as_promised(n):
    found = cosines(n)
    for k in np.unique(np.linspace(0, n - 1, 40).astype(int)).tolist():
        low, high = map(Fraction, cosine_bounds(2 * k, n))
        value = Fraction(found[k])
        assert max(abs(value - low), abs(value - high)) <= COSINE_ERROR
    np.testing.assert_allclose(found, np.cos(2 * np.pi * np.arange(n) / n), atol=1e-14)


def test_known_cosines_lie_strictly_between_the_bounds():
    for k, n, value in [(0, 7, 1), (1, 3, Fraction(1, 2)), (1, 2, 0), (1, 1, -1), (2, 3, -0.5)]:
        low, high = map(Fraction, cosine_bounds(k, n))
        assert low < Fraction(value) < high
        assert high - low < Fraction(1, 10**40)


def test_odd_cycles_have_neighbouring_doubles_around_the_formula():
    for n in (5, 7, 1001, 10**12 + 1):
        low, high = odd_cycle_bounds(n)
        cos = math.cos(math.pi / n)
        assert low <= high <= math.nextafter(math.nextafter(low, math.inf), math.inf)
        assert low == pytest.approx(n * cos / (1 + cos), rel=1e-14)
    low, high = map(Fraction, odd_cycle_bounds(5))
    assert low**2 < 5 < high**2
