"""The projection on the spectraplex, from a decomposition nearby, and what rests on it."""

import numpy as np
import pytest
import torch

from lovasz import theta
from lovasz.graphs.families import gnp
from lovasz.number import projection
from lovasz.number.projection import Projector, simplex_threshold
from lovasz.number.splitting import Anderson


def exact(W):
    """The nearest point of {X ⪰ 0, tr X = 1}, by definition."""
    values, Q = np.linalg.eigh(W)
    kept = np.maximum(values - simplex_threshold(values), 0)
    return (Q * kept) @ Q.T


def random_symmetric(n, seed):
    A = np.random.default_rng(seed).standard_normal((n, n)) / n
    return (A + A.T) / 2


@pytest.fixture
def decompositions(monkeypatch):
    """Counts the eigendecompositions."""
    seen = []
    plain = projection._decompose
    monkeypatch.setattr(projection, "_decompose", lambda *args: seen.append(1) or plain(*args))
    return seen


@pytest.mark.parametrize("size", [1e-3, 1e-4, 1e-5])
def test_a_small_change_needs_no_decomposition_and_is_exact_to_second_order(size, decompositions):
    W, D = random_symmetric(40, 1), random_symmetric(40, 2)
    project = Projector()
    project(torch.tensor(W), step=0.0, coarse=False)
    moved = W + size * D
    U, tau = project(torch.tensor(moved), step=1.0, coarse=False)
    assert len(decompositions) == 1
    error = np.linalg.norm(U.numpy() - exact(moved))
    assert error < 0.03 * np.linalg.norm(exact(moved) - exact(W))
    assert error < 100 * size**2 and abs(float(U.trace()) - 1) < 1e-6
    assert tau == pytest.approx(simplex_threshold(np.linalg.eigvalsh(moved)), abs=1e-4)


def test_a_large_change_and_a_small_step_are_decomposed(decompositions):
    W, D = random_symmetric(40, 1), random_symmetric(40, 2)
    project = Projector()
    for matrix, step in ((W, 0.0), (W + D, 1e-3), (W + 1.001 * D, 1e-9), (W + 1.001 * D, 0.0)):
        U, _ = project(torch.tensor(matrix), step=step, coarse=False)
        np.testing.assert_allclose(U.numpy(), exact(matrix), atol=1e-12)
    assert len(decompositions) == 4


def test_eigenvalues_that_cross_are_seen_where_eigenvectors_stay(decompositions):
    """Nothing turns, so the second order vanishes; still the rank is another."""
    before, after = np.diag([0.6, 0.5, -0.2, -0.3]), np.diag([0.6, 0.5, 0.3, -0.3])
    project = Projector()
    for matrix in (before, after):
        U, _ = project(torch.tensor(matrix), step=1e-3, coarse=False)
        np.testing.assert_allclose(U.numpy(), exact(matrix), atol=1e-12)
    assert len(decompositions) == 2


def test_most_iterations_on_a_random_graph_need_no_decomposition(decompositions, monkeypatch):
    steps = []
    plain = Anderson.__call__
    monkeypatch.setattr(
        Anderson, "__call__", lambda self, *args: steps.append(1) or plain(self, *args)
    )
    result = theta(gnp(100, 0.5, seed=1), solver="splitting", device="cpu")
    assert result.gap <= 1e-6
    assert len(decompositions) < len(steps) / 3


def test_acceleration_goes_back_where_it_lengthened_the_residual():
    """x ↦ |x − 1| / 2 is nonexpansive with a kink; the accelerated point may be thrown far."""
    accelerate, x = Anderson(memory=3, nonexpansive=True), torch.tensor([5.0, -3.0, 7.0])

    def image(x):
        return (x - torch.tensor([1.0, 2.0, 3.0])).abs() / 2

    for _ in range(60):
        x = accelerate(x, image(x))
    assert float((image(x) - x).norm()) < 1e-6
