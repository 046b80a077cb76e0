"""Bounds that hold with high probability: they hold, they are close, and they are labelled."""

import math

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

from lovasz import theta
from lovasz.graphs import as_graph
from lovasz.number.proofs import elimination, probable, recurrence
from lovasz.number.proofs.chances import CHANCE, Chances
from lovasz.pages import notebook


def symmetric(n, degree, seed):
    rng = np.random.default_rng(seed)
    half = sparse.random_array((n, n), density=degree / n, rng=rng, data_sampler=rng.normal)
    return sparse.csr_array(half + half.T + sparse.eye_array(n))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("room", [1e-2, 1e-6])
def test_the_bound_holds_and_is_close(seed, room):
    K = symmetric(400, 3, seed)
    truth = np.linalg.eigvalsh(K.toarray())[0]
    found = probable.least_eigenvalue(K, room, CHANCE, seed=seed)
    assert truth - 3 * room <= found <= truth


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_a_gpu_computes_the_same_recurrence(device):
    pytest.importorskip("torch", exc_type=ImportError)
    K, rng = symmetric(500, 4, 0), np.random.default_rng(0)
    here, there = recurrence.Recurrence(K), recurrence.DeviceRecurrence(K, device)
    for columns in ((), (4,)):
        now, before = rng.normal(size=(500, *columns)), rng.normal(size=(500, *columns))
        away = there.put(now), there.put(before)
        if columns:
            sizes = here.four(0.9, 0.3, 0.7, now, before), there.four(0.9, 0.3, 0.7, *away)
        else:
            sizes = here.one(0.4, now, before), there.one(0.4, *away)
        assert sizes[0] == pytest.approx(sizes[1])
        assert np.allclose(before, away[1].cpu().numpy(), rtol=1e-12, atol=1e-12)


def test_a_gpu_is_used_for_large_matrices_only(monkeypatch):
    K = symmetric(100, 3, 0)
    assert type(recurrence.recurrence(K, "cuda")) is recurrence.Recurrence
    monkeypatch.setattr(recurrence, "GPU_FROM", 100)
    monkeypatch.setattr(recurrence, "DeviceRecurrence", lambda K, device: device)
    assert recurrence.recurrence(K, "cuda:1") == "cuda:1"
    assert type(recurrence.recurrence(K, "cpu")) is recurrence.Recurrence


def test_one_negative_direction_among_many_is_found():
    n = 2000
    path = sparse.diags_array([np.full(n - 1, -0.5)] * 2, offsets=[-1, 1])
    hidden = sparse.coo_array(([-1e-2], ([n // 3], [n // 3])), shape=(n, n))
    K = sparse.csr_array(sparse.eye_array(n) + path + hidden)
    truth = np.linalg.eigvalsh(K.toarray())[0]
    assert truth < -1e-7
    assert probable.least_eigenvalue(K, 1e-7, CHANCE, seed=0) <= truth


def test_the_reach_of_an_error_is_that_of_the_recurrence():
    rng = np.random.default_rng(0)
    alpha, beta, at = 1 + rng.random(12), 0.3 + 0.1 * rng.random(12), -0.1
    ratios = probable.growth_ratios(alpha, beta, at)
    P = np.r_[1, np.cumprod(ratios)]
    reach = probable._reach(beta, ratios, np.log(P[1:]))
    for j in range(12):
        Q = np.zeros(13)
        Q[j + 1] = 1
        for i in range(j + 1, 12):
            Q[i + 1] = ((alpha[i] - at) * Q[i] - beta[i - 1] * Q[i - 1]) / beta[i]
        assert reach[j] * beta[j] == pytest.approx(Q[12] / P[12])


def test_a_point_right_of_a_zero_is_refused():
    alpha, beta = np.ones(20), np.full(20, 0.5)
    theta = probable.least_ritz_value(alpha, beta)
    assert probable.growth_ratios(alpha, beta, theta + 1e-6) is None
    assert not probable.suffices(alpha, beta, theta + 1e-6, wanted=0.0)
    assert probable.suffices(alpha, beta, theta - 1.0, wanted=1.0)


def test_rounding_that_could_hide_a_direction_lowers_the_bound():
    K = symmetric(100, 3, 0)
    found = [
        probable._certain(
            K, np.ones(30), np.full(30, 0.5), np.r_[np.full(30, size), 1.0], 1e-3, 1e-6
        )
        for size in (1.0, 1e14)
    ]
    assert found[1] < found[0] - 0.01


def test_larger_images_of_the_random_vectors_lower_the_bound():
    K = symmetric(100, 3, 0)
    found = [
        probable._certain(K, np.ones(30), np.full(30, 0.5), np.r_[np.ones(30), size], 1e-3, 1e-6)
        for size in (1.0, 1e4)
    ]
    assert found[1] < found[0] - 0.01


def test_the_bound_is_a_little_to_the_left_of_the_point_that_was_tried():
    alpha, beta = np.ones(30), np.full(30, 0.5)
    found = probable._certain(symmetric(100, 3, 0), alpha, beta, np.ones(31), 1e-3, 1e-6)
    theta = probable.least_ritz_value(alpha, beta)
    distance = max(1e-6, theta / 10) * probable.WIDER ** np.arange(probable.WIDENINGS)
    tried = theta - distance
    assert 1e-16 < (tried - found)[tried > found].min() < 1e-13


def test_sizes_are_rounded_up():
    K, rng = symmetric(60, 3, 0), np.random.default_rng(0)
    G, alpha, beta = rng.normal(size=(60, 4)), np.full(9, 1.1), np.full(9, 0.7)
    sizes = probable._filtered(recurrence.Recurrence(K), G.copy(), alpha, beta, lambda: 1.0)
    now, before, b = G, 0 * G, 0.0
    for k in range(10):
        truth = max(math.sqrt(math.fsum(x * x for x in column)) for column in now.T)
        assert truth * (1 + 1e-7) < sizes[k] < truth * (1 + 1e-5)
        if k < 9:
            now, before, b = (K @ now - 1.1 * now - b * before) / 0.7, now, 0.7


@pytest.mark.parametrize("chance", [1e-12, 1e-30])
def test_four_small_products_are_as_unlikely_as_was_asked(monkeypatch, chance):
    seen = []
    monkeypatch.setattr(probable, "_certain", lambda *args: seen.append(args[4]) or 0.0)
    n = 400
    probable.least_eigenvalue(symmetric(n, 3, 0), 1e-2, chance, seed=0)
    drawn = seen[0] + probable.DRAWN * math.sqrt(n)  # what errors of the normal numbers may take
    assert (drawn * math.sqrt(2 / math.pi)) ** 4 == pytest.approx(chance, rel=1e-6, abs=0)


def test_no_test_is_begun_without_time():
    with pytest.raises(probable.TooFew):
        probable.least_eigenvalue(symmetric(400, 3, 0), 1e-6, CHANCE, left=lambda: 0.0)


def test_dear_steps_are_fewer_and_give_a_looser_bound(monkeypatch):
    K, lengths = symmetric(400, 3, 0), []
    truth = np.linalg.eigvalsh(K.toarray())[0]
    filtered = probable._filtered
    monkeypatch.setattr(
        probable, "_filtered", lambda *parts: lengths.append(len(parts[2])) or filtered(*parts)
    )
    found = []
    for seconds in (0.0, 0.1):
        monkeypatch.setattr(probable, "_seconds_of_a_step", lambda run, n, s=seconds: s)
        found.append(probable.least_eigenvalue(K, 1e-9, CHANCE, left=lambda: 10.0, seed=0))
    assert found[1] < found[0] <= truth
    assert lengths[1] < lengths[0] and 0.1 * lengths[1] < 10.0


def test_all_tests_together_keep_within_the_chance():
    chances = Chances()
    taken = [chances.take() for _ in range(50)]
    assert sum(taken) <= CHANCE and min(taken) > 0


@pytest.fixture
def dear(monkeypatch):
    """No factorisation is affordable."""
    monkeypatch.setattr(elimination, "affordable", lambda n, left: False)


@pytest.fixture(scope="module")
def graph():
    return as_graph(nx.random_regular_graph(4, 400, seed=1))


@pytest.mark.usefixtures("dear")
@pytest.mark.parametrize("weighted", [False, True])
def test_a_result_says_what_holds(graph, weighted):
    w = np.random.default_rng(0).uniform(0.5, 2, 400) if weighted else None
    exact = theta(graph, tol=1e-7, weights=w, solver="interior")
    found = theta(graph, tol=1e-4, weights=w, solver="low-rank")
    assert found.certificate == "probabilistic" and found.status == "optimal"
    assert found.gap <= 1e-4
    assert found.lower <= exact.upper and exact.lower <= found.upper < found.proven_upper
    assert "probabilistic" in repr(found)
    shown = notebook._draw_theta(found)["facts"][0]
    assert shown.startswith("probabilistic") and repr(found.proven_upper) in shown
    c = np.ones(400) if w is None else np.sqrt(w)
    least = np.linalg.eigvalsh(found.upper * found.kernel.toarray() - np.outer(c, c))[0]
    assert least > -1e-9 * found.upper


@pytest.mark.usefixtures("dear")
def test_it_may_be_refused(graph):
    found = theta(graph, tol=1e-4, solver="low-rank", proven=True)
    assert found.certificate == "proven" and found.upper == found.proven_upper
    assert found.gap > 1e-3 and "probabilistic" not in repr(found)


@pytest.mark.usefixtures("dear")
def test_parts_that_are_proven_stay_so(graph):
    both = nx.disjoint_union(nx.random_regular_graph(4, 400, seed=1), nx.cycle_graph(5))
    found, part = theta(both, tol=1e-4, solver="low-rank"), theta(nx.cycle_graph(5))
    assert found.certificate == "probabilistic"
    alone = theta(graph, tol=1e-4, solver="low-rank")
    assert found.proven_upper == pytest.approx(alone.proven_upper + part.upper)


def test_a_proof_is_preferred(graph):
    found = theta(graph, tol=1e-5, solver="low-rank")
    assert found.certificate == "proven" and found.gap <= 1e-5
