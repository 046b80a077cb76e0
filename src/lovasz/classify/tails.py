"""Columns with heavy tails, such as incomes or populations, are squashed before they are scaled.

If a few entries of a column are far larger than all others, a unit of its standard deviation tells
those few apart and nothing else. Such a column x becomes asinh((x − o) / u), which is linear near
the origin o and a logarithm far from it. The origin is the end from which the tail stretches away,
or the median if there are tails on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

HEAVY = 20.0
"""A column has heavy tails if the mean of z⁴ is larger, with z its entries in standard deviations
from their mean. For a normal distribution it is 3, for an exponential one 9."""
LOPSIDED = 1.0
"""The tail is on one side if the absolute mean of z³ is larger."""
NEAR = 0.1
"""The share of the entries that lie within the unit u of the origin, where squashing is linear; if
there are tails on both sides, those entries are beyond the unit on each side."""

LEAST_UNIT = 1e-100
"""A column stays as it is if its unit is not more than this many standard deviations, because what
is divided by a smaller one may leave the range of doubles."""


@dataclass(frozen=True)
class Tails:
    """The columns of a table that are squashed, and how."""

    columns: np.ndarray
    """(k,) the numbers of the columns."""
    origin: np.ndarray
    """(k,) the origins o."""
    unit: np.ndarray
    """(k,) the units u."""

    @classmethod
    def of(cls, table: np.ndarray) -> Tails:
        """Return how the columns of a dense table with heavy tails are squashed.

        A column of which too many entries are equal to its origin has no unit and stays as it is.

        >>> Tails.of(np.column_stack([np.arange(100), np.exp(np.linspace(0, 50, 100))])).columns
        array([1])
        """
        spread = table.std(axis=0)
        z = (table - table.mean(axis=0)) / np.where(spread > 0, spread, 1)
        heavy = np.flatnonzero((z**4).mean(axis=0) > HEAVY)
        slant, x = (z[:, heavy] ** 3).mean(axis=0), table[:, heavy]
        low, middle, high = np.quantile(x, [NEAR, 0.5, 1 - NEAR], axis=0)
        sides = [slant > LOPSIDED, slant < -LOPSIDED]
        origin = np.select(sides, [x.min(axis=0), x.max(axis=0)], middle)
        unit = np.select(sides, [low - origin, origin - high], (high - low) / 2)
        used = unit > LEAST_UNIT * spread[heavy]
        return cls(heavy[used], origin[used], unit[used])

    def __call__(self, table: np.ndarray) -> np.ndarray:
        """Return a table with these columns squashed."""
        if not len(self.columns):
            return table
        squashed = np.array(table, dtype=np.float64)
        squashed[:, self.columns] = np.arcsinh((table[:, self.columns] - self.origin) / self.unit)
        return squashed
