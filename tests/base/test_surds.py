"""Exact values of the form a + b√d."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lovasz.base.errors import LovaszError
from lovasz.base.surds import Surd, bound_exact, simplify_surd

RATIONALS = st.fractions(min_value=-50, max_value=50, max_denominator=20)
SURDS = st.builds(
    Surd, RATIONALS, RATIONALS.filter(lambda b: b != 0), st.sampled_from([2, 3, 5, 8, 45, 1001])
)


def high_precision(x: Surd | Fraction) -> Fraction:
    """The number to 400 bits."""
    if isinstance(x, Fraction):
        return x
    return x.rational + x.coefficient * Fraction(math.isqrt(x.radicand << 800), 1 << 400)


@given(SURDS, st.one_of(SURDS, RATIONALS))
def test_comparisons_agree_with_four_hundred_bits(x: Surd, y: Surd | Fraction) -> None:
    difference = high_precision(x) - high_precision(y)
    if abs(difference) > Fraction(1, 1 << 300):
        assert (x < y) == (difference < 0)
        assert (x > y) == (difference > 0)
        assert x != y
    else:
        assert x == y
        assert x <= y
        assert x >= y


@given(SURDS)
def test_bounds_are_neighbouring_doubles_around_the_number(x: Surd) -> None:
    lower, upper = x.bounds()
    assert lower < x < upper
    assert upper == math.nextafter(lower, math.inf)


def test_bounds_survive_cancellation_and_overflow() -> None:
    tiny = Surd(Fraction(665857, 470832), Fraction(-1), 2)  # a convergent of √2
    lower, upper = tiny.bounds()
    assert 0 < lower < tiny < upper == math.nextafter(lower, 1)
    huge = Surd(Fraction(10) ** 400, Fraction(1), 2)
    assert huge.bounds() == (math.nextafter(math.inf, 0), math.inf)
    assert bound_exact(Fraction(3)) == (3.0, 3.0)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ((1865, 1, 5), "1865+sqrt(5)"),
        ((0, 1, 5), "sqrt(5)"),
        ((0, -1, 5), "-sqrt(5)"),
        ((3, -2, 5), "3-2*sqrt(5)"),
        ((-3, 2, 5), "-3+2*sqrt(5)"),
        ((Fraction(1, 2), Fraction(1, 2), 5), "(1+sqrt(5))/2"),
        ((0, Fraction(3, 2), 5), "3*sqrt(5)/2"),
        ((1, 1, 20), "1+2*sqrt(5)"),
        ((1, 1, 4), "3"),
        ((Fraction(16, 3), 0, 7), "16/3"),
    ],
)
def test_text(parts: tuple[Fraction, Fraction, int], text: str) -> None:
    assert str(simplify_surd(*parts)) == text


def test_sums_stay_exact_or_are_refused() -> None:
    root = Surd(Fraction(0), Fraction(1), 5)
    assert root + 1865 == Surd(Fraction(1865), Fraction(1), 5)
    assert 2 + root == root + Fraction(2)
    assert root + Surd(Fraction(0), Fraction(-1), 5) == Fraction(0)
    assert root + Surd(Fraction(0), Fraction(1), 45) == Surd(Fraction(0), Fraction(4), 5)
    assert root * 2 == root + root
    assert 0 * root == Fraction(0)
    assert sum([root, root], Fraction(0)) == 2 * root
    with pytest.raises(LovaszError, match="of the form"):
        root + Surd(Fraction(0), Fraction(1), 2)


def test_equal_numbers_hash_alike() -> None:
    same = Surd(Fraction(1), Fraction(1), 20), Surd(Fraction(1), Fraction(2), 5)
    assert same[0] == same[1]
    assert hash(same[0]) == hash(same[1])
    for x, y in product(same, (Fraction(1), 5.47, "√5")):
        assert x != y


def test_values_that_are_rational_or_not_real_are_refused() -> None:
    for coefficient, radicand in ((1, 4), (1, 1), (1, -5), (0, 5)):
        with pytest.raises(LovaszError):
            Surd(Fraction(0), Fraction(coefficient), radicand)
    with pytest.raises(LovaszError, match="real"):
        simplify_surd(1, 1, -4)
