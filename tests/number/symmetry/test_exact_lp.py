"""The exact simplex method."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from lovasz.number.symmetry.exact_lp import maximise


@pytest.mark.parametrize("seed", range(12))
def test_the_optimum_is_that_of_a_floating_point_solver_and_satisfies_duality(seed):
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(3, 9), rng.integers(1, 7)
    inner = rng.integers(-5, 6, size=(rows, columns))
    # A box makes the programme bounded.
    matrix = np.vstack([inner, np.eye(columns, dtype=int), -np.eye(columns, dtype=int)])
    bounds = np.append(rng.integers(0, 4, size=rows), np.full(2 * columns, 7))
    objective = rng.integers(-4, 5, size=columns)
    signed = {j for j in range(columns) if rng.random() < 0.5}
    found = maximise(objective.tolist(), matrix.tolist(), bounds.tolist(), signed)
    limits = [(0 if j in signed else None, None) for j in range(columns)]
    near = linprog(-objective, A_ub=matrix, b_ub=bounds, bounds=limits)
    assert float(found.value) == pytest.approx(-near.fun, abs=1e-9)
    x, prices = found.x, found.prices
    assert all(
        sum(int(a) * v for a, v in zip(row, x, strict=True)) <= int(b)
        for row, b in zip(matrix, bounds, strict=True)
    )
    assert min(prices) >= 0
    assert sum(p * int(b) for p, b in zip(prices, bounds, strict=True)) == found.value
    for j in range(columns):
        price = sum(p * int(row[j]) for p, row in zip(prices, matrix, strict=True))
        assert price >= objective[j] if j in signed else price == objective[j]


def test_a_degenerate_programme_that_cycles_by_the_largest_coefficient_ends():
    # Beale's example, scaled to integers.
    objective = [3, -80, 2, -24]
    matrix = [[1, -32, -4, 36], [1, -24, -1, 6], [0, 0, 1, 0]]
    found = maximise(objective, matrix, [0, 0, 1], signed={0, 1, 2, 3})
    assert found.value == Fraction(5)


def test_an_unbounded_programme_is_an_error():
    with pytest.raises(ArithmeticError, match="unbounded"):
        maximise([1], [[-1]], [1])


def test_a_stopped_search_returns_a_feasible_point():
    matrix, bounds = [[2, 1], [1, 2]], [4, 4]
    values = []
    for steps in range(4):
        looks = iter([False] * steps)
        found = maximise([1, 1], matrix, bounds, {0, 1}, lambda looks=looks: next(looks, True))
        fine = [sum(a * v for a, v in zip(row, found.x, strict=True)) for row in matrix]
        assert all(left <= b for left, b in zip(fine, bounds, strict=True)) and min(found.x) >= 0
        values.append(found.value)
    assert values[0] == 0 and values == sorted(values) and values[-1] == Fraction(8, 3)
    assert found.optimal
