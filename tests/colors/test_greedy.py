"""Greedy colourings and matchings are valid, and DSATUR is the same in both of its forms."""

import networkx as nx
import numpy as np
import pytest

from lovasz.colors.greedy import dsatur, greedy_colors, matched_pairs
from lovasz.graphs import as_graph
from lovasz.graphs.adjacency_lists import AdjacencyLists
from lovasz.graphs.families import gnp
from lovasz.graphs.operations import complement_of
from lovasz.number.reduction import combinatorial


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_colours_are_proper_and_pairs_are_edges(p):
    graph = gnp(60, p, seed=1)
    lists, (i, j) = AdjacencyLists(graph), graph.edges()
    colors, pairs = greedy_colors(lists), matched_pairs(lists)
    assert (colors[i] != colors[j]).all()
    together = np.flatnonzero(np.bincount(pairs, minlength=60) > 1)
    adjacent = graph.adjacency.toarray()
    for number in together:
        a, b = np.flatnonzero(pairs == number)
        assert adjacent[a, b]


@pytest.mark.parametrize("seed", range(5))
def test_dsatur_on_lists_agrees_with_the_dense_one(seed):
    """The dense one colours the complement, and is faster for the cores of ϑ."""
    graph = as_graph(nx.gnp_random_graph(50, 0.2 + 0.15 * seed, seed=seed))
    lists = AdjacencyLists(complement_of(graph))
    colors, done = dsatur(lists.indptr, lists.indices, graph.n + 1)
    assert done
    assert np.array_equal(colors, combinatorial._coloured_complement(graph))
