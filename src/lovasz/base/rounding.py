"""Outward rounding: bounds that stay valid although every operation on doubles rounds.

Bounds that are computed are moved by units in the last place (:func:`down`, :func:`up`,
:func:`sum_outward`); bounds that are printed are rounded in decimal (:func:`format_down`,
:func:`format_up`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

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
    """Return the sum of ``values``, rounded by ``outward`` unless all of them are integers.

    A sum of integers below 2⁵³ is exact and stays as it is.

    >>> sum_rounded([1.0, 2.0], down), sum_rounded([0.5, 0.25], down) < 0.75
    (3.0, True)
    """
    total = math.fsum(values)
    if all(value.is_integer() for value in values) and abs(total) < 2**53:
        return total
    return outward(total, 1)


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
