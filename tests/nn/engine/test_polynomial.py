"""p(S) H against its definition, and its gradients against finite differences."""

import numpy as np
import pytest
import torch
from numpy.polynomial import chebyshev as cheb
from scipy import sparse

from lovasz.nn.engine.operators import LowRank, as_operator
from lovasz.nn.engine.polynomial import polynomial

RNG = np.random.default_rng(0)
S = np.where(RNG.random((7, 7)) < 0.5, RNG.uniform(-0.4, 0.4, (7, 7)), 0)  # not symmetric


def operators():
    yield as_operator(S, dtype=torch.float64)
    yield as_operator(
        sparse.csr_array(np.where(RNG.random((7, 7)) < 0.15, S, 0)), dtype=torch.float64
    )
    yield as_operator(LowRank(S[:, :2]), dtype=torch.float64)


def dense(operator):
    return operator @ torch.eye(7, dtype=torch.float64)


@pytest.mark.parametrize("chebyshev", [False, True])
@pytest.mark.parametrize("degree", [0, 1, 2, 5])
def test_it_is_the_sum_of_its_terms(chebyshev, degree):
    c, H = RNG.standard_normal((degree + 1, 3)), RNG.standard_normal((7, 3))
    for operator in operators():
        M = dense(operator).numpy()
        powers = [np.linalg.matrix_power(M, k) for k in range(degree + 1)]
        wanted = np.zeros((7, 3))
        for k in range(degree + 1):
            part = cheb.cheb2poly(np.eye(degree + 1)[k]) if chebyshev else np.eye(degree + 1)[k]
            wanted += c[k] * (sum(a * P for a, P in zip(part, powers, strict=False)) @ H)
        found = polynomial(torch.tensor(H), torch.tensor(c), operator, chebyshev)
        np.testing.assert_allclose(found, wanted, atol=1e-12)


@pytest.mark.parametrize("chebyshev", [False, True])
@pytest.mark.parametrize("learned", [False, True])
def test_gradients(chebyshev, learned):
    H = torch.tensor(RNG.standard_normal((7, 3)), requires_grad=True)
    c = torch.tensor(RNG.standard_normal((4, 3)), requires_grad=learned)
    for operator in operators():
        assert torch.autograd.gradcheck(
            lambda H, c, operator=operator: polynomial(H, c, operator, chebyshev), (H, c)
        )
