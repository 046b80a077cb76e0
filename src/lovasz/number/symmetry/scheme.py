"""ϑ, ϑ′ and ϑ⁺ of a union of relations of an association scheme: a small linear programme.

Averaged over the scheme, the matrices of :mod:`lovasz.number.variants` are sums over the
relations, B = t I + Σ y_i A_i and X = Σ x_i A_i / n, and such a sum is positive semidefinite if
its eigenvalues are. With P_ji the eigenvalue of A_i on eigenspace j, eigenspace 0 the constants,

    min t   over   t + Σ_i y_i P_0i ≥ n,   t + Σ_i y_i P_ji ≥ 0 for j ≥ 1,

y free on edges and 0 on non-edges (ϑ), also ≤ 0 on non-edges (ϑ′), or ≥ 0 on edges (ϑ⁺). The
prices z_j ≥ 0 of the rows have Σ z_j = 1, and x_i = Σ_j z_j P_ji / P_0i is the primal solution:
0 on edges (ϑ), ≥ 0 on non-edges (ϑ′), ≤ 0 on edges (ϑ⁺), with value n z_0. All numbers are
integers or fractions, and both solutions are checked in exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from lovasz.graphs.schemes import MetricScheme
from lovasz.number.solvers.contract import never
from lovasz.number.symmetry.exact_lp import maximise
from lovasz.number.variants import Variant


@dataclass(frozen=True)
class ExactSolution:
    """An optimal pair in fractions, or what there was of it when the search was stopped."""

    value: Fraction
    """ϑ, or an upper bound if the search was stopped."""
    edge_values: Mapping[Any, Fraction]
    """y_i of each relation where B is not 0."""
    prices: tuple[Fraction, ...]
    """z_j of each eigenspace; none if the search was stopped."""


def solve_metric(
    scheme: MetricScheme,
    relations: frozenset[int],
    variant: Variant,
    stop: Callable[[], bool] = never,
) -> ExactSolution:
    """Return ϑ of the graph whose edges are these distances.

    >>> from lovasz.graphs.families import hamming
    >>> pentagons = hamming(6, {1, 2, 3})  # the example of Schrijver (1979)
    >>> scheme, edges = pentagons.scheme, pentagons.relations
    >>> [str(solve_metric(scheme, edges, v).value) for v in Variant]
    ['16/3', '4', '16/3']
    """
    return solve_table(scheme.eigenvalues, relations, variant, stop)


def solve_table(
    eigenvalues: Sequence[Sequence[int]],
    relations: frozenset[int],
    variant: Variant,
    stop: Callable[[], bool] = never,
) -> ExactSolution:
    """Return ϑ by the table P, one row per eigenspace and one column per relation.

    Row 0 holds the valencies and column 0 the eigenvalues 1 of the identity. If ``stop()`` is true
    before the end, y is feasible and t an upper bound.
    """
    n = sum(eigenvalues[0])
    edges = sorted(relations)
    others = [i for i in range(1, len(eigenvalues[0])) if i not in relations]
    used = edges + (others if variant is Variant.SCHRIJVER else [])
    # With s = n − t the start s = 0, y = 0 is feasible. On non-edges the unknown is −y ≥ 0.
    sign = [1] * len(edges) + [-1] * (len(used) - len(edges))
    matrix = [
        [1, *(-sigma * row[i] for sigma, i in zip(sign, used, strict=True))] for row in eigenvalues
    ]
    bounds = [0, *(n for _ in eigenvalues[1:])]
    first = 1 if variant is Variant.SZEGEDY else 1 + len(edges)
    signed = frozenset() if variant is Variant.LOVASZ else frozenset(range(first, 1 + len(used)))
    found = maximise([1, *(0 for _ in used)], matrix, bounds, signed, stop)
    y = {i: sigma * v for i, sigma, v in zip(used, sign, found.x[1:], strict=True)}
    solution = ExactSolution(n - found.value, y, found.prices if found.optimal else ())
    _check(solution, eigenvalues, relations, variant)
    return solution


def relation_values(
    solution: ExactSolution, eigenvalues: Sequence[Sequence[int]]
) -> list[Fraction]:
    """x_i of each relation: the primal solution, and the kernel of the complement."""
    return [
        sum((z * row[i] for z, row in zip(solution.prices, eigenvalues, strict=True)), Fraction(0))
        / eigenvalues[0][i]
        for i in range(len(eigenvalues[0]))
    ]


def _check(
    solution: ExactSolution,
    eigenvalues: Sequence[Sequence[int]],
    relations: frozenset[int],
    variant: Variant,
) -> None:
    """Raise if the pair is not feasible or not optimal, whatever the simplex method did.

    There is no pair, but only y, if the search was stopped.
    """
    t, y, z = solution.value, solution.edge_values, solution.prices
    n = sum(eigenvalues[0])
    slack = [t + sum(v * row[i] for i, v in y.items()) for row in eigenvalues]
    others = [i for i in range(1, len(eigenvalues[0])) if i not in relations]
    fine = slack[0] >= n and min(slack) >= 0
    if variant is Variant.SZEGEDY:
        fine &= all(v >= 0 for v in y.values())
    if variant is Variant.SCHRIJVER:
        fine &= all(y[i] <= 0 for i in others)
    elif any(i not in relations for i in y):
        fine = False
    if z:
        x = relation_values(solution, eigenvalues)
        fine &= min(z) >= 0 and x[0] == 1 and t == n * z[0]
        if variant is Variant.SZEGEDY:
            fine &= all(x[i] <= 0 for i in relations)
        else:
            fine &= all(x[i] == 0 for i in relations)
        fine &= variant is not Variant.SCHRIJVER or all(x[i] >= 0 for i in others)
    if not fine:
        raise ArithmeticError("the solution of a linear programme failed its check")
