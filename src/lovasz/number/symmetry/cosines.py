"""cos 2πk/n with error bounds that need nothing but IEEE arithmetic."""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext

import numpy as np

DIGITS = 60
"""Decimal digits of :func:`cosine_bounds`, far more than a double has."""
MARGIN = Decimal(10) ** -45
"""Bound on the error of :func:`cosine_bounds`, far more than its rounding."""
COSINE_ERROR = 2.0**-49
"""Bound on the error of each entry of :func:`cosines`."""
TERMS = 11
"""Terms of the series of cos and sin; the first omitted one is below 2⁻⁷⁰ up to π/4."""


def cosines(n: int) -> np.ndarray:
    """cos 2πk/n for k = 0, …, n − 1, each with an error of at most :data:`COSINE_ERROR`.

    k/n is reduced to an eighth of the circle in integers. There x = 2πk/n ≤ π/4 is rounded by
    three operations, an error of at most 3u · π/4, and the alternating series of cos and sin are
    summed by Horner's rule with an error of a few units u = 2⁻⁵³, as their terms fall from 1 on.

    >>> bool(abs(cosines(6)[2] + 0.5) <= COSINE_ERROR)
    True
    """
    k = np.arange(n, dtype=np.int64)
    k = np.minimum(k, n - k)  # cos is even
    flipped = 4 * k > n
    k2 = np.where(flipped, n - 2 * k, 2 * k)  # twice the angle: cos(π − x) = −cos x
    crossed = 4 * k2 > n
    # cos x for x = πk2/n ≤ π/4, or sin(π/2 − x) with π/2 − x = π (n − 2 k2) / 2n.
    x = np.pi * np.where(crossed, (n - 2 * k2) / (2 * n), k2 / n)
    square = x * x
    even, odd = np.zeros(n), np.zeros(n)
    for i in range(TERMS, 0, -1):
        even = 1 - square * even / ((2 * i - 1) * (2 * i)) if i < TERMS else np.ones(n)
        odd = 1 - square * odd / ((2 * i) * (2 * i + 1)) if i < TERMS else np.ones(n)
    value = np.where(crossed, x * odd, even)
    return np.where(flipped, -value, value)


def cosine_bounds(k: int, n: int) -> tuple[Decimal, Decimal]:
    """cos πk/n between two decimals that differ by 2 · 10⁻⁴⁵.

    >>> low, high = cosine_bounds(1, 3)
    >>> low < Decimal("0.5") < high
    True
    """
    with localcontext(Context(prec=DIGITS)):
        x = _pi() * (k % (2 * n)) / n
        term = total = Decimal(1)
        i = 0
        while abs(term) > Decimal(10) ** -(DIGITS - 5) or i < 8:
            i += 2
            term *= -x * x / (i * (i - 1))
            total += term
        return total - MARGIN, total + MARGIN


def _pi() -> Decimal:
    """π by Machin's formula, 16 arctan 1/5 − 4 arctan 1/239, in integers."""
    one: int = 10 ** (DIGITS + 10)

    def arctan(inverse: int) -> int:
        term = total = one // inverse
        i = 1
        while term:
            term //= -inverse * inverse
            i += 2
            total += term // i
        return total

    return Decimal(4 * (4 * arctan(5) - arctan(239))) / Decimal(one)


def odd_cycle_bounds(n: int, copies: int = 1) -> tuple[float, float]:
    """Bounds on ``copies`` · n cos(π/n) / (1 + cos(π/n)) for odd n, in neighbouring doubles.

    >>> odd_cycle_bounds(5)
    (2.2360679774997894, 2.23606797749979)
    """
    if n == 1:
        return float(copies), float(copies)
    with localcontext(Context(prec=DIGITS)):
        low, high = cosine_bounds(1, n)
        # x / (1 + x) grows with x.
        wide = n * copies * MARGIN
        least = copies * n * (low / (1 + low)) - wide
        most = copies * n * (high / (1 + high)) + wide
    below, above = float(least), float(most)
    while Decimal(below) > least:
        below = math.nextafter(below, -math.inf)
    while Decimal(above) < most:
        above = math.nextafter(above, math.inf)
    return below, above
