"""X W for sparse X and for large tables with many zeros, with and without masks."""

import numpy as np
import pytest
import torch
from scipy import sparse

from lovasz.nn.engine import inputs as module
from lovasz.nn.engine.dropout import Dropout
from lovasz.nn.engine.inputs import CompiledInputs, DenseInputs, SparseInputs, as_inputs

X = sparse.random_array((12, 40), density=0.1, rng=0, format="csr")


@pytest.mark.parametrize("rows", [np.arange(12), np.array([1, 4, 5])])
@pytest.mark.parametrize("seeds", [[], [3], [3, 4]])
def test_sparse_features_have_the_gradient_of_dense_ones(rows, seeds):
    W = torch.rand(40, 2, 3, dtype=torch.float64, requires_grad=True)
    inputs = as_inputs(X, rows, 12, device="cpu", dtype=torch.float64)

    def project(W):
        return inputs.project(W, Dropout(0.5, seeds, "cpu") if seeds else None)

    assert torch.autograd.gradcheck(project, W, nondet_tol=0)
    if not seeds:
        wanted = X[rows].toarray() @ W.detach().numpy().reshape(40, 6)
        np.testing.assert_allclose(project(W).detach(), wanted)


def test_two_draws_of_one_step_keep_their_masks():
    W = torch.rand(40, 2, 3, dtype=torch.float64, requires_grad=True)
    inputs = as_inputs(X, np.arange(12), 12, device="cpu", dtype=torch.float64)

    def project_twice(W):
        drop = Dropout(0.5, [3], "cpu")
        return inputs.project(W, drop) * inputs.project(W, drop)

    assert torch.autograd.gradcheck(project_twice, W)


THIRD = sparse.random_array((12, 40), density=0.33, rng=1, format="csr")


@pytest.fixture
def compiled(monkeypatch):
    """Let small tables count as large."""
    monkeypatch.setattr(module, "MANY_ENTRIES", 1)


@pytest.mark.parametrize("rows", [np.arange(12), np.array([1, 4, 5])])
@pytest.mark.parametrize("seeds", [[], [3], [3, 4]])
def test_large_tables_drop_and_multiply_what_sparse_ones_do(compiled, rows, seeds):
    W = torch.rand(40, 2, 3, dtype=torch.float64, requires_grad=True)
    large = as_inputs(THIRD, rows, 12, device="cpu", dtype=torch.float64)
    plain = SparseInputs(THIRD, rows, "cpu", torch.float64)
    assert isinstance(large, CompiledInputs)

    def project(inputs):
        return inputs.project(W, Dropout(0.5, seeds, "cpu") if seeds else None)

    torch.testing.assert_close(project(large), project(plain))
    of_large, of_plain = (
        torch.autograd.grad(project(found).square().sum(), W)[0] for found in (large, plain)
    )
    torch.testing.assert_close(of_large, of_plain)


def test_how_a_large_table_is_stored_does_not_matter(compiled):
    W = torch.rand(40, 2, 3)
    zeros = THIRD.copy()
    zeros.data[::9] = 0  # stored, and zero nevertheless
    found = [
        as_inputs(X, np.arange(12), 12, device="cpu", dtype=torch.float32).project(
            W, Dropout(0.5, [3], "cpu")
        )
        for X in (zeros, zeros.toarray(), zeros.tocsc())
    ]
    assert torch.equal(found[0], found[1])
    assert torch.equal(found[0], found[2])


@pytest.mark.parametrize("density", [0.1, 0.7])
def test_only_tables_with_many_zeros_and_many_entries_are_compiled(compiled, density):
    other = sparse.random_array((12, 40), density=density, rng=0, format="csr")
    assert not module.suits_compiled(other, "cpu", torch.float32)
    assert not module.suits_compiled(THIRD, "cpu", torch.bfloat16)
    assert module.suits_compiled(THIRD, "cpu", torch.float32)


def test_small_tables_are_dense():
    inputs = as_inputs(THIRD, np.arange(12), 12, device="cpu", dtype=torch.float32)
    assert isinstance(inputs, DenseInputs)
