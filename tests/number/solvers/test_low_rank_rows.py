"""The low-rank engine's arithmetic on a GPU, tried with torch on the CPU and where there is one."""

import numpy as np
import pytest
from tests.number.solvers.test_low_rank import solved, sparse_graph

from lovasz.number.solvers import low_rank, low_rank_rows
from lovasz.number.solvers.contract import Core, Referee
from lovasz.number.solvers.low_rank import Sweeper
from lovasz.number.solvers.low_rank_dual import Lanczos
from lovasz.number.solvers.low_rank_primal import restore
from lovasz.number.solvers.low_rank_rows import DeviceRows, HostRows
from lovasz.number.variants import Variant

pytest.importorskip("torch", exc_type=ImportError)


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def device(request, monkeypatch):
    """A device of torch, to which all rows go."""
    monkeypatch.setattr(
        low_rank, "place_rows", lambda graph, rng, *_: DeviceRows(graph, rng, request.param)
    )
    if request.param == "cpu":
        monkeypatch.setattr(low_rank_rows, "free_on", lambda device: 1e9)
    return request.param


@pytest.fixture
def pair(device, monkeypatch):
    """The same rows on the CPU and on the device, by colour."""
    monkeypatch.setattr(low_rank_rows, "COLOURED_FROM", 0)
    graph = sparse_graph(300, 7)
    here = HostRows(graph, np.random.default_rng(0))
    there = DeviceRows(graph, np.random.default_rng(0), device)
    return here, there


def some_rows(here, precision, seed=0):
    rng = np.random.default_rng(seed)
    return low_rank_rows.to_spheres(rng.standard_normal((here.n, 24)).astype(precision))


@pytest.mark.parametrize("least", [-np.inf, 0.0])
def test_a_sweep_moves_the_same(pair, least):
    here, there = pair
    D, rng = some_rows(here, np.float64), np.random.default_rng(1)
    m = len(here.ends[0])
    y, w = rng.uniform(-0.1, 0.5, m), rng.uniform(0.5, 1, here.n)
    away, moving = there.put(D.copy()), there.put(y.copy())
    for _ in range(3):
        here.sweep(D, y, w, here.penalties(D, 0.35), 1.5, least)
        there.sweep(away, moving, there.put(w), there.penalties(away, 0.35), 1.5, least)
    assert np.allclose(there.get(away), D, atol=1e-9)
    assert np.allclose(there.get(moving), y, atol=1e-9)


@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_products_are_the_same(pair, precision, monkeypatch):
    here, there = pair
    monkeypatch.setattr(low_rank_rows, "CELLS", 24 * 100)  # gathered in several parts
    monkeypatch.setattr(low_rank_rows, "BLOCK", 64)
    U, V = some_rows(here, precision), some_rows(here, precision, 1)
    rng = np.random.default_rng(2)
    values, scale = rng.standard_normal(len(here.ends[0])), rng.uniform(0.1, 1, here.n)
    data, q = rng.standard_normal(2 * len(values)), rng.standard_normal(here.n)
    Q = rng.standard_normal((24, 16))
    far_U, far_V = there.put(U), there.put(V)
    close = {"rtol": 1e-4, "atol": 1e-4} if precision == np.float32 else {"rtol": 1e-10}
    assert np.allclose(here.products(U, V), there.products(far_U, far_V), **close)
    assert np.allclose(here.sums(values, U), there.get(there.sums(values, far_U)), **close)
    assert np.allclose(here.lengths(U), there.lengths(far_U))
    assert np.allclose(here.times(U, Q), there.get(there.times(far_U, Q)), **close)
    assert np.allclose(here.as_row(U, values), there.get(there.as_row(far_U, there.put(values))))
    for one, other in zip(
        here.grams(U, scale, q, values), there.grams(far_U, scale, q, values), strict=True
    ):
        assert np.allclose(one, other, **close)
    image = there.matrix(scale, data)(there.put(q))
    assert np.allclose(here.matrix(scale, data)(q), there.get(image))
    assert here.is_large(U) == there.is_large(far_U) is False
    monkeypatch.setattr(low_rank_rows, "LARGE", 10)
    assert here.is_large(U) == there.is_large(far_U) == (precision == np.float32)


@pytest.mark.parametrize("first", [8, 96])
def test_coordinates_are_cut_and_added(device, first, monkeypatch):
    monkeypatch.setattr(low_rank, "first_rank", lambda *_: first)
    graph = sparse_graph(300, 8)
    state = Sweeper(graph, np.ones(graph.n))
    for _ in range(20):
        state.advance()
    assert 8 < state.D.shape[1] < 96
    D = state.rows.get(state.D).astype(float)
    assert np.allclose((D**2).sum(axis=1), D[:, 0], atol=1e-5)
    assert state.refine() and not state.refine() and state.rows.get(state.D).dtype == np.float64


@pytest.mark.parametrize("variant", [Variant.LOVASZ, Variant.SZEGEDY])
def test_the_bounds_are_those_of_the_cpu(device, variant, monkeypatch):
    graph = sparse_graph(150, 6)
    w = np.random.default_rng(0).uniform(0.5, 2, graph.n)
    away, found = solved(graph, w, variant=variant)
    monkeypatch.undo()
    here, _ = solved(graph, w, variant=variant)
    assert found.converged and away.gap <= 1e-6
    assert away.lower <= here.upper and here.lower <= away.upper


def test_restored_vectors_have_no_products_on_the_edges(device):
    graph = sparse_graph(200, 6)
    state = Sweeper(graph, np.ones(graph.n))
    for _ in range(20):
        state.advance()
    D = state.rows.get(restore(state.rows, state.D, 1e-9, lambda: False))
    i, j = graph.edges()
    assert np.abs((D[i] * D[j]).sum(axis=1)).sum() < 1e-8
    alpha, beta, vectors = Lanczos(state.dual(), 0).run(40, np.ones((40, 2)))
    assert len(alpha) == len(beta) == 40 and vectors.shape == (graph.n, 2)


def test_small_graphs_and_other_devices_stay_on_the_cpu():
    graph, rng = sparse_graph(200, 6), np.random.default_rng(0)
    for device in ("cpu", "mps", "cuda"):
        rows = low_rank_rows.place_rows(graph, rng, device, 16)
        assert not isinstance(rows, DeviceRows)


def test_a_gpu_whose_memory_others_take_is_left(monkeypatch):
    torch = pytest.importorskip("torch", exc_type=ImportError)
    graph, asked = sparse_graph(150, 6), []

    def place(graph, rng, device, r):
        asked.append(device)
        if device != "cpu":
            raise torch.OutOfMemoryError
        return HostRows(graph, rng)

    monkeypatch.setattr(low_rank, "place_rows", place)
    core = Core(graph, np.ones(graph.n), device="cuda")
    found = low_rank.LowRankSweeps().solve(core, Referee(1e-4))
    assert asked == ["cuda", "cpu"] and found.factor is not None


def test_a_gpu_without_room_is_not_used(monkeypatch):
    graph = sparse_graph(200, 6)
    monkeypatch.setattr(low_rank_rows, "GPU_FROM", 0)
    monkeypatch.setattr(low_rank_rows, "DeviceRows", lambda graph, rng, device: device)
    for free, where in ((1e4, HostRows), (1e9, str)):
        monkeypatch.setattr(low_rank_rows, "free_on", lambda device, free=free: free)
        rows = low_rank_rows.place_rows(graph, np.random.default_rng(0), "cuda", 16)
        assert isinstance(rows, where)
