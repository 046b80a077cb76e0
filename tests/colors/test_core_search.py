"""The search on a core against counting."""

import networkx as nx
import pytest
from tests.number.test_theta import alpha, cover_number

from lovasz import as_graph
from lovasz.colors.core_search import search_core
from lovasz.colors.search_control import SearchControl


def matrix(graph):
    return nx.to_numpy_array(graph, weight=None)


@pytest.mark.parametrize("seed", range(6))
def test_a_core_without_reductions(seed):
    graph = nx.gnp_random_graph(10, 0.5, seed=seed)
    A = matrix(graph)
    pair = search_core(as_graph(graph), SearchControl(cover=True, chosen=True), 0)
    assert len(pair.chosen) == alpha(A) == pair.upper
    assert pair.size == cover_number(A) == pair.lower
