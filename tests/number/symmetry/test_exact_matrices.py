"""Matrices of fractions."""

from fractions import Fraction

import numpy as np
import pytest

from lovasz.number.symmetry.exact_matrices import is_semidefinite, nearest_solution, null_space


def fractions(array):
    return [[Fraction(int(x)) for x in row] for row in array]


@pytest.mark.parametrize("seed", range(5))
def test_a_null_space_is_complete(seed):
    rng = np.random.default_rng(seed)
    A = rng.integers(-3, 4, size=(4, 3)) @ rng.integers(-3, 4, size=(3, 7))
    basis = np.array(null_space(fractions(A), 7), dtype=object)
    rank = np.linalg.matrix_rank(A)
    assert len(basis) == 7 - rank == np.linalg.matrix_rank(basis.astype(float))
    assert (A.astype(object) @ basis.T == 0).all()


@pytest.mark.parametrize("seed", range(5))
def test_the_nearest_solution_is_that_of_least_squares(seed):
    rng = np.random.default_rng(seed)
    A = rng.integers(-3, 4, size=(4, 3)) @ rng.integers(-3, 4, size=(3, 6))
    near = rng.integers(-5, 6, size=6)
    right = A @ rng.integers(-5, 6, size=6)
    x = nearest_solution(fractions(A), [Fraction(int(b)) for b in right], fractions([near])[0])
    expected = near + np.linalg.pinv(A) @ (right - A @ near)
    np.testing.assert_allclose(np.array(x, dtype=float), expected, atol=1e-9)


def test_contradictory_equations_have_no_solution():
    one = Fraction(1)
    assert nearest_solution([[one], [one]], [one, 2 * one], [one]) is None


@pytest.mark.parametrize("seed", range(5))
def test_a_gram_matrix_is_semidefinite_and_stops_to_be_when_it_is_lowered(seed):
    rng = np.random.default_rng(seed)
    V = rng.integers(-3, 4, size=(5, 3))
    gram = fractions(V @ V.T)
    assert is_semidefinite(gram)
    gram[4][4] -= Fraction(1, 10**12)
    assert not is_semidefinite(gram)


def test_a_zero_pivot_with_a_row_beside_it_is_indefinite():
    assert not is_semidefinite(fractions([[0, 1], [1, 5]]))
    assert is_semidefinite(fractions([[0, 0], [0, 5]]))
