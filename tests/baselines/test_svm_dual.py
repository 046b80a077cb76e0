"""The dual of a support vector machine without bias."""

import numpy as np
import pytest
import torch

from lovasz.baselines.svm_dual import solve_box


@pytest.mark.parametrize("rank", [30, 8])
@pytest.mark.parametrize("C", [0.05, 1.0, 100.0])
def test_the_box_programme_meets_its_optimality_conditions(rank, C):
    rng = np.random.default_rng(0)
    F = rng.standard_normal((30, rank)) / rank**0.5
    Q = torch.as_tensor(F @ F.T)
    alpha = solve_box(Q, C, torch.zeros(30, dtype=torch.float64)).numpy()
    slope = Q.numpy() @ alpha - 1
    assert (alpha >= 0).all() and (alpha <= C).all()
    tight = 1e-6 * max(1, C)
    assert (slope[alpha > tight] < tight).all()
    assert (slope[alpha < C - tight] > -tight).all()
