"""Positions of graphs of any size."""

import numpy as np

from lovasz.graphs import Graph
from lovasz.pages.large_layout import arrange, surround
from lovasz.pages.layout import spring


def blocks(n=3000, k=4, seed=0):
    rng = np.random.default_rng(seed)
    block = np.arange(n) * k // n
    source = rng.integers(0, n, 4 * n)
    target = np.where(
        rng.random(4 * n) < 0.95,
        block[source] * (n // k) + rng.integers(0, n // k, 4 * n),
        rng.integers(0, n, 4 * n),
    )
    return Graph.from_edges(source, target, n=n), block


def test_blocks_are_apart_and_fit_the_frame():
    graph, block = blocks()
    position = arrange(graph.adjacency)
    assert np.isfinite(position).all() and np.abs(position).max() <= 1 + 1e-6
    centres = np.array([position[block == b].mean(axis=0) for b in range(4)])
    nearest = ((position[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    assert (nearest == block).mean() > 0.9
    np.testing.assert_array_equal(position, arrange(graph.adjacency))


def test_small_graphs_have_the_exact_springs():
    graph = Graph.from_edges([0, 1], [1, 2])
    np.testing.assert_array_equal(arrange(graph.adjacency), spring(graph.adjacency))
    assert arrange(Graph.from_edges([], [], n=0).adjacency).shape == (0, 2)


def test_nodes_without_neighbours_stand_around_the_others():
    graph, _ = blocks(2000)
    wide = Graph.from_edges(*graph.edges(), n=2300)
    position = arrange(wide.adjacency)
    linked = np.flatnonzero(wide.degrees > 0)
    centre = position[linked].mean(axis=0)
    distance = np.linalg.norm(position - centre, axis=1)
    assert distance[wide.degrees == 0].min() > np.quantile(distance[linked], 0.9)
    alone = arrange(Graph.from_edges([], [], n=1500).adjacency)
    assert len(np.unique(alone.round(6), axis=0)) == 1500
    assert surround(np.zeros((0, 2)), 5).shape == (5, 2)
