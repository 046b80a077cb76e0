"""The engine for sparse graphs, against the interior point and the clock."""

import itertools
import tracemalloc

import networkx as nx
import numpy as np
import pytest

from lovasz.base import threads as threads_module
from lovasz.graphs import Graph, as_graph
from lovasz.number import plan, theta
from lovasz.number.bracket import Bracket
from lovasz.number.proofs import certify_sparse
from lovasz.number.solvers import low_rank, low_rank_order, low_rank_rows
from lovasz.number.solvers.contract import Bounds, Core, Referee
from lovasz.number.solvers.interior_point import InteriorPoint
from lovasz.number.solvers.low_rank import (
    LANES,
    LEAST_RANK,
    PERIOD,
    LowRankSweeps,
    Sweeper,
    affordable_rank,
    first_rank,
    in_lanes,
)
from lovasz.number.solvers.low_rank_dual import Lanczos, repair
from lovasz.number.solvers.low_rank_primal import conjugate_gradients, restore
from lovasz.number.solvers.low_rank_rows import to_spheres
from lovasz.number.variants import Variant
from lovasz.verification import verify


def sparse_graph(n, degree, seed=0):
    """A connected random graph, and often a few leaves."""
    network = nx.gnm_random_graph(n, n * degree // 2, seed=seed)
    return as_graph(network.subgraph(max(nx.connected_components(network), key=len)))


def some_weights(graph, weighted):
    rng = np.random.default_rng(0)
    return rng.uniform(0.5, 2, graph.n) if weighted else np.ones(graph.n)


def solved(graph, w, tol=1e-6, variant=Variant.LOVASZ, **limits):
    """The bracket after the engine is done, and what it returned."""
    bracket = Bracket(graph, w, variant)

    def certify(found):
        bracket.offer(found, "low rank")
        return bracket.bounds

    core = Core(graph, np.sqrt(w), variant)
    found = LowRankSweeps().solve(core, Referee(tol, certify=certify, **limits))
    return bracket, found


@pytest.mark.parametrize("variant", [Variant.LOVASZ, Variant.SZEGEDY])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "degree"), [(30, 4), (60, 6), (120, 10), (200, 3)])
def test_it_agrees_with_the_interior_point(n, degree, weighted, variant):
    graph = sparse_graph(n, degree)
    w = some_weights(graph, weighted)
    bracket, found = solved(graph, w, variant=variant)
    exact = InteriorPoint(tol=1e-9).solve(Core(graph, np.sqrt(w), variant), Referee(1e-9))
    other = Bracket(graph, w, variant)
    other.offer(exact, "interior point")
    assert found.converged and bracket.gap <= 1e-6
    assert bracket.lower <= other.upper and other.lower <= bracket.upper


def test_theta_plus_is_proven_above_theta_and_handed_over(tmp_path):
    graph = sparse_graph(400, 8)
    plain, plus = (
        theta(graph, tol=1e-6, variant=name, solver="low-rank") for name in ("lovasz", "szegedy")
    )
    assert plain.upper < plus.lower and plus.gap <= 1e-6 and "low rank" in plus.method
    assert plus.kernel.data.min() >= 0
    plus.save(tmp_path / "proof.npz")
    assert verify(graph, tmp_path / "proof.npz")


def test_names_of_nodes_do_not_matter():
    graph = sparse_graph(150, 6)
    order = np.random.default_rng(1).permutation(graph.n)
    i, j = graph.edges()
    other = Graph.from_edges(order[i], order[j], n=graph.n)
    (one, _), (two, _) = (solved(g, np.ones(g.n)) for g in (graph, other))
    assert one.lower <= two.upper and two.lower <= one.upper


def test_weights_scale():
    graph = sparse_graph(80, 6)
    w = some_weights(graph, weighted=True)
    (one, _), (two, _) = solved(graph, w), solved(graph, 1e6 * w)
    assert one.lower * 1e6 <= two.upper * (1 + 1e-12)
    assert two.lower <= one.upper * 1e6 * (1 + 1e-12)


@pytest.mark.parametrize("polls", [0, 1, 7, 60, 150])
def test_what_it_has_when_it_is_stopped_is_a_pair_of_bounds(polls):
    graph, calls = sparse_graph(120, 8), itertools.count()
    bracket, found = solved(graph, np.ones(graph.n), tol=1e-12, stop=lambda: next(calls) >= polls)
    exact = InteriorPoint(tol=1e-8).solve(Core(graph, np.ones(graph.n)), Referee(1e-8))
    assert not found.converged
    assert bracket.lower <= exact.t * (1 + 1e-7) and exact.t <= bracket.upper * (1 + 1e-7)


def test_a_tolerance_out_of_reach_ends_with_what_is_proven():
    graph = sparse_graph(40, 4)
    bracket, found = solved(graph, np.ones(graph.n), tol=1e-15)
    assert not found.converged and bracket.gap < 1e-5


def test_a_time_limit_ends_the_search():
    """How well it is kept is measured by ``benchmarks/time_limits.py``."""
    graph = nx.random_regular_graph(6, 20_000, seed=0)
    result = theta(graph, tol=1e-9, time_limit=1.0, device="cpu")
    assert result.lower <= result.upper <= 20_000
    assert result.status.startswith("time limit")


def test_no_dense_matrix_is_held():
    n = 9_000  # above DENSE_UP_TO; a ring with shortcuts, whose Cholesky factor stays sparse
    graph = as_graph(nx.watts_strogatz_graph(n, 8, 0.02, seed=0))
    theta(nx.gnm_random_graph(2_000, 6_000, seed=1), time_limit=0.5)  # compiles, fills caches
    tracemalloc.start()
    result = theta(graph, tol=1e-3, time_limit=2, device="cpu")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.reduction["largest"] > plan.DENSE_UP_TO["cpu"]
    assert peak < 8 * n**2 / 2
    assert result.lower <= result.upper


@pytest.mark.parametrize(("n", "degree", "slim"), [(1_000, 10, True), (1_000, 20, False)])
def test_sparse_graphs_have_no_dense_matrix_beside_a_gpu_either(monkeypatch, n, degree, slim):
    monkeypatch.setattr(plan, "interior_fits", lambda *_: True)  # it would ask the GPU
    made = plan.Plan.of(sparse_graph(n, degree), Variant.LOVASZ, "cuda")
    assert made.slim == slim


def coloured(graph, threads, monkeypatch):
    """The vectors after two periods by colour, on so many threads."""
    monkeypatch.setattr(low_rank_rows, "COLOURED_FROM", 0)
    monkeypatch.setattr(threads_module, "WORTH_SHARING", 0)
    monkeypatch.setattr(threads_module, "thread_count", lambda: threads)
    return advanced(graph, np.ones(graph.n), 2)


def test_the_number_of_threads_changes_no_bit(monkeypatch):
    graph = sparse_graph(400, 8)
    one, three = (coloured(graph, threads, monkeypatch) for threads in (1, 3))
    assert np.array_equal(one.D, three.D) and np.array_equal(one.y, three.y)
    assert np.array_equal(one.norms(), three.norms()) and one.value() == three.value()


def test_nodes_of_one_group_are_independent_and_earlier_neighbours_come_first():
    graph = sparse_graph(300, 7)
    order = low_rank_order.Order.of(graph, np.random.default_rng(0), coloured=True)
    group = np.empty(graph.n, int)
    for number, (begin, end) in enumerate(itertools.pairwise(order.cuts)):
        group[order.nodes[begin:end]] = number
    i, j = graph.edges()
    assert (group[i] != group[j]).all()
    for nodes, (first, neighbours, edge) in [
        (order.nodes, order.rows),
        (np.arange(graph.n), order.pattern),
    ]:
        for node, begin, end in zip(nodes, first[:-1], first[1:], strict=True):
            row = slice(begin, end)
            assert sorted(neighbours[row]) == sorted([*j[i == node], *i[j == node]])
            assert {*i[edge[row]], *j[edge[row]]} == {node, *neighbours[row]}
    first, neighbours, _ = order.rows
    for k, earlier in enumerate(order.earlier):
        before = np.argsort(order.nodes)[neighbours[first[k] : first[k + 1]]] < k
        assert before[:earlier].all() and not before[earlier:].any()


def test_a_sweep_by_colour_is_a_sweep_of_the_graph_with_its_nodes_sorted(monkeypatch):
    graph = sparse_graph(200, 6)
    state = coloured(graph, 2, monkeypatch)
    place = np.argsort(state.rows.order.nodes)
    i, j = graph.edges()
    other = Graph.from_edges(place[i], place[j], n=graph.n)
    monkeypatch.setattr(low_rank_rows, "COLOURED_FROM", graph.n + 1)
    sorted_state = Sweeper(other, np.ones(graph.n))
    sorted_state.D = state.D[state.rows.order.nodes].copy()
    numbers = {frozenset(e): k for k, e in enumerate(zip(*other.edges(), strict=True))}
    there = np.array([numbers[frozenset((place[a], place[b]))] for a, b in zip(i, j, strict=True)])
    sorted_state.moving[there] = state.y
    for one in (state, sorted_state):
        one.rows.sweep(one.D, one.moving, one.w, one.rows.penalties(one.D, 0.35), 1.5, -np.inf)
    assert np.allclose(sorted_state.D, state.D[state.rows.order.nodes], atol=1e-5)
    assert np.allclose(sorted_state.y[there], state.y, atol=1e-5)


def test_the_penalty_is_larger_where_vectors_are_short():
    rows = Sweeper(sparse_graph(100, 6), np.ones(100)).rows
    i, j = rows.ends
    D = np.zeros((100, 8), np.float32)
    D[:, 0] = np.linspace(0, 1, 100)  # on the spheres, |d|² = d·e₀
    expected = 0.35 / (np.sqrt(D[i, 0]) * np.sqrt(D[j, 0]) + 0.05)
    assert rows.penalties(D, 0.35) == pytest.approx(expected, rel=1e-5)


def test_a_stalled_search_goes_on_with_more_coordinates_once():
    state = Sweeper(sparse_graph(200, 6), np.ones(200))
    state.advance()
    r = state.D.shape[1]
    state.escape()
    assert state.escaped and state.precise and state.D.shape[1] > r
    assert np.einsum("ij,ij->i", state.D, state.D) == pytest.approx(state.D[:, 0])


def test_a_search_that_stalls_is_certified_before_it_goes_on_and_at_its_end():
    """Where the search leaves a saddle, vectors get noise; no certificate is made of these."""
    graph, heard = sparse_graph(300, 6), []
    core = Core(graph, np.ones(graph.n))
    referee = Referee(1e-12, certify=lambda found: heard.append(found) or Bounds(0, np.inf))
    escapes = []
    with pytest.MonkeyPatch.context() as patch:
        escape = Sweeper.escape
        patch.setattr(Sweeper, "escape", lambda s: (escapes.append(s.periods), escape(s))[1])
        LowRankSweeps(most=600).solve(core, referee)
        assert escapes and heard[0].iterations == PERIOD * escapes[0]
        heard.clear()
        LowRankSweeps(most=escapes[0]).solve(core, referee)
    D = heard[-1].factor
    assert len(escapes) == 1 and len(heard) == 1
    i, j = core.graph.edges()
    assert abs(np.einsum("ij,ij->i", D[i], D[j])).max() < 1e-3  # without noise


def test_parts_of_a_graph_are_solved_one_by_one():
    one, two = (nx.gnm_random_graph(800, 2_000, seed=seed) for seed in (1, 2))
    both = theta(nx.disjoint_union(one, two), tol=1e-4)
    apart = [theta(graph, tol=1e-4) for graph in (one, two)]
    assert "low rank" in both.method
    assert both.lower <= sum(r.upper for r in apart) and sum(r.lower for r in apart) <= both.upper


def advanced(graph, w, periods=30):
    state = Sweeper(graph, w)
    for _ in range(periods):
        state.advance()
    return state


def test_vectors_stay_on_their_spheres_and_coordinates_in_lanes():
    state = advanced(sparse_graph(300, 8), np.ones(300))
    D = state.D.astype(float)
    assert np.allclose((D**2).sum(axis=1), D[:, 0], atol=1e-5)
    assert D.shape[1] % in_lanes(1) == 0
    assert state.refine() and not state.refine()
    rows = np.random.default_rng(0).normal(size=(5, 3))
    assert np.allclose((to_spheres(rows.copy()) ** 2).sum(axis=1), to_spheres(rows.copy())[:, 0])


def test_the_repaired_dual_solution_is_feasible_and_bounds_theta():
    graph = sparse_graph(200, 5)
    state = advanced(graph, np.ones(graph.n), 15)
    dual = repair(state.dual(), 1e-6)
    shifted = dual.v + 1.03 * dual.depth / dual.scale
    assert np.linalg.eigvalsh([dual.times(shifted, row) for row in np.eye(graph.n)])[0] > -1e-9
    b = np.arange(1.0, graph.n + 1)
    a = dual.solve(shifted + 0.1, b, 1e-9)
    assert np.allclose(dual.times(shifted + 0.1, a), b, atol=1e-7)
    t, y, _ = dual.solution(gap=1e-3)
    upper, _ = certify_sparse.upper_bound(graph, np.ones(graph.n), y, t)
    assert t * (1 - 1e-3) <= upper <= t * (1 + 1e-9)
    alpha, beta, _ = Lanczos(dual, 0).run(3)
    assert len(alpha) == len(beta) == 3


def test_restored_vectors_have_no_products_on_the_edges():
    graph = sparse_graph(200, 6)
    state = advanced(graph, np.ones(graph.n))
    i, j = graph.edges()
    D = restore(state.rows, state.D, 1e-9, lambda: False)
    assert np.abs((D[i] * D[j]).sum(axis=1)).sum() < 1e-8
    assert np.abs(D - state.D).max() < 0.1
    kept = restore(state.rows, state.D, 1e-9, lambda: True)
    assert np.array_equal(kept[kept[:, 0] > 0], state.D[kept[:, 0] > 0].astype(float))


def test_conjugate_gradients_end_where_the_matrix_is_not_positive():
    A = np.diag([1.0, -1.0, 2.0])
    found = conjugate_gradients(
        lambda z: A @ z, lambda z: z, np.ones(3), np.zeros(3), lambda r: False, 50, lambda: False
    )
    assert np.isfinite(found).all()


def test_coordinates_are_as_many_as_time_and_memory_allow(monkeypatch):
    graph = sparse_graph(3_000, 10)
    monkeypatch.setattr(low_rank, "crowding", lambda: 1.0)  # on a busy machine there is less time
    monkeypatch.setattr(low_rank, "thread_count", lambda: 1)
    ranks = [affordable_rank(graph, left, "cpu") for left in (0.0, 0.5, 2.0, np.inf)]
    assert ranks[0] == LEAST_RANK < ranks[1] < ranks[2] <= ranks[3] == in_lanes(graph.n)
    assert all(r % LANES == 0 for r in ranks)
    assert affordable_rank(graph, 0.5, "cuda") > ranks[1]
    monkeypatch.setattr(low_rank, "free_memory", lambda: 5e7)
    assert LEAST_RANK < affordable_rank(graph, np.inf, "cpu") < in_lanes(graph.n)


def test_a_search_ends_where_a_period_was_cut_short(monkeypatch):
    """The memory of a period that was cut short is out of turn, so that mixing would go wrong.

    Whether it is late may change its mind, because the pace of the sweeps does.
    """
    graph, asked, periods = sparse_graph(600, 6), [], []

    def late(clock):
        asked.append(len(asked))
        return len(asked) == 200  # in the middle of a period, and never again

    advance = Sweeper.advance

    def kept(state, hurry):
        periods.append(advance(state, hurry))
        return periods[-1]

    monkeypatch.setattr("lovasz.number.solvers.low_rank_clock.Clock.late", late)
    monkeypatch.setattr(Sweeper, "advance", kept)
    bracket, found = solved(graph, np.ones(graph.n), tol=1e-12)
    assert periods == [True] * 22 + [False] and found.iterations == 22 * PERIOD
    assert bracket.gap < 1e-2


def test_as_many_states_are_mixed_as_memory_allows(monkeypatch):
    graph, kept = sparse_graph(400, 6), []
    for free in (1e10, 1e6, 0.0):
        monkeypatch.setattr(low_rank_rows, "free_memory", lambda free=free: free)
        kept.append(Sweeper(graph, np.ones(graph.n)).anderson.memory)
    assert kept[0] == low_rank.MEMORY > kept[1] > kept[2] == 2


def test_no_more_coordinates_are_added_than_can_be_afforded():
    graph = sparse_graph(600, 10)
    assert first_rank(graph.n, graph.m) > 24
    states = [Sweeper(graph, np.ones(graph.n), most=most) for most in (24, None)]
    for state in states:
        for _ in range(20):
            state.advance()
        state.escape()
    assert states[0].D.shape[1] == 24 < states[1].D.shape[1]


def test_memory_of_mixed_states_is_used_again():
    graph = sparse_graph(400, 6)
    state = Sweeper(graph, np.ones(graph.n))
    rows = []
    for _ in range(6):
        state.advance()
        rows.append({row.ctypes.data for row in state.lent})
    assert rows[1] == rows[5] and len(rows[5]) == 4
    state.restart_mixing()
    assert not state.lent
