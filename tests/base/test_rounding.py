"""Outward rounding: of doubles by units in the last place, and of decimal text, exactly."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lovasz.base.rounding import (
    UNIT,
    down,
    format_down,
    format_up,
    gamma,
    round_down,
    round_up,
    sum_outward,
    up,
)

reals = st.floats(-1e9, 1e9)


@given(reals, st.integers(1, 3))
def test_down_and_up_move_by_single_doubles(x, steps):
    lower, upper = down(x, steps), up(x, steps)
    assert lower < x < upper
    for _ in range(steps):
        lower = math.nextafter(lower, math.inf)
    assert lower == x == -down(up(-x, steps), steps)


@given(st.lists(reals, min_size=1, max_size=20))
def test_a_sum_is_enclosed(values):
    lower, upper = sum_outward([(x, x) for x in values])
    assert lower <= sum(map(Fraction, values)) <= upper


@given(st.fractions())
def test_a_fraction_is_between_the_doubles_next_to_it(x):
    lower, upper = round_down(x), round_up(x)
    assert Fraction(lower) <= x <= Fraction(upper)
    assert upper == (lower if Fraction(lower) == x else up(lower, 1))


def test_gamma_exceeds_the_growth_of_that_many_roundings():
    power = Fraction(1)
    for k in range(1, 300):
        power *= 1 + Fraction(UNIT)
        assert power - 1 <= Fraction(gamma(k)) <= (power - 1) * (1 + Fraction(1, 10**10))


def test_a_sum_of_integers_is_exact():
    assert sum_outward([(1.0, 2.0), (2.0**52, 2.0**52)]) == (2.0**52 + 1, 2.0**52 + 2)


@given(reals, st.integers(0, 12))
def test_text_encloses_the_double_and_is_tight(x, digits):
    lower, upper = Decimal(format_down(x, digits)), Decimal(format_up(x, digits))
    assert lower <= Decimal(x) <= upper
    assert upper - lower in (0, Decimal(1).scaleb(-digits))


@pytest.mark.parametrize(
    ("x", "digits", "lower", "upper"),
    [
        (0.0, 9, "0.000000000", "0.000000000"),  # no exponent
        (14.0, 4, "14.0000", "14.0000"),
        (13.00666, 4, "13.0066", "13.0067"),
        (12345.5, 0, "12345", "12346"),
        # The double next to 1867.2360679775 is below it, and a lower bound must stay below that.
        (1867.2360679775, 13, "1867.2360679774999", "1867.2360679775000"),
    ],
)
def test_text_of_known_numbers(x, digits, lower, upper):
    assert (format_down(x, digits), format_up(x, digits)) == (lower, upper)
