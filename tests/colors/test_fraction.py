"""The colouring fraction of the paper."""

import math

import networkx as nx
import numpy as np
import pytest

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.graphs.families import gnp


@pytest.mark.parametrize("n", [2, 5, 20])
def test_the_papers_example(n):
    assert lovasz.coloring_fraction(nx.complete_bipartite_graph(n, n)) == 0.5


def test_fraction_counts_edges_and_pairs():
    graph = nx.gnp_random_graph(12, 0.5, seed=0)
    colors = np.arange(12) % 5
    apart = [(i, j) for i in range(12) for j in range(i) if colors[i] != colors[j]]
    expected = sum(graph.has_edge(i, j) for i, j in apart) / len(apart)
    assert lovasz.coloring_fraction(graph, colors) == pytest.approx(expected)
    names = [f"colour {c}" for c in colors]
    assert lovasz.coloring_fraction(graph, names) == pytest.approx(expected)


def test_fraction_of_one_colour_is_no_number():
    assert math.isnan(lovasz.coloring_fraction(nx.complete_graph(4)))


def test_fraction_asks_for_an_optimal_cover_and_for_all_colours():
    with pytest.raises(LovaszError, match="optimal"):
        lovasz.coloring_fraction(gnp(80, 0.5, seed=0), effort=0)
    with pytest.raises(LovaszError, match="one per node"):
        lovasz.coloring_fraction(nx.path_graph(3), [0, 1])
