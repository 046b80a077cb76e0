"""Outward rounding: bounds that stay valid although every operation on doubles rounds.

Bounds that are computed are moved by units in the last place (:func:`down`, :func:`up`,
:func:`sum_outward`); bounds that are printed are rounded in decimal (:func:`format_down`,
:func:`format_up`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction

UNIT = 2.0**-53
"""The unit roundoff u of double precision: |fl(x) − x| ≤ u |x|."""


def gamma(k: int) -> float:
    """γ_k = k u / (1 − k u), which bounds the relative error of k successive roundings."""
    return k * UNIT / (1 - k * UNIT)


def down(x: float, steps: int = 2) -> float:
    """Return the double that is ``steps`` below ``x``: a lower bound past that many roundings."""
    for _ in range(steps):
        x = math.nextafter(x, -math.inf)
    return x


def up(x: float, steps: int = 2) -> float:
    """Return the double that is ``steps`` above ``x``: an upper bound past that many roundings."""
    return -down(-x, steps)


def sum_rounded(values: Sequence[float], outward: Callable[[float, int], float]) -> float:
    """Return the sum of ``values``, rounded in the direction of ``outward``: down or up.

    The sum stays as it is if it is exact, as those of integers below 2⁵³ are.

    >>> sum_rounded([0.5, 0.25], down), sum_rounded([1.0, 2.0**-60], up) > 1
    (0.75, True)
    """
    total = math.fsum(values)
    # fsum rounds the exact sum once, so this is what the rounding has lost, with the right sign.
    lost = math.fsum([*values, -total])
    moved = outward(total, 1)
    return moved if (lost > 0) == (moved > total) and lost else total


def round_down(x: Fraction) -> float:
    """Return the largest double that is at most ``x``.

    >>> round_down(Fraction(1, 10)) < Fraction(1, 10) < round_up(Fraction(1, 10))
    True
    """
    nearest = float(x)
    return nearest if Fraction(nearest) <= x else down(nearest, 1)


def round_up(x: Fraction) -> float:
    """Return the smallest double that is at least ``x``."""
    return -round_down(-x)


def sum_outward(bounds: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return bounds on a sum, given (lower, upper) bounds on each of its terms.

    >>> sum_outward([(1.0, 2.0), (3.0, 3.0)])
    (4.0, 5.0)
    """
    lowers, uppers = zip(*bounds, strict=True)
    return sum_rounded(lowers, down), sum_rounded(uppers, up)


def format_down(x: float, digits: int) -> str:
    """Return ``x`` with ``digits`` decimal places, rounded towards −∞.

    >>> format_down(2.23606797, 4), format_down(-0.00001, 2)
    ('2.2360', '-0.01')
    """
    return _format(x, digits, ROUND_FLOOR)


def format_up(x: float, digits: int) -> str:
    """Return ``x`` with ``digits`` decimal places, rounded towards +∞.

    >>> format_up(2.23606797, 4), format_up(3.0, 2)
    ('2.2361', '3.00')
    """
    return _format(x, digits, ROUND_CEILING)


def _format(x: float, digits: int, rounding: str) -> str:
    # Decimal holds the double exactly, so nothing is rounded before the rounding that is wanted.
    return f"{Decimal(x).quantize(Decimal(1).scaleb(-digits), rounding):f}"
