"""Engines and certificates for large sparse graphs, against those for small ones."""

import tracemalloc

import networkx as nx
import numpy as np
import pytest

from lovasz.base.errors import LovaszError
from lovasz.graphs import as_graph
from lovasz.linalg import blocks
from lovasz.number import plan, theta
from lovasz.number.proofs import certify_sparse
from lovasz.number.solvers import algebra
from lovasz.number.solvers.contract import Core, Referee
from lovasz.number.solvers.interior_point import InteriorPoint
from lovasz.number.solvers.sparse_splitting import SparseSplitting


def sparse_graph(n, degree, seed=0):
    return as_graph(nx.gnm_random_graph(n, n * degree // 2, seed=seed))


@pytest.mark.parametrize("weighted", [False, True])
def test_the_sparse_engine_agrees_with_the_interior_point(weighted):
    graph = sparse_graph(150, 8)
    w = np.random.default_rng(0).uniform(0.5, 2, graph.n) if weighted else np.ones(graph.n)
    c = np.sqrt(w)
    pair = SparseSplitting().solve(Core(graph, c), Referee(tol=3e-4))
    lower = certify_sparse.lower_bound(graph, c, pair.factor)
    upper, _ = certify_sparse.upper_bound(graph, c, pair.edge_values)
    exact = InteriorPoint(tol=1e-8).solve(Core(graph, c), Referee(1e-8))
    assert lower <= exact.t and float(c @ exact.matrix @ c) <= upper
    assert upper - lower <= 1e-3 * upper


def test_the_sparse_path_never_holds_a_dense_matrix():
    n = 9_000  # above DENSE_UP_TO; a ring with shortcuts, whose Cholesky factor stays sparse
    graph = as_graph(nx.watts_strogatz_graph(n, 8, 0.02, seed=0))
    theta(nx.gnm_random_graph(2_000, 6_000, seed=1), time_limit=0.5)  # compiles, fills caches
    tracemalloc.start()
    result = theta(graph, tol=1e-3, time_limit=4, device="cpu")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "sparse splitting" in result.method or result.upper < np.inf
    assert result.reduction["largest"] > plan.DENSE_UP_TO["cpu"]
    assert peak < 8 * n**2 / 2
    assert result.lower <= result.upper


def test_blocks_factor_and_solve(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK", 7)
    A = np.random.default_rng(0).normal(size=(30, 40))
    A = A @ A.T
    L, host = A.copy(), algebra.Host()
    blocks.factor(L, host.cholesky, host.solve_lower)
    assert np.allclose(np.tril(L), np.linalg.cholesky(A))
    x = blocks.solve(L, np.arange(30.0), host.solve_lower)
    assert np.allclose(A @ x, np.arange(30.0))
    A[20, 20] = -1
    with pytest.raises(np.linalg.LinAlgError):
        blocks.factor(A, host.cholesky, host.solve_lower)


@pytest.mark.parametrize(("form", "p"), [("edge", 0.2), ("complement", 0.9)])
def test_the_interior_point_on_a_device_is_that_on_the_host(form, p, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK", 37)
    monkeypatch.setattr(algebra, "CELLS", 3000)
    graph = as_graph(nx.gnp_random_graph(40, p, seed=3))
    solver, referee = InteriorPoint(form, 1e-9), Referee(1e-9)
    host = solver.solve(Core(graph, np.ones(40)), referee)
    device = solver.solve(Core(graph, np.ones(40), device="cpu:0"), referee)
    assert host.matrix.sum() == pytest.approx(device.matrix.sum(), rel=1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_the_complement_is_that_of_every_component(seed):
    network = nx.disjoint_union_all(
        [nx.gnp_random_graph(7, 0.5, seed=seed), nx.empty_graph(2), nx.cycle_graph(5 + seed)]
    )
    ours, plain = theta(network, complement=True), theta(nx.complement(network))
    assert ours.lower <= plain.upper and plain.lower <= ours.upper
    K, linked = ours.kernel.toarray(), nx.to_numpy_array(nx.complement(network))
    assert (K[(linked == 0) & ~np.eye(len(K), dtype=bool)] == 0).all()
    assert np.linalg.eigvalsh(ours.upper * K - 1)[0] > -1e-9


def test_an_interior_point_that_cannot_fit_is_refused_in_one_line():
    with pytest.raises(LovaszError, match=r"rows for a core of 400 nodes.*use solver='auto'"):
        theta(nx.gnp_random_graph(400, 0.5, seed=0), solver="interior")
