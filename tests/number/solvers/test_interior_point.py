from itertools import combinations, count
from math import comb, cos, pi, sqrt

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg
from tests.number.oracle import theta
from threadpoolctl import threadpool_info

from lovasz.graphs import Graph, as_graph
from lovasz.linalg import blocks
from lovasz.number.solvers import algebra
from lovasz.number.solvers.contract import Core, Referee
from lovasz.number.solvers.interior_point import InteriorPoint, schur_size
from lovasz.number.solvers.schur import Pairs, schur

FORMS = ["edge", "complement"]


def from_networkx(network):
    ends = np.array(list(nx.convert_node_labels_to_integers(network).edges())).reshape(-1, 2)
    return Graph.from_edges(ends[:, 0], ends[:, 1], n=len(network))


def random_perfect(seed):
    """An interval graph."""
    starts = np.random.default_rng(seed).uniform(0, 4, 20)
    return nx.interval_graph([(s, s + 1) for s in starts])


def independence(network):
    return max(len(clique) for clique in nx.find_cliques(nx.complement(network)))


def bracket(graph, c, pair):
    """What the pair proves: cᵀXc, and the least t with t I + A*(y) − c cᵀ ⪰ 0."""
    slack = -np.outer(c, c)
    i, j = graph.edges()
    slack[i, j] += pair.edge_values
    slack[j, i] += pair.edge_values
    return float(c @ pair.matrix @ c), -float(linalg.eigvalsh(slack)[0])


def solve(network, form, weights=None, tol=1e-9):
    graph = network if isinstance(network, Graph) else from_networkx(network)
    c = np.ones(graph.n) if weights is None else np.sqrt(weights)
    pair = InteriorPoint(form, tol).solve(Core(graph, c), Referee(tol))
    assert pair.converged
    lower, upper = bracket(graph, c, pair)
    assert lower <= upper <= lower + 2 * tol * upper
    return (lower + upper) / 2, pair, graph


CLOSED_FORMS = {
    **{f"C{n}": (nx.cycle_graph(n), n * cos(pi / n) / (1 + cos(pi / n))) for n in (3, 5, 7, 9, 21)},
    **{f"paley{q}": (nx.paley_graph(q).to_undirected(), sqrt(q)) for q in (5, 13, 17, 29)},
    "petersen": (nx.petersen_graph(), 4),
    **{
        f"kneser{n},{k}": (nx.kneser_graph(n, k), comb(n - 1, k - 1))
        for n, k in [(6, 2), (7, 2), (7, 3)]
    },
    "icosahedron": (nx.icosahedral_graph(), 3 * sqrt(5) - 3),
    "dodecahedron": (nx.dodecahedral_graph(), 15 * sqrt(5) - 25),
    "hypercube": (nx.hypercube_graph(4), 8),
    "C6": (nx.cycle_graph(6), 3),
    "path": (nx.path_graph(9), 5),
    "two cliques": (nx.disjoint_union(nx.complete_graph(4), nx.complete_graph(7)), 2),
    "K3,5": (nx.complete_bipartite_graph(3, 5), 5),
    **{f"interval{s}": (random_perfect(s), independence(random_perfect(s))) for s in (1, 2)},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_closed_forms(name, form):
    network, expected = CLOSED_FORMS[name]
    value, pair, _ = solve(network, form)
    assert value == pytest.approx(expected, rel=1e-8)
    assert pair.iterations <= 22


@pytest.mark.parametrize("form", FORMS)
def test_pair_is_feasible(form):
    value, pair, graph = solve(nx.gnp_random_graph(30, 0.5, seed=1), form)
    X = pair.matrix
    i, j = graph.edges()
    assert np.array_equal(X, X.T)
    assert linalg.eigvalsh(X)[0] >= -1e-8
    assert np.trace(X) == pytest.approx(1, abs=1e-12)
    assert not X[i, j].any()
    slack = value * np.eye(graph.n) - np.ones((graph.n, graph.n))
    slack[i, j] += pair.edge_values
    slack[j, i] += pair.edge_values
    assert linalg.eigvalsh(slack)[0] >= -1e-8


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n", [1, 2, 3, 12])
def test_no_edges_and_all_edges_with_weights(n, form):
    weights = np.logspace(-3, 3, n) if n > 1 else np.array([2.5])
    empty = Graph.from_edges([], [], n=n)
    assert solve(empty, form, weights)[0] == pytest.approx(weights.sum(), rel=1e-8)
    complete = from_networkx(nx.complete_graph(n))
    assert solve(complete, form, weights)[0] == pytest.approx(weights.max(), rel=1e-8)


def test_no_nodes():
    pair = InteriorPoint().solve(Core(Graph.from_edges([], [], n=0), np.zeros(0)), Referee(1e-9))
    assert pair.converged and pair.edge_values.shape == (0,) and pair.matrix.shape == (0, 0)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("weights", [[1, 2, 3, 4, 5], [0.1, 7, 0.3, 2, 2]])
def test_weighted_pentagon_agrees_with_a_general_solver(weights, form):
    graph = from_networkx(nx.cycle_graph(5))
    value, _, _ = solve(graph, form, np.array(weights, dtype=float))
    assert value == pytest.approx(theta(graph.adjacency.toarray(), np.array(weights)), rel=1e-7)


@pytest.mark.parametrize("form", FORMS)
def test_a_weight_is_as_many_copies(form):
    """A node of weight k counts like k nodes without edges between them, joined alike."""
    network, weights = nx.cycle_graph(5), [1, 2, 1, 3, 1]
    copies = [(v, k) for v in network for k in range(weights[v])]
    blown = nx.Graph()
    blown.add_nodes_from(copies)
    joined = (pair for pair in combinations(copies, 2) if network.has_edge(*(v for v, _ in pair)))
    blown.add_edges_from(joined)
    value, _, _ = solve(network, form, np.array(weights, dtype=float))
    assert value == pytest.approx(solve(blown, form)[0], rel=1e-8)


@pytest.mark.parametrize("polls", [0, 1, 4])
def test_stop_is_polled_every_iteration(polls):
    graph, calls = from_networkx(nx.gnp_random_graph(20, 0.5, seed=3)), count()
    referee = Referee(1e-9, stop=lambda: next(calls) >= polls)
    pair = InteriorPoint().solve(Core(graph, np.ones(20)), referee)
    lower, upper = bracket(graph, np.ones(20), pair)
    assert pair.iterations == polls and not pair.converged
    assert lower < solve(graph, "auto")[0] < upper


def test_impossible_tolerance_ends_with_the_best_pair():
    graph = from_networkx(nx.gnp_random_graph(25, 0.9, seed=5))
    pair = InteriorPoint(tol=0.0).solve(Core(graph, np.ones(25)), Referee(0.0))
    lower, upper = bracket(graph, np.ones(25), pair)
    assert not pair.converged and pair.iterations <= 60
    assert upper - lower <= 1e-8 * upper


def test_blas_threads_are_given_back():
    before = [(pool["filepath"], pool["num_threads"]) for pool in threadpool_info()]
    solve(nx.petersen_graph(), "auto")
    assert [(pool["filepath"], pool["num_threads"]) for pool in threadpool_info()] == before


def test_runs_are_identical():
    first, second = (solve(nx.gnp_random_graph(15, 0.4, seed=2), "auto")[1] for _ in range(2))
    assert np.array_equal(first.matrix, second.matrix)


def test_schur_matrix_is_its_definition():
    rng = np.random.default_rng(0)
    W, V = (a @ a.T for a in rng.normal(size=(2, 6, 6)))
    first, second = np.array([0, 0, 1, 1, 2, 4]), np.array([0, 3, 2, 5, 2, 5])
    out = np.full((6, 6), np.nan)
    schur(Pairs(first, second, 6), W, V, out)
    unit = np.eye(6)
    basis = [np.outer(unit[i], unit[j]) for i, j in zip(first, second, strict=True)]
    basis = [b + b.T for b in basis]
    expected = [[np.trace(b @ W @ d @ V) for d in basis] for b in basis]
    assert np.allclose(np.tril(out), np.tril(expected))


def test_schur_size_is_the_smaller_form():
    assert schur_size(from_networkx(nx.cycle_graph(8))) == 9
    assert schur_size(from_networkx(nx.complete_graph(8))) == 8
    assert schur_size(Graph.from_edges([], [], n=1)) == 1


@st.composite
def small_graphs(draw):
    n = draw(st.integers(1, 8))
    pairs = list(combinations(range(n), 2))
    chosen = [pair for pair in pairs if draw(st.booleans())]
    network = nx.empty_graph(n)
    network.add_edges_from(chosen)
    return network


@settings(max_examples=60, deadline=None)
@given(small_graphs())
def test_forms_agree_between_alpha_and_n(network):
    edge, complement = (solve(network, form)[0] for form in FORMS)
    assert edge == pytest.approx(complement, rel=1e-7)
    assert independence(network) - 1e-7 <= edge <= len(network) + 1e-7


@pytest.mark.parametrize("seed", range(12))
def test_nearly_complete_graphs_converge(seed):
    """The Schur matrix of the complement form alone is singular to within the gap."""
    solve(nx.gnp_random_graph(12, 0.95, seed=seed), "complement")


@pytest.mark.parametrize(("form", "p"), [("edge", 0.2), ("complement", 0.9)])
def test_the_interior_point_on_a_device_is_that_on_the_host(form, p, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK", 37)
    monkeypatch.setattr(algebra, "CELLS", 3000)
    graph = as_graph(nx.gnp_random_graph(40, p, seed=3))
    solver, referee = InteriorPoint(form, 1e-9), Referee(1e-9)
    host = solver.solve(Core(graph, np.ones(40)), referee)
    device = solver.solve(Core(graph, np.ones(40), device="cpu:0"), referee)
    assert host.matrix.sum() == pytest.approx(device.matrix.sum(), rel=1e-8)
