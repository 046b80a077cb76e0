"""Pictures of the nodes."""

import numpy as np

from lovasz.graphs import Graph
from lovasz.pages.drawings import edge_density


def test_edge_density_of_blocks_is_the_share_of_pairs():
    i, j = np.triu_indices(6, 1)
    complete = Graph.from_edges(i, j, n=6)
    np.testing.assert_allclose(edge_density(complete, np.array([0, 0, 0, 1, 1, 1]), 2), 1)
    split = Graph.from_edges([0, 1], [1, 2], n=6)
    np.testing.assert_allclose(
        edge_density(split, np.array([0, 0, 0, 1, 1, 1]), 2), [[4 / 6, 0], [0, 0]]
    )
