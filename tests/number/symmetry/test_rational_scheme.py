"""Association schemes with rational eigenvalues, found in explicit graphs."""

import networkx as nx
import numpy as np
import pytest

from lovasz import as_graph, theta
from lovasz.graphs import families
from lovasz.number.symmetry.coherent import Configuration, find_configuration
from lovasz.number.symmetry.rational_scheme import eigenvalue_table


@pytest.mark.parametrize(
    "graph",
    [
        families.hamming(6, {1, 4}),
        families.hamming(4, {1}, q=3),
        families.johnson(9, 4, {1, 3}),
        families.paley(81),
        families.cayley((4, 4, 4), [(1, 0, 0), (0, 1, 0), (0, 0, 1)]),
    ],
    ids=lambda graph: graph.name,
)
def test_the_rows_are_the_common_eigenvalues_of_the_classes(graph):
    configuration = find_configuration(graph.to_graph(), np.ones(graph.n))
    table, order = eigenvalue_table(configuration)
    R = configuration.classes
    weights = np.random.default_rng(0).standard_normal(len(order))
    mixed = sum(w * (k == R) for w, k in zip(weights, order, strict=True))
    found = np.unique(np.linalg.eigvalsh(mixed).round(6))
    np.testing.assert_allclose(found, np.sort(np.array(table) @ weights), atol=1e-5)


def test_irrational_schemes_and_schemes_that_do_not_commute_have_no_table():
    for graph in [families.circulant(65, {1, 5}), families.paley(73), families.z_channel(7)]:
        explicit = graph.to_graph()
        configuration = find_configuration(explicit, np.ones(graph.n))
        assert eigenvalue_table(configuration) is None


def test_a_partition_that_is_no_scheme_is_refused():
    graph = as_graph(nx.random_regular_graph(4, 64, seed=1))
    classes = np.eye(64, dtype=np.int32) + 2 * (graph.adjacency.toarray() != 0).astype(np.int32)
    assert eigenvalue_table(Configuration(np.minimum(classes, 2), 3)) is None


@pytest.mark.parametrize("variant", ["lovasz", "schrijver", "szegedy"])
def test_an_explicit_graph_has_the_exact_value_of_its_family(variant):
    for graph in [families.hamming(7, {5, 6}), families.hamming(6, {1, 4})]:
        found = theta(graph.to_graph(), variant=variant)
        assert found.exact == theta(graph, variant=variant).exact
        assert found.lower <= found.exact_number <= found.upper
        assert found.gap < 1e-9
