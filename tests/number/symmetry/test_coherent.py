"""Coherent configurations of explicit graphs."""

import networkx as nx
import numpy as np
import pytest

from lovasz import as_graph
from lovasz.graphs import families
from lovasz.number.symmetry.coherent import find_configuration


def is_coherent(configuration):
    """Whether all counts of walks through two classes depend on the class of the ends only."""
    R, count = configuration.classes, configuration.count
    matrices = [(k == R).astype(float) for k in range(count)]
    for A in matrices:
        for B in matrices:
            walks = A @ B
            if any(np.ptp(walks[C > 0]) > 0 for C in matrices):
                return False
    return True


@pytest.mark.parametrize(
    ("graph", "classes"),
    [
        (families.hamming(6, {1, 2}), 4),  # the half of the 7-cube
        (families.hamming(6, {1, 4}), 7),
        (families.johnson(9, 4, {1, 3}), 5),
        (families.paley(73), 3),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_a_symmetric_graph_has_a_coherent_configuration(graph, classes):
    explicit = graph.to_graph()
    found = find_configuration(explicit, np.ones(graph.n))
    assert classes is None or found.count == classes
    assert is_coherent(found)
    linked = explicit.adjacency.toarray() != 0
    inside = set(np.unique(found.classes[linked]).tolist())
    assert inside.isdisjoint(np.unique(found.classes[~linked]).tolist())
    nodes, sizes = found.representatives()
    assert sizes.sum() == graph.n and len(nodes) == len(sizes)


def test_a_graph_with_several_kinds_of_nodes_has_several_cells():
    graph = as_graph(nx.complete_multipartite_graph(10, 20, 40))
    found = find_configuration(graph, np.ones(70))
    assert is_coherent(found)
    assert found.count == 3 + 3 + 6  # equal pairs, pairs inside a part, ordered pairs of parts
    assert sorted(found.representatives()[1].tolist()) == [10, 20, 40]


def test_weights_are_kept_apart():
    graph = families.hamming(6, {1, 2}).to_graph()
    w = np.ones(64)
    w[0] = 2.0
    found = find_configuration(graph, w)
    assert found is None or len(found.representatives()[0]) > 1


def test_graphs_without_symmetry_are_left_before_any_product(monkeypatch):
    monkeypatch.setattr("lovasz.number.symmetry.coherent._close", None)  # would raise if called
    for graph in [
        nx.gnp_random_graph(100, 0.5, seed=1),
        nx.random_regular_graph(5, 100, seed=1),
        nx.barabasi_albert_graph(200, 3, seed=1),
    ]:
        graph = as_graph(graph)
        assert find_configuration(graph, np.ones(graph.n)) is None


def test_nothing_is_begun_that_time_or_memory_do_not_allow(monkeypatch):
    graph = families.hamming(6, {1, 2}).to_graph()
    assert find_configuration(graph, np.ones(64), left=0.0) is None
    monkeypatch.setattr("lovasz.number.symmetry.coherent.free_memory", lambda: 1e5)
    assert find_configuration(graph, np.ones(64)) is None
