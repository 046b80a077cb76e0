"""Rows of an adjacency matrix that were given where edges are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

ROWS_OF_A_MATRIX = (
    "a list is read as edges, one row each; pass numpy.array(...) if it is an adjacency matrix"
)
"""The remedy for a list of lists that may be meant as a matrix."""


def is_small_matrix(source: Sequence[Any], target: Sequence[Any], values: Sequence[Any]) -> bool:
    """Whether three edges with weights are rather the rows of an adjacency matrix.

    It is symmetric with zeros on the diagonal, so read as edges the third would have weight 0.

    >>> is_small_matrix([0, 1, 1], [1, 0, 1], [1, 1, 0])
    True
    """
    rows = (*zip(source, target, values, strict=False),)
    if len(rows) != 3 or any(cell not in (0, 1) for row in rows for cell in row):
        return False
    return rows == (*zip(*rows, strict=True),) and not any(rows[k][k] for k in range(3))
