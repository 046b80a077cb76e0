"""Block models look like block models, and graphs with more triangles do not."""

import numpy as np
import pytest

from lovasz.clustering.block_fit import check_closure
from lovasz.clustering.block_model import block_posterior
from lovasz.graphs import Graph
from lovasz.graphs.families import caveman, sbm


@pytest.mark.parametrize(("inside", "between"), [(0.7, 0.6), (0.06, 0.01), (0.02, 0.1)])
def test_a_block_model_fits(inside, between):
    affinity = np.full((3, 3), between) + (inside - between) * np.eye(3)
    for seed in range(3):
        blocks = sbm([80] * 3, affinity, seed=seed)
        codes = np.where(np.arange(240) % 5 == 0, blocks.y, -1)
        found = check_closure(blocks.graph, block_posterior(blocks.graph, codes, 3), seed=seed)
        assert found.fits
        assert found.linked == pytest.approx(found.expected, rel=0.25)


def test_two_classes_of_many_small_cliques_do_not_fit():
    graph, clique, _ = caveman(30, 6, seed=0)
    y = clique % 2
    codes = np.where(np.arange(180) % 5 == 0, y, -1)
    found = check_closure(graph, block_posterior(graph, codes, 2))
    assert not found.fits and found.linked > 3 * found.expected


def test_without_two_edges_at_a_node_nothing_is_known():
    graph = Graph.from_edges([0, 2], [1, 3], n=5)
    found = check_closure(graph, block_posterior(graph, np.array([0, -1, 1, -1, -1]), 2))
    assert (found.linked, found.expected, found.fits) == (0, 0.0, False)
