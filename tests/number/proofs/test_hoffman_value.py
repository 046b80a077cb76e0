"""Hoffman's bound as an exact value."""

from __future__ import annotations

import itertools

import networkx as nx
import pytest

import lovasz
from lovasz.graphs import as_graph
from lovasz.number.proofs.hoffman import hoffman
from lovasz.number.proofs.hoffman_value import exact_hoffman, integer_factors, primes_beyond
from lovasz.verification import check_proof


def kneser(n: int, k: int) -> nx.Graph:
    """Subsets of k of n elements, adjacent if disjoint."""
    subsets = list(itertools.combinations(range(n), k))
    graph = nx.empty_graph(len(subsets))
    pairs = itertools.combinations(enumerate(subsets), 2)
    graph.add_edges_from((i, j) for (i, a), (j, b) in pairs if not set(a) & set(b))
    return graph


def words(length: int, letters: int, distance: int) -> nx.Graph:
    """Words, adjacent if they differ in exactly so many places."""
    every = list(itertools.product(range(letters), repeat=length))
    graph = nx.empty_graph(len(every))
    for (i, a), (j, b) in itertools.combinations(enumerate(every), 2):
        if sum(x != y for x, y in zip(a, b, strict=True)) == distance:
            graph.add_edge(i, j)
    return graph


VALUES = {
    "15": kneser(7, 3),
    "21": kneser(8, 3),
    "27/5": words(3, 3, 2),
    "-25+15*sqrt(5)": nx.dodecahedral_graph(),
    "-3+3*sqrt(5)": nx.icosahedral_graph(),
    "5*sqrt(5)": nx.cartesian_product(nx.cycle_graph(5), nx.cycle_graph(5)),
}


@pytest.mark.parametrize("text", VALUES)
def test_the_value_is_recognised_and_lies_in_the_interval(text, tmp_path) -> None:
    result = lovasz.theta(VALUES[text])
    assert result.exact == text
    assert result.lower <= result.exact_number <= result.upper
    assert result.value == pytest.approx(float(result.exact_number), rel=1e-15)
    result.save(tmp_path / "p.npz")
    claim = check_proof(VALUES[text], tmp_path / "p.npz")
    assert claim.lower <= result.exact_number <= claim.upper


def test_sums_of_such_values() -> None:
    two = nx.disjoint_union(nx.dodecahedral_graph(), nx.icosahedral_graph())
    assert lovasz.theta(two).exact == "-28+18*sqrt(5)"
    assert lovasz.theta(words(5, 2, 2)).exact == "16/3"


def test_graphs_to_which_it_does_not_apply() -> None:
    # The eigenvalues of a cycle of seven have degree 3. Those of a prism are integers, but ϑ = 2 is
    # less than Hoffman's bound, 12/5.
    cubic = nx.random_regular_graph(3, 12, seed=1)
    for graph in map(as_graph, (nx.cycle_graph(7), nx.circular_ladder_graph(3), cubic)):
        assert exact_hoffman(graph, hoffman(graph)[1]) is None


def test_factors_and_primes() -> None:
    assert integer_factors([-(5**0.5), -2.0, 5**0.5]) == [(0, -5), (2,)]
    assert integer_factors([-1.25]) is None
    primes = primes_beyond(10**30, 100)
    product = 1
    for p in primes:
        assert all(p % k for k in range(2, 100))
        product *= p
    assert product > 2 * 10**30 and 100 * max(primes) ** 2 < 2**53
