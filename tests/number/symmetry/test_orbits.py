"""ϑ of explicit graphs by their symmetry."""

import itertools

import networkx as nx
import numpy as np
import pytest

from lovasz import as_graph, theta
from lovasz.graphs import families
from lovasz.number.symmetry.coherent import find_configuration
from lovasz.number.symmetry.orbit_blocks import Classes, find_blocks
from lovasz.number.symmetry.orbits import solve_by_orbits
from lovasz.number.variants import Variant


def words_of_s5():
    """A Cayley graph of the permutations of five, which do not commute."""
    every = list(itertools.permutations(range(5)))
    steps = [(1, 0, 2, 3, 4), (1, 2, 3, 4, 0)]
    return nx.Graph((p, tuple(p[i] for i in step)) for p in every for step in steps)


SYMMETRIC = {
    "circulant": families.circulant(80, {1, 4, 9}),
    "dense circulant": families.circulant(65, {1, 2, 5, 9, 11, 16, 17, 22, 30}),
    "hamming": families.hamming(6, {1, 4}),
    "johnson": families.johnson(9, 4, {1, 3}),
}
GRAPHS = {name: graph.to_graph() for name, graph in SYMMETRIC.items()} | {
    "z-channel": families.z_channel(7).to_graph(),
    "permutations": as_graph(words_of_s5()),
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("variant", Variant)
def test_the_approximation_is_nearly_optimal_and_constant_on_classes(name, variant):
    graph = GRAPHS[name]
    c = np.ones(graph.n)
    found = solve_by_orbits(graph, c, variant).approximation
    X = found.matrix
    assert X.sum() / X.trace() == pytest.approx(found.t, rel=1e-7)
    i, j = graph.edges()
    edge = X[i, j] / X.trace()
    assert (edge <= 1e-9).all() if variant is Variant.SZEGEDY else (np.abs(edge) < 1e-9).all()
    assert np.linalg.eigvalsh(X)[0] >= -1e-9 * X.trace()
    if variant is Variant.SCHRIJVER:
        assert X.min() >= -1e-9 * X.trace()
    assert variant is not Variant.SZEGEDY or found.edge_values.min() >= 0


@pytest.mark.parametrize("name", SYMMETRIC)
@pytest.mark.parametrize("variant", ["lovasz", "schrijver", "szegedy"])
def test_the_bounds_agree_with_those_of_the_family(name, variant):
    ours, other = (theta(graph[name], variant=variant) for graph in (GRAPHS, SYMMETRIC))
    assert ours.exact == other.exact
    assert ours.lower <= other.upper and other.lower <= ours.upper
    assert ours.gap <= 1e-7
    assert ours.method in ("symmetry (1)", "clique cover (1)")


@pytest.mark.parametrize("name", ["z-channel", "permutations"])
def test_the_bounds_agree_with_those_of_a_solver_that_knows_no_symmetry(name):
    ours, other = theta(GRAPHS[name]), theta(GRAPHS[name], solver="interior")
    assert ours.lower <= other.upper and other.lower <= ours.upper
    assert ours.gap <= 1e-9 and ours.method == "symmetry (1)"


def test_the_squares_of_the_sizes_of_the_blocks_add_up_to_the_dimension():
    for graph in (GRAPHS["permutations"], GRAPHS["z-channel"], GRAPHS["hamming"]):
        c = np.ones(graph.n)
        configuration = find_configuration(graph, c)
        classes = Classes.of(graph, configuration)
        unknowns = np.concatenate([classes.edges, classes.others])
        blocks = find_blocks(configuration, classes, c, unknowns)
        assert sum(len(block.constant) ** 2 for block in blocks) == configuration.count


def test_weights_that_are_constant_on_cells_are_used():
    graph = families.z_channel(7).to_graph()
    weight = np.array([bin(word).count("1") for word in range(128)]) % 3 + 1.0
    ours = theta(graph, weights=weight)
    other = theta(graph, weights=weight, solver="interior")
    assert ours.method == "symmetry (1)"
    assert ours.lower <= other.upper and other.lower <= ours.upper


def test_a_graph_without_symmetry_is_left_to_the_solvers():
    graph = as_graph(nx.gnp_random_graph(80, 0.3, seed=2))
    assert solve_by_orbits(graph, np.ones(80), Variant.LOVASZ) is None
