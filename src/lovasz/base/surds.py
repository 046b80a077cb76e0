"""Exact values: rational numbers, and numbers a + b√d with rational a and b.

ϑ of a graph is often such a number. Sums and comparisons here are exact, also with doubles, each
of which is a rational number.

>>> golden = simplify_surd(Fraction(1, 2), Fraction(1, 2), 5)
>>> str(golden), golden < 1.618033988749895, golden + golden == simplify_surd(1, 1, 5)
('(1+sqrt(5))/2', True, True)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from typing import Any

from lovasz.base.errors import LovaszError

MOST_DIVISIONS = 100_000
"""Largest factor whose square is taken out of a radicand."""
EXTRA_BITS = 128
"""Bits of a square root beyond those that the numbers beside it may cancel."""


@total_ordering
@dataclass(frozen=True, eq=False)
class Surd:
    """rational + coefficient · √radicand, which is irrational.

    >>> Surd(Fraction(1865), Fraction(1), 5)
    Surd(1865+sqrt(5))
    >>> Surd(Fraction(0), Fraction(1), 5).bounds()
    (2.2360679774997894, 2.23606797749979)
    """

    rational: Fraction
    coefficient: Fraction
    radicand: int

    def __post_init__(self) -> None:
        if self.radicand < 2 or math.isqrt(self.radicand) ** 2 == self.radicand:
            raise LovaszError(f"√{self.radicand} is no irrational number; use simplify_surd")
        if self.coefficient == 0:
            raise LovaszError("a surd with coefficient 0 is rational; use simplify_surd")

    def __add__(self, other: Any) -> Fraction | Surd:
        if isinstance(other, int | Fraction):
            return Surd(self.rational + other, self.coefficient, self.radicand)
        if not isinstance(other, Surd):
            return NotImplemented
        ratio = Fraction(other.radicand, self.radicand)
        top, bottom = math.isqrt(ratio.numerator), math.isqrt(ratio.denominator)
        if Fraction(top, bottom) ** 2 != ratio:
            raise LovaszError(f"{self} plus {other} is no number of the form a + b√d")
        coefficient = self.coefficient + other.coefficient * Fraction(top, bottom)
        return simplify_surd(self.rational + other.rational, coefficient, self.radicand)

    __radd__ = __add__

    def __mul__(self, factor: Any) -> Fraction | Surd:
        if not isinstance(factor, int | Fraction):
            return NotImplemented
        return simplify_surd(self.rational * factor, self.coefficient * factor, self.radicand)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Surd):
            return False
        return _sign(self, other) == 0

    def __lt__(self, other: Any) -> bool:
        if isinstance(other, float) and not math.isfinite(other):
            return other > 0
        if not isinstance(other, int | float | Fraction | Surd):
            return NotImplemented
        return _sign(self, other) < 0

    def __hash__(self) -> int:
        square = self.coefficient * abs(self.coefficient) * self.radicand
        return hash((self.rational, square))

    def __float__(self) -> float:
        square = self.coefficient**2 * self.radicand
        parts = self.rational.numerator, self.rational.denominator, *square.as_integer_ratio()
        bits = EXTRA_BITS + 2 * sum(part.bit_length() for part in parts)
        root = Fraction(math.isqrt((square.numerator << 2 * bits) // square.denominator), 1 << bits)
        return float(self.rational + (root if self.coefficient > 0 else -root))

    def bounds(self) -> tuple[float, float]:
        """The largest double below the number and the smallest above it."""
        return bound_exact(self)

    def __str__(self) -> str:
        """Return the number as Python and computer algebra systems write it."""
        bottom = math.lcm(self.rational.denominator, self.coefficient.denominator)
        a, b = int(self.rational * bottom), int(self.coefficient * bottom)
        root = f"{'' if abs(b) == 1 else f'{abs(b)}*'}sqrt({self.radicand})"
        if a == 0:
            return f"{'-' if b < 0 else ''}{root}{f'/{bottom}' if bottom > 1 else ''}"
        whole = f"{a}{'-' if b < 0 else '+'}{root}"
        return f"({whole})/{bottom}" if bottom > 1 else whole

    def __repr__(self) -> str:
        return f"Surd({self})"


def simplify_surd(
    rational: Fraction | int, coefficient: Fraction | int, radicand: int
) -> Fraction | Surd:
    """Return rational + coefficient · √radicand with a radicand that is small, if it needs one.

    >>> simplify_surd(1, 3, 20), simplify_surd(1, 3, 4)
    (Surd(1+6*sqrt(5)), Fraction(7, 1))
    """
    if radicand < 0:
        raise LovaszError(f"√{radicand} is no real number; the radicand must not be negative")
    rational, coefficient = Fraction(rational), Fraction(coefficient)
    root = math.isqrt(radicand)
    if coefficient == 0 or root * root == radicand:
        return rational + coefficient * root
    factor = 2
    while factor * factor <= radicand and factor <= MOST_DIVISIONS:
        while radicand % (factor * factor) == 0:
            radicand //= factor * factor
            coefficient *= factor
        factor += 1
    return Surd(rational, coefficient, radicand)


def bound_exact(value: Fraction | Surd) -> tuple[float, float]:
    """The nearest doubles on both sides of ``value``; they are equal if it is a double.

    >>> bound_exact(Fraction(1, 3))
    (0.3333333333333333, 0.33333333333333337)
    """
    try:
        near = float(value)
    except OverflowError:
        positive = value > 0
        top = math.nextafter(math.inf, 0)
        return (top, math.inf) if positive else (-math.inf, -top)
    lower = upper = near
    while value < lower:
        lower = math.nextafter(lower, -math.inf)
    while value > upper:
        upper = math.nextafter(upper, math.inf)
    return lower, upper


def _sign(x: Surd, y: float | Fraction | Surd) -> int:
    """The sign of x − y."""
    if not isinstance(y, Surd):
        return _sign_of(x.rational - Fraction(y), x.coefficient, x.radicand)
    # The sign of a + S with S = b√d + c√e, where S² = b²d + c²e + 2bc√(de).
    a, b, c, d, e = (
        x.rational - y.rational, x.coefficient, -y.coefficient, x.radicand, y.radicand
    )  # fmt: skip
    first, second = b * abs(b) * d, c * abs(c) * e
    of_sum = (first > -second) - (first < -second)
    of_a = (a > 0) - (a < 0)
    if of_sum * of_a >= 0:
        return of_sum or of_a
    return of_a * _sign_of(a * a - b * b * d - c * c * e, -2 * b * c, d * e)


def _sign_of(a: Fraction, b: Fraction, d: int) -> int:
    """The sign of a + b√d."""
    of_a, of_b = (a > 0) - (a < 0), (b > 0) - (b < 0)
    if of_a * of_b >= 0:
        return of_a or of_b
    left, right = a * a, b * b * d
    return of_a * ((left > right) - (left < right))
