"""Colour refinement."""

import networkx as nx
import numpy as np
import pytest

from lovasz import as_graph
from lovasz.number.symmetry.refinement import individualise, refine_colours


@pytest.mark.parametrize("seed", range(8))
def test_the_partition_is_that_of_multisets_of_colours(seed):
    graph = as_graph(nx.gnp_random_graph(40, 0.06, seed=seed))
    colours = refine_colours(graph, np.zeros(40, dtype=np.int64))
    counts = graph.adjacency @ np.eye(colours.max() + 1)[colours]
    for colour in range(colours.max() + 1):
        assert (counts[colours == colour] == counts[colours == colour][0]).all()
    plain = dict.fromkeys(range(40), 0)
    neighbours = graph.to_networkx().adj
    for _ in range(40):
        plain = {v: hash((plain[v], tuple(sorted(plain[u] for u in neighbours[v])))) for v in plain}
    assert len(set(plain.values())) == colours.max() + 1


def test_regular_graphs_have_one_colour_and_distances_appear_around_a_node():
    cube = as_graph(nx.convert_node_labels_to_integers(nx.hypercube_graph(5)))
    colours = refine_colours(cube, np.zeros(32, dtype=np.int64))
    assert colours.max() == 0
    around = individualise(cube, colours, 0)
    assert around.max() + 1 == 6
    assert sorted(np.bincount(around).tolist()) == [1, 1, 5, 5, 10, 10]


def test_given_colours_are_kept_apart():
    empty = as_graph(np.zeros((4, 4)))
    assert refine_colours(empty, np.array([0, 1, 0, 1])).tolist() == [0, 1, 0, 1]
