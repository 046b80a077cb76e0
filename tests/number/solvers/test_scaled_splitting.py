"""Cores on which the plain splitting stalls: threshold graphs of points, ϑ known from elsewhere."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from lovasz.number import plan, theta
from lovasz.number.solvers.scaled_splitting import FLOOR, balance
from lovasz.number.solvers.splitting import DenseSplitting
from lovasz.number.variants import Variant


def threshold_graph(n, dimension, seed):
    """Points of a normal distribution, joined where their similarity is above its mean."""
    points = np.random.default_rng(seed).standard_normal((n, dimension))
    squares = squareform(pdist(points, "sqeuclidean"))
    similar = np.exp(-squares / np.sqrt(squares).mean() ** 2)
    linked = similar > similar.mean()
    np.fill_diagonal(linked, False)
    return linked.astype(float)


@pytest.mark.parametrize("weighted", [False, True])
def test_it_closes_the_gap_where_no_interior_point_may(monkeypatch, weighted):
    A = threshold_graph(120, 8, seed=0)
    weights = np.random.default_rng(1).uniform(1, 2, len(A)) if weighted else None
    known = theta(A, tol=1e-8, weights=weights)
    assert "interior" in known.method
    monkeypatch.setitem(plan.INTERIOR_AT_ALL, "cpu", 0)
    found = theta(A, tol=1e-6, weights=weights)
    assert "scaled splitting" in found.method
    assert found.gap <= 1e-6
    assert found.lower <= known.upper and known.lower <= found.upper


def test_the_plain_splitting_stalls_there(monkeypatch):
    monkeypatch.setitem(plan.INTERIOR_AT_ALL, "cpu", 0)
    plain = [plan.Attempt(DenseSplitting(most=2000), Variant.LOVASZ)]
    monkeypatch.setattr(plan.Plan, "attempts", lambda *args: plain)
    assert theta(threshold_graph(120, 8, seed=0), tol=1e-6).gap > 1e-5


def test_rows_in_balance():
    torch = pytest.importorskip("torch")
    random = torch.Generator().manual_seed(0)
    X, Z = (torch.rand((9, 4), generator=random, dtype=torch.float64) for _ in range(2))
    grow = torch.logspace(-3, 0, 9, dtype=torch.float64)
    X, Z = (grow[:, None] * X) @ (grow[:, None] * X).T, Z @ Z.T
    d = balance(X, Z, rounds=200)
    assert float(d.max()) == 1 and float(d.min()) >= FLOOR
    both = torch.outer(d, d)
    ratio = (X / both).norm(dim=1) / (Z * both).norm(dim=1)
    assert float(ratio.max() / ratio.min()) < 1.001
