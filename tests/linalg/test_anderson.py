"""Anderson acceleration gives the same on arrays and on tensors."""

from __future__ import annotations

import numpy as np
import pytest

from lovasz.linalg.anderson import Anderson

torch = pytest.importorskip("torch")

A = np.diag(np.linspace(-0.9, 0.9, 50))
"""A linear contraction."""


def iterates(tensors: bool) -> list[np.ndarray]:
    """The points that Anderson acceleration visits on the way to the fixed point of A x + 1."""
    put = torch.as_tensor if tensors else np.array
    mix, matrix, x, visited = Anderson(5), put(A), put(np.zeros(50)), []
    for _ in range(12):
        x = mix(x, matrix @ x + 1)
        visited.append(x.numpy() if tensors else x)
    return visited


def test_tensors_visit_the_points_of_arrays() -> None:
    expected = iterates(tensors=False)
    np.testing.assert_allclose(iterates(tensors=True), expected, rtol=1e-6, atol=1e-8)


def test_mixing_comes_closer_than_plain_steps() -> None:
    truth, x = np.linalg.solve(np.eye(50) - A, np.ones(50)), np.zeros(50)
    for _ in range(12):
        x = A @ x + 1
    assert np.abs(iterates(tensors=False)[-1] - truth).max() < np.abs(x - truth).max() / 2
