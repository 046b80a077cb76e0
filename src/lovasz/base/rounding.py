"""Outward rounding: bounds that hold although every operation on doubles rounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

UNIT = 2.0**-53


def gamma(k: int) -> float:
    """γ_k = k u / (1 − k u): the relative error of k roundings in a row."""
    return k * UNIT / (1 - k * UNIT)


def down(x: float, steps: int = 2) -> float:
    """``x``, rounded towards −∞ past the rounding of ``steps`` operations."""
    for _ in range(steps):
        x = math.nextafter(x, -math.inf)
    return x


def up(x: float, steps: int = 2) -> float:
    """``x``, rounded towards +∞ past the rounding of ``steps`` operations."""
    return -down(-x, steps)


def sum_rounded(values: Sequence[float], outward: Callable[[float, int], float]) -> float:
    """The sum, rounded outwards; exact for integers."""
    total = math.fsum(values)
    if all(value.is_integer() for value in values) and abs(total) < 2**53:
        return total
    return outward(total, 1)


def sum_outward(bounds: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Bounds of a sum from the bounds of its terms."""
    lowers, uppers = zip(*bounds, strict=True)
    return sum_rounded(lowers, down), sum_rounded(uppers, up)
