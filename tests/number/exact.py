"""Judges in rational arithmetic: semidefiniteness, square roots, the heaviest independent set."""

from fractions import Fraction
from itertools import combinations
from math import isqrt

PRECISION = 2**200
"""Square roots are taken to one part in this many."""


def rationals(matrix):
    """The entries of a matrix of doubles as fractions."""
    return [[Fraction(float(x)) for x in row] for row in matrix]


def is_psd(rows):
    """Whether a symmetric matrix of fractions is positive semidefinite."""
    rows = [list(row) for row in rows]
    n = len(rows)
    for k in range(n):
        pivot = rows[k][k]
        if pivot < 0 or (pivot == 0 and any(rows[k][k:])):
            return False
        for i in range(k + 1, n if pivot else 0):
            factor = rows[i][k] / pivot
            if factor:
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    return True


def root_below(x):
    """A rational just below √x, or equal to it."""
    return Fraction(isqrt(int(x * PRECISION**2)), PRECISION)


def root_above(x):
    """A rational just above √x."""
    return root_below(x) + Fraction(1, PRECISION)


def heaviest_independent_set(n, edges, weights):
    """The largest weight of an independent set, by trying all sets."""
    linked = [0] * n
    for u, v in edges:
        linked[u] |= 1 << v
        linked[v] |= 1 << u
    best = Fraction(0)
    for size in range(1, n + 1):
        for chosen in combinations(range(n), size):
            members = sum(1 << v for v in chosen)
            if not any(linked[v] & members for v in chosen):
                best = max(best, sum((Fraction(weights[v]) for v in chosen), Fraction(0)))
    return best


def proves_ratio(kernel, t, weights, shift=Fraction(1, 2**150)):
    """Whether t K ⪰ √w√wᵀ, up to the error of the square roots here."""
    roots = [root_below(Fraction(float(w))) for w in weights]
    K = rationals(kernel)
    t = Fraction(t)
    return is_psd(
        [
            [t * K[i][j] - roots[i] * roots[j] + (shift if i == j else 0) for j in range(len(K))]
            for i in range(len(K))
        ]
    )
