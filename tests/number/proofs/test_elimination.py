"""The sparse factorisation is that of NumPy, and refuses what is not positive definite."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from lovasz.number.proofs import elimination
from lovasz.number.proofs.elimination import Cholesky, NotPositive, TooDear, independent_rows


def symmetric(n, degree, seed, least=0.1):
    """A random sparse symmetric matrix with unit diagonal and this smallest eigenvalue."""
    rng = np.random.default_rng(seed)
    half = np.triu(rng.normal(size=(n, n)) * (rng.random((n, n)) < degree / n), 1)
    A = half + half.T
    A *= (1 - least) / max(-np.linalg.eigvalsh(A)[0], 1e-9)
    return sparse.csr_array(A + np.eye(n))


@pytest.fixture(autouse=True)
def in_stages(monkeypatch):
    monkeypatch.setattr(elimination, "SMALL", 3)
    monkeypatch.setattr(elimination, "FULL", 2.0)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 60), st.floats(0.5, 8), st.integers(0, 10**6))
def test_the_factor_solves_what_numpy_solves(n, degree, seed):
    S = symmetric(n, degree, seed)
    b = np.random.default_rng(seed).normal(size=n)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elimination, "SMALL", 3)
        patch.setattr(elimination, "FULL", 2.0)
        factor = Cholesky(S)
    assert np.allclose(factor.solve(b), np.linalg.solve(S.toarray(), b), rtol=1e-9, atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 60), st.floats(0.5, 8), st.integers(0, 10**6), st.floats(-9, 0))
def test_what_is_not_positive_definite_is_refused(n, degree, seed, exponent):
    S = symmetric(n, degree, seed, least=-(10.0**exponent))
    if np.linalg.eigvalsh(S.toarray())[0] > -1e-12:
        return  # no edges
    with pytest.MonkeyPatch.context() as patch, pytest.raises(NotPositive):
        patch.setattr(elimination, "SMALL", 3)
        patch.setattr(elimination, "FULL", 2.0)
        Cholesky(S)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
@pytest.mark.parametrize("where", [(0, 0), (1, 2), (39, 39)])
def test_numbers_that_are_none_are_refused(bad, where):
    S = symmetric(40, 4, 0).toarray()
    S[where] = S[where[::-1]] = bad * 10
    with pytest.raises(NotPositive):
        Cholesky(sparse.csr_array(S))


def test_rows_that_are_eliminated_together_have_no_entry_between_them():
    S = symmetric(200, 5, 1)
    mask = independent_rows(S, np.random.default_rng(0))
    assert mask.sum() > 20
    chosen = S[mask][:, mask].toarray()
    assert np.count_nonzero(chosen - np.diag(np.diag(chosen))) == 0


@pytest.mark.parametrize("n", [10, 500])
def test_what_would_take_too_long_is_not_begun(n):
    with pytest.raises(TooDear):
        Cholesky(symmetric(n, 4, 0), left=lambda: 0.0)


def test_a_dense_rest_that_does_not_fit_is_not_begun(monkeypatch):
    monkeypatch.setattr(elimination, "FULL", 0.05)
    monkeypatch.setattr(elimination, "free_memory", lambda: 1000)
    with pytest.raises(TooDear):
        Cholesky(symmetric(200, 20, 0))
