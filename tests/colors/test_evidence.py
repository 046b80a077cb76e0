"""The colouring fraction, and what numbers say about perfection."""

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
    with pytest.raises(LovaszError, match="one a node"):
        lovasz.coloring_fraction(nx.path_graph(3), [0, 1])


@pytest.mark.parametrize(
    "graph", [nx.cycle_graph(5), nx.cycle_graph(7), nx.complement(nx.cycle_graph(7)),
              nx.petersen_graph(), nx.wheel_graph(6)]
)  # fmt: skip
def test_gaps_prove_imperfection(graph):
    found = lovasz.is_perfect_evidence(graph)
    assert found.perfect is False and found.reason


@pytest.mark.parametrize(
    "graph",
    [nx.path_graph(6), nx.complete_graph(4), nx.complement(nx.path_graph(7)),
     nx.complement(nx.random_labeled_tree(9, seed=0)), nx.complete_bipartite_graph(3, 4)],
)  # fmt: skip
def test_classes_prove_perfection(graph):
    assert lovasz.is_perfect_evidence(graph).perfect is True


def test_equality_is_no_proof():
    # C5 with a leaf at each node: α = χ(Ḡ) = 5. A triangle beside it: ω = χ = 3. Not perfect.
    graph = nx.cycle_graph(5)
    graph.add_edges_from((v, 5 + v) for v in range(5))
    graph = nx.disjoint_union(graph, nx.complete_graph(3))
    found = lovasz.is_perfect_evidence(graph)
    assert found.alpha == found.cover == (6, 6) and found.omega == found.chi == (3, 3)
    assert found.perfect is None and "may still" in found.reason
