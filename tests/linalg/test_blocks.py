"""Cholesky by blocks is that of NumPy."""

import numpy as np
import pytest

from lovasz.linalg import blocks
from lovasz.number.solvers import algebra


def test_blocks_factor_and_solve(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK", 7)
    A = np.random.default_rng(0).normal(size=(30, 40))
    A = A @ A.T
    L, host = A.copy(), algebra.Host()
    blocks.factor(L, host.cholesky, host.solve_lower)
    assert np.allclose(np.tril(L), np.linalg.cholesky(A))
    x = blocks.solve(L, np.arange(30.0), host.solve_lower)
    assert np.allclose(A @ x, np.arange(30.0))
    A[20, 20] = -1
    with pytest.raises(np.linalg.LinAlgError):
        blocks.factor(A, host.cholesky, host.solve_lower)
