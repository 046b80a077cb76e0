"""Small matrices of fractions: null spaces, linear equations, definiteness."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Vector = list[Fraction]
"""A vector of fractions."""
Matrix = list[Vector]
"""A matrix of fractions, as a list of rows."""


def reduce_rows(matrix: Sequence[Sequence[Fraction]]) -> tuple[Matrix, list[int]]:
    """Return the reduced echelon form without zero rows, and the column of each row's leading 1."""
    rows = [list(row) for row in matrix]
    leads: list[int] = []
    for column in range(len(rows[0]) if rows else 0):
        at = len(leads)
        pivot = next((i for i in range(at, len(rows)) if rows[i][column]), None)
        if pivot is None:
            continue
        rows[at], rows[pivot] = rows[pivot], rows[at]
        lead = rows[at][column]
        rows[at] = [x / lead for x in rows[at]]
        for i, row in enumerate(rows):
            if i != at and (factor := row[column]):
                rows[i] = [x - factor * y for x, y in zip(row, rows[at], strict=True)]
        leads.append(column)
    return rows[: len(leads)], leads


def null_space(matrix: Sequence[Sequence[Fraction]], width: int) -> Matrix:
    """Return a basis of the vectors x of length ``width`` with matrix · x = 0.

    >>> null_space([[Fraction(1), Fraction(2)]], 2)
    [[Fraction(-2, 1), Fraction(1, 1)]]
    """
    rows, leads = reduce_rows(matrix)
    basis = []
    for free in sorted(set(range(width)) - set(leads)):
        x = [Fraction(0)] * width
        x[free] = Fraction(1)
        for row, lead in zip(rows, leads, strict=True):
            x[lead] = -row[free]
        basis.append(x)
    return basis


def nearest_solution(
    matrix: Sequence[Sequence[Fraction]], right: Sequence[Fraction], near: Sequence[Fraction]
) -> Vector | None:
    """Return the x nearest to ``near`` with matrix · x = right, or None if there is none.

    >>> nearest_solution([[Fraction(1), Fraction(1)]], [Fraction(4)], [Fraction(1), Fraction(1)])
    [Fraction(2, 1), Fraction(2, 1)]
    """
    width = len(near)
    rows, leads = reduce_rows([[*row, b] for row, b in zip(matrix, right, strict=True)])
    if width in leads:
        return None
    A = [row[:width] for row in rows]
    missing = [row[width] - _dot(row[:width], near) for row in rows]
    gram = [[*(_dot(a, b) for b in A), r] for a, r in zip(A, missing, strict=True)]
    solved, _ = reduce_rows(gram)
    factors = [row[-1] for row in solved]
    return [
        x + sum((f * row[j] for f, row in zip(factors, A, strict=True)), Fraction(0))
        for j, x in enumerate(near)
    ]


def is_semidefinite(matrix: Sequence[Sequence[Fraction]]) -> bool:
    """Whether a symmetric matrix is positive semidefinite, by elimination.

    >>> one, two = Fraction(1), Fraction(2)
    >>> is_semidefinite([[one, one], [one, one]]), is_semidefinite([[one, two], [two, one]])
    (True, False)
    """
    rows = [list(row) for row in matrix]
    for k, chosen in enumerate(rows):
        pivot = chosen[k]
        if pivot < 0 or (pivot == 0 and any(chosen[k + 1 :])):
            return False
        for row in rows[k + 1 :] if pivot else ():
            factor = row[k] / pivot
            if factor:
                row[k:] = [x - factor * y for x, y in zip(row[k:], chosen[k:], strict=True)]
    return True


def _dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), Fraction(0))
