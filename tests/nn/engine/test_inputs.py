"""X W for sparse X: the gradient that is summed row by row, with and without masks."""

import numpy as np
import pytest
import torch
from scipy import sparse

from lovasz.nn.engine.dropout import Dropout
from lovasz.nn.engine.inputs import as_inputs

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
