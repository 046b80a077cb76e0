"""Compiled products are those of SciPy, for any rows, kept entries, widths and threads."""

import numpy as np
import pytest
import torch
from scipy import sparse

from lovasz.base import threads
from lovasz.nn.engine.row_products import RowOperator, Rows, multiply_rows

M = sparse.random_array((30, 20), density=0.4, rng=0, format="csr")
KEEP = torch.rand(M.nnz, generator=torch.Generator().manual_seed(0)) < 0.5


def masked(keep):
    return sparse.csr_array((M.data * keep.numpy(), M.indices, M.indptr), shape=M.shape)


@pytest.mark.parametrize("rows", [None, np.array([0, 3, 4, 29])])
@pytest.mark.parametrize("keep", [None, KEEP])
@pytest.mark.parametrize("width", [1, 7, 40])
def test_products_are_those_of_scipy(rows, keep, width):
    part = Rows(M, rows)
    wanted = (M if keep is None else masked(keep))[np.arange(30) if rows is None else rows]
    H = torch.rand(20, width, dtype=torch.float64)
    G = torch.rand(part.shape[0], width, dtype=torch.float64)
    np.testing.assert_allclose(part.product(H, keep), wanted @ H.numpy())
    np.testing.assert_allclose(part.transposed_product(G, keep), wanted.T @ G.numpy())


@pytest.mark.parametrize("keep", [None, KEEP])
def test_the_gradient_is_the_transpose(keep):
    H = torch.rand(20, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda H: multiply_rows(H, Rows(M), keep), H, nondet_tol=0)
    operator = RowOperator.of(M, torch.float64)
    assert torch.autograd.gradcheck(lambda H: operator @ H, H, nondet_tol=0)


def test_an_operator_adds_and_transposes():
    operator = RowOperator.of(M, torch.float64)
    X, H = torch.rand(20, 5, dtype=torch.float64), torch.rand(30, 5, dtype=torch.float64)
    assert operator.T.shape == (20, 30)
    found = operator.T.add_product(X, H, beta=-1, alpha=2)
    np.testing.assert_allclose(found, 2 * (M.T @ H.numpy()) - X.numpy())


def test_threads_do_not_change_a_bit(monkeypatch):
    part = Rows(M.astype(np.float32))
    H, G = torch.rand(20, 37), torch.rand(30, 37)
    alone = part.product(H, KEEP), part.transposed_product(G, KEEP)
    before = torch.get_num_threads()
    monkeypatch.setattr(threads, "WORTH_SHARING", 0)
    monkeypatch.setattr(threads, "thread_count", lambda: 3)
    torch.set_num_threads(2)
    try:
        shared = part.product(H, KEEP), part.transposed_product(G, KEEP)
    finally:
        torch.set_num_threads(before)
    assert all(torch.equal(a, b) for a, b in zip(alone, shared, strict=True))
