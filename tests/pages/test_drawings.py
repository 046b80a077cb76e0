"""Pictures of the nodes."""

import numpy as np
from matplotlib.figure import Figure

from lovasz.graphs import Graph
from lovasz.pages.drawings import Nodes, edge_density, paint_embedding


def test_edge_density_of_blocks_is_the_share_of_pairs():
    i, j = np.triu_indices(6, 1)
    complete = Graph.from_edges(i, j, n=6)
    np.testing.assert_allclose(edge_density(complete, np.array([0, 0, 0, 1, 1, 1]), 2), 1)
    split = Graph.from_edges([0, 1], [1, 2], n=6)
    np.testing.assert_allclose(
        edge_density(split, np.array([0, 0, 0, 1, 1, 1]), 2), [[4 / 6, 0], [0, 0]]
    )


def test_the_picture_of_vectors_has_one_scale_on_both_axes():
    graph = Graph.from_edges([0, 1], [1, 2], n=4)
    nodes = Nodes(graph, np.zeros(4, dtype=int), np.zeros(4, dtype=int), np.ones(4))
    figure = Figure(figsize=(6, 4))
    vectors = np.array([[0, 0], [1, 0.001], [2, -0.001], [3, 0.002]])
    paint_embedding(figure, nodes, vectors, np.arange(4))
    figure.draw_without_rendering()
    (axes,) = figure.axes
    box = axes.get_window_extent()
    width, height = np.ptp(axes.get_xlim()), np.ptp(axes.get_ylim())
    np.testing.assert_allclose(box.width / width, box.height / height, rtol=1e-6)
