"""Strongly regular graphs by formula."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

from lovasz import as_graph, theta
from lovasz.number.proofs.hoffman import hoffman, strongly_regular


def paley(q):
    squares = {x * x % q for x in range(1, q)}
    return nx.Graph((u, v) for u in range(q) for v in range(u) if (u - v) % q in squares)


def nearly_paley(q):
    """A Paley graph with two edges switched so that the first node sees no difference."""
    graph = paley(q)
    near = set(graph[0])
    for u, v in graph.edges:
        for x, y in graph.edges:
            fresh = len({0, u, v, x, y}) == 5 and not (graph.has_edge(u, y) or graph.has_edge(x, v))
            if fresh and (u in near) == (x in near) and (v in near) == (y in near):
                graph.remove_edges_from([(u, v), (x, y)])
                graph.add_edges_from([(u, y), (x, v)])
                return graph
    raise AssertionError("no such pair of edges")


@pytest.mark.parametrize("q", [5, 13, 17, 29, 101])
def test_a_paley_graph_needs_no_eigenvalues(q, monkeypatch):
    monkeypatch.setattr("lovasz.number.core.hoffman", None)  # would raise if called
    result = theta(paley(q))
    assert result.method == "Hoffman (1)" and result.gap < 1e-9
    assert result.lower <= q**0.5 <= result.upper
    K = result.kernel.toarray()
    assert (np.diag(K) == 1).all() and result.kernel.has_sorted_indices
    assert ((K != 0) == (nx.to_numpy_array(paley(q), nodelist=result.nodes) + np.eye(q) > 0)).all()
    assert np.linalg.eigvalsh(result.upper * K - 1)[0] > -1e-9


@pytest.mark.parametrize("variant", ["schrijver", "szegedy"])
def test_variants_are_proven_too(variant):
    result = theta(paley(29), variant=variant)
    assert result.gap <= 1e-6 and result.lower <= 29**0.5 * (1 + 1e-9)


@pytest.mark.parametrize(
    "graph",
    [paley(37), nx.complement(nx.petersen_graph()), nx.line_graph(nx.complete_graph(7))],
)
def test_the_formula_is_the_eigendecomposition(graph):
    graph = as_graph(graph)
    by_formula, by_eigh = strongly_regular(graph), hoffman(graph)[0]
    i, j = graph.edges()
    values = by_formula.upper * by_formula.kernel.toarray()[i, j]
    np.testing.assert_allclose(values, by_eigh.edge_values, rtol=1e-12)
    X = by_eigh.matrix
    np.testing.assert_allclose(by_formula.lower, X.sum() / X.trace(), rtol=1e-12)


@pytest.mark.parametrize("q", [5, 13, 17, 29, 37, 41, 53, 61, 73, 89, 97, 101, 109, 113, 197])
def test_the_formula_is_proven_in_exact_arithmetic(q):
    found = strongly_regular(as_graph(paley(q)))
    lower, upper = Fraction(found.lower), Fraction(found.upper)
    assert lower**2 <= q <= upper**2 and upper - lower <= 1e-14 * upper
    value = Fraction(found.kernel.data.min())  # K = I + value A; A has d, (−1 ± √q)/2
    assert (2 / value - 1) ** 2 >= q
    assert upper * (1 + value * Fraction(q - 1, 2)) >= q


@pytest.mark.parametrize(
    "graph",
    [
        nx.petersen_graph(),  # an integer: independent sets may meet it
        nx.complete_graph(5),
        nx.complete_bipartite_graph(4, 4),
        nx.disjoint_union(nx.complete_graph(3), nx.complete_graph(3)),
        nx.cycle_graph(7),
        nx.path_graph(4),
        nx.double_edge_swap(paley(29), nswap=3, max_tries=1000, seed=1),  # regular, no more
        as_graph(nx.to_numpy_array(nearly_paley(29), nodelist=range(29))),
    ],
)
def test_others_are_left_to_the_pipeline(graph):
    """A regular graph whose first node looks right is told apart by the whole square of A."""
    assert strongly_regular(as_graph(graph)) is None
    assert theta(graph).gap <= 1e-6
