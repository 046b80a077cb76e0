"""The projection on the spectraplex, from a decomposition nearby, and what rests on it."""

import numpy as np
import pytest

from lovasz import theta
from lovasz.graphs.families import gnp
from lovasz.linalg.anderson import Anderson
from lovasz.number.solvers import projection
from lovasz.number.solvers.algebra import Device, Host, place
from lovasz.number.solvers.contract import Core, Referee
from lovasz.number.solvers.packing import Packing
from lovasz.number.solvers.projection import Projector, simplex_threshold
from lovasz.number.solvers.splitting import RELAXATION, DenseSplitting, DenseState
from lovasz.number.variants import Variant


def exact(W):
    """The nearest point of {X ⪰ 0, tr X = 1}, by definition."""
    values, Q = np.linalg.eigh(W)
    kept = np.maximum(values - simplex_threshold(values), 0)
    return (Q * kept) @ Q.T


def random_symmetric(n, seed):
    A = np.random.default_rng(seed).standard_normal((n, n)) / n
    return (A + A.T) / 2


class Matrices:
    """A projector that takes and gives matrices."""

    def __init__(self, n):
        self.packing = Packing(gnp(n, 0.5, seed=n), Host())
        self.project = Projector(self.packing)

    def __call__(self, W, **options):
        U, tau = self.project(self.packing.pack(W), **options)
        return self.packing.unpack(U), tau


@pytest.mark.parametrize("device", ["cpu", "cpu:0"])
def test_a_matrix_comes_back_from_its_vector(device):
    on, graph = place(device), gnp(9, 0.5, seed=3)
    W, D = (on.put(random_symmetric(9, k)) for k in (1, 2))
    packing = Packing(graph, on)
    w, d = packing.pack(W), packing.pack(D)
    np.testing.assert_allclose(packing.unpack(w), W, rtol=1e-15)
    assert float(w @ d) == pytest.approx(float((W * D).sum()) / 2)
    i, j = graph.edges()
    np.testing.assert_array_equal(w[: graph.m], on.get(W)[i, j])
    skew = on.put(np.random.default_rng(4).standard_normal((9, 9)))
    np.testing.assert_allclose(packing.pack_twice(skew), packing.pack(skew + skew.T), rtol=1e-15)


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
    project = Matrices(40)
    project(W, step=0.0, coarse=False)
    moved = W + size * D
    U, tau = project(moved, step=1.0, coarse=False)
    assert len(decompositions) == 1
    error = np.linalg.norm(U - exact(moved))
    assert error < 0.03 * np.linalg.norm(exact(moved) - exact(W))
    assert error < 100 * size**2 and abs(U.trace() - 1) < 1e-6
    assert tau == pytest.approx(simplex_threshold(np.linalg.eigvalsh(moved)), abs=1e-4)


def test_a_large_change_and_a_small_step_are_decomposed(decompositions):
    W, D = random_symmetric(40, 1), random_symmetric(40, 2)
    project = Matrices(40)
    for matrix, step in ((W, 0.0), (W + D, 1e-3), (W + 1.001 * D, 1e-9), (W + 1.001 * D, 0.0)):
        U, _ = project(matrix, step=step, coarse=False)
        np.testing.assert_allclose(U, exact(matrix), atol=1e-12)
    assert len(decompositions) == 4


def test_eigenvalues_that_cross_are_seen_where_eigenvectors_stay(decompositions):
    """Nothing turns, so the second order vanishes; still the rank is another."""
    before, after = np.diag([0.6, 0.5, -0.2, -0.3]), np.diag([0.6, 0.5, 0.3, -0.3])
    project = Matrices(4)
    for matrix in (before, after):
        U, _ = project(matrix, step=1e-3, coarse=False)
        np.testing.assert_allclose(U, exact(matrix), atol=1e-12)
    assert len(decompositions) == 2


def test_eigenvalues_that_fall_past_the_window_are_seen(decompositions):
    """Ten equal eigenvalues drop below τ together, past the ten that are next to it and stay."""
    project = Matrices(40)
    for far in (0.3, -0.1):
        matrix = np.diag([far] * 10 + [0.25] * 10 + [-0.5] * 20)
        U, _ = project(matrix, step=1e-3, coarse=False)
        np.testing.assert_allclose(U, exact(matrix), atol=1e-12)
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


@pytest.mark.parametrize("on", [Host(), Device("cpu")])
def test_acceleration_goes_back_where_it_lengthened_the_residual(on):
    """x ↦ |x − 1| / 2 is nonexpansive with a kink; the accelerated point may be thrown far."""
    accelerate = Anderson(memory=3, nonexpansive=True)
    x, kink = on.put(np.array([5.0, -3.0, 7.0])), on.put(np.array([1.0, 2.0, 3.0]))
    for _ in range(60):
        x = accelerate(x, abs(x - kink) / 2)
    assert np.linalg.norm(on.get(abs(x - kink) / 2 - x)) < 1e-6


@pytest.mark.parametrize("variant", list(Variant))
def test_a_step_of_the_splitting_is_that_of_its_formula_also_after_a_change_of_scale(variant):
    graph = gnp(20, 0.5, seed=2)
    state = DenseState(Core(graph, np.linspace(1, 2, 20), variant))
    changed = 0
    for iteration in range(12):
        state.s *= 0.02 if iteration == 5 else 1  # far off, so that it is changed
        state.project(0.0)
        changed += iteration == 5 and state.rebalance()
        U, L, C = (state.packing.unpack(v) for v in (state.U, state.L, state.C))
        X = variant.nearest(U - L + state.s * C, *graph.edges())
        wanted = RELAXATION * X + (1 - RELAXATION) * U + L
        np.testing.assert_allclose(state.packing.unpack(state.step()), wanted, atol=1e-13)
        state.W = state.step()
    assert changed


@pytest.mark.parametrize("variant", list(Variant))
def test_torch_walks_the_path_of_numpy(variant):
    graph, c = gnp(40, 0.5, seed=5), np.linspace(1, 2, 40)
    host, device = (
        DenseSplitting(most=8).solve(Core(graph, c, variant, where), Referee(tol=1e-12))
        for where in ("cpu", "cpu:0")
    )
    np.testing.assert_allclose(host.matrix, device.matrix, atol=1e-5)
    np.testing.assert_allclose(host.edge_values, device.edge_values, atol=1e-3)
