"""The least eigenvalues of sparse matrices, with all their copies."""

import itertools

import numpy as np
import pytest
from scipy import sparse

from lovasz.linalg.eigenspace import COLUMNS, least_eigenvectors


def never() -> bool:
    return False


def converged(A, bound, wanted=1e-9):
    for found in least_eigenvectors(A, bound, never):
        if found.residuals[0] < wanted:
            return found
    raise AssertionError("no convergence")


def torus(k):
    ring = sparse.csr_array(np.roll(np.eye(k), 1, axis=0) + np.roll(np.eye(k), -1, axis=0))
    own = sparse.eye_array(k)
    return sparse.csr_array(sparse.kron(ring, own) + sparse.kron(own, ring))


def test_all_copies_of_a_multiple_eigenvalue_are_found():
    A = torus(41)
    found = converged(A, 4.0)
    np.testing.assert_allclose(found.values[:4], 4 * np.cos(40 * np.pi / 41), atol=1e-9)
    assert found.values[4] - found.values[0] > 1e-3
    U = found.vectors[:, :4]
    np.testing.assert_allclose((U**2).sum(axis=1), 4 / 41**2, rtol=1e-5)  # symmetry


@pytest.mark.parametrize("seed", range(5))
def test_random_matrices_have_the_eigenvalues_of_lapack(seed):
    rng = np.random.default_rng(seed)
    M = sparse.random_array((200, 200), density=0.05, rng=rng)
    A = sparse.csr_array(M + M.T)
    bound = float(abs(A).sum(axis=1).max())
    found = converged(A, bound)
    exact, _ = np.linalg.eigh(A.toarray())
    assert found.values[0] == pytest.approx(exact[0], abs=1e-12)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(COLUMNS), atol=1e-10)


def test_blocks_of_a_few_rows_and_of_one_value():
    found = converged(sparse.csr_array(np.diag([3.0, -1.0, 2.0])), 3.0)
    np.testing.assert_allclose(found.values, [-1, 2, 3], atol=1e-12)
    assert not list(least_eigenvectors(sparse.eye_array(50, format="csr"), 1.0, never))


def test_the_search_ends_when_it_is_told_to():
    asked = itertools.count()
    rounds = list(least_eigenvectors(torus(41), 4.0, lambda: next(asked) > 30))
    assert len(rounds) < 5
