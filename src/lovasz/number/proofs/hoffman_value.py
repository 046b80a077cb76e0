"""Hoffman's bound as an exact value: ϑ = n |s| / (d + |s|), proven in integers.

Let G be d-regular and connected, and p an integer polynomial with p(A) = c J. Then all eigenvalues
of A but d are roots of p. If s is its least root, K = I + A/|s| ⪰ 0 and t K ⪰ J for the t above,
so ϑ ≤ ϑ⁺ ≤ t. Write p = (x − s) f. Then f(A) is a multiple of the projection E onto the eigenspace
of s, plus a multiple of J. If it is constant on the edges, so is E, and X = E − e J, e its value on
the edges, shows ϑ ≥ t as in :mod:`.hoffman`; E is not zero unless f(A) is a multiple of J as well.

If s is irrational, its conjugate r is a root, too, and f = (x − r) g with g in integers. Then
f(A) = A g(A) − r g(A) is constant on the edges if and only if both parts are.

Matrices of integers are compared modulo primes whose product exceeds twice their largest entry, by
products of doubles that are exact.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from lovasz.base.surds import Surd, simplify_surd
from lovasz.graphs import Graph
from lovasz.graphs.finite_fields import is_prime

MOST_VALUES = 12
"""Largest number of different eigenvalues."""
MOST_WORK = 3e10
"""Largest number of products of two numbers that the proof may take."""
APART = 1e-6
"""Eigenvalues that differ by less count as one, and numbers that are nearer to an integer as it."""
Factor = tuple[int, ...]
"""The coefficients of x − θ or of x² − (θ + θ') x + θθ', without the leading one, constant last."""


def exact_hoffman(graph: Graph, values: np.ndarray) -> Fraction | Surd | None:
    """ϑ of a connected regular graph on which Hoffman's bound is tight, or None.

    ``values`` are the eigenvalues of A in ascending order.

    None also if the eigenvalues of A are not roots of linear and quadratic polynomials, or if the
    proof would take long.

    >>> square_and_diagonals = Graph.from_edges([0, 1, 2, 3, 0, 1], [1, 2, 3, 0, 2, 3])
    >>> exact_hoffman(square_and_diagonals, np.array([-1.0, -1.0, -1.0, 3.0]))
    Fraction(1, 1)
    """
    n, d = graph.n, int(graph.degrees[0])
    distinct = values[np.diff(values, prepend=-np.inf) > APART][:-1].tolist()
    if not 0 < len(distinct) <= MOST_VALUES:
        return None
    factors = integer_factors(distinct)
    if factors is None:
        return None
    first, *others = factors
    s = least_root(first)
    if any(least_root(other) <= s for other in others):
        return None
    largest = math.prod(d**2 + sum(map(abs, factor)) * (d + 1) for factor in factors) * 2
    primes = primes_beyond(largest, n)
    if not primes or len(primes) * len(distinct) * n**3 > MOST_WORK:
        return None
    A = graph.adjacency.toarray().astype(np.float64)
    verdicts = [_agrees(A, first, others, graph, p) for p in primes]
    if not all(ok for ok, _ in verdicts) or not any(varies for _, varies in verdicts):
        return None
    if isinstance(s, Fraction):
        return n * -s / (d - s)
    # Both the numerator and the denominator of n|s|/(d + |s|) times d + |r|, r the conjugate of s.
    a, b, root = -s.rational, -s.coefficient, s.radicand
    bottom = (d + a) ** 2 - b * b * root
    return simplify_surd(n * (a * (d + a) - b * b * root) / bottom, n * b * d / bottom, root)


def least_root(factor: Factor) -> Fraction | Surd:
    """The smaller root of x + c, or of x² + b x + c."""
    if len(factor) == 1:
        return Fraction(-factor[0])
    b, c = factor
    return simplify_surd(Fraction(-b, 2), Fraction(-1, 2), b * b - 4 * c)


def integer_factors(values: list[float]) -> list[Factor] | None:
    """Integer polynomials of degree 1 or 2 with these roots, the least one in the first."""
    left: list[float] = sorted(values)
    factors: list[Factor] = []
    while left:
        x = left.pop(0)
        if abs(x - round(x)) < APART:
            factors.append((-round(x),))
            continue
        for y in left:
            total, product = x + y, x * y
            if abs(total - round(total)) + abs(product - round(product)) < APART * (1 + abs(x)):
                left.remove(y)
                factors.append((-round(total), round(product)))
                break
        else:
            return None
    return factors


def primes_beyond(bound: int, n: int) -> list[int]:
    """Primes whose product exceeds twice ``bound``, for exact products of n × n matrices."""
    primes: list[int] = []
    candidate, product = math.isqrt(2**52 // n), 1
    while product <= 2 * bound:
        while candidate > 1 and not is_prime(candidate):
            candidate -= 1
        if candidate < 2:
            return []
        primes.append(candidate)
        product *= candidate
        candidate -= 1
    return primes


def _agrees(
    A: np.ndarray, first: Factor, others: list[Factor], graph: Graph, p: int
) -> tuple[bool, bool]:
    """Whether, modulo p, p(A) is constant and f(A) is on the edges; and whether f(A) varies."""
    i, j = graph.edges()
    f = np.eye(len(A))
    for factor in others:
        f = _times(A, factor, f, p)
    parts = [f] if len(first) == 1 else [f, np.mod(A @ f, p)]
    whole = _times(A, first, f, p)
    flat = all((part[i, j] == part[i[0], j[0]]).all() for part in parts)
    varies = any((part != part[0, 0]).any() for part in parts)
    return bool((whole == whole[0, 0]).all()) and flat, varies


def _times(A: np.ndarray, factor: Factor, B: np.ndarray, p: int) -> np.ndarray:
    """The polynomial of A with these coefficients, times B, modulo p."""
    result = B
    for coefficient in factor:
        result = np.mod(np.mod(A @ result, p) + (coefficient % p) * B, p)
    return result
