"""Clusters of a graph, and the steps of a sweep."""

import numpy as np
import pytest
from scipy import sparse

from lovasz.baselines.graph_partition import METHODS, levels, partition, sweep
from lovasz.graphs import Graph
from lovasz.graphs.families import planted_partition

BLOCKS = planted_partition(60, 2, 0.4, 0.05, seed=0)
APART = Graph.from_edges([0, 1, 2, 3, 4, 5, 6, 7, 9], [1, 2, 0, 4, 5, 3, 7, 8, 10], n=13)


@pytest.fixture(params=METHODS)
def method(request):
    return request.param


@pytest.mark.parametrize("graph", [BLOCKS.graph, APART], ids=["blocks", "apart"])
@pytest.mark.parametrize("clusters", [1, 4, "n"])
def test_a_partition_covers_all_nodes_and_splits_the_edges(graph, clusters, method):
    clusters = graph.n if clusters == "n" else clusters
    found = partition(graph, clusters, method=method, seed=3)
    assert np.array_equal(np.unique(found.labels), np.arange(found.count))
    assert found.count == clusters or (method == "spectral" and found.count < clusters)
    assert np.array_equal(found.labels[found.seeds], np.arange(found.count))
    inside, cut = found.inside(graph.adjacency), found.cut(graph.adjacency)
    assert inside.nnz + cut.nnz == graph.adjacency.nnz
    assert ((inside + cut) != graph.adjacency).nnz == 0
    assert clusters > 1 or cut.nnz == 0


def test_partitions_depend_on_the_seed_alone(method):
    first, second, other = (
        partition(BLOCKS.graph, 5, method=method, seed=seed).labels for seed in (1, 1, 2)
    )
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_flood_fill_grows_connected_clusters_and_shares_out_the_rest():
    found = partition(BLOCKS.graph, 4, seed=0)
    inside = found.inside(BLOCKS.graph.adjacency)
    assert sparse.csgraph.connected_components(inside)[0] == 4
    matching = Graph.from_edges(range(0, 12, 2), range(1, 12, 2))
    assert np.bincount(partition(matching, 3, seed=0).labels).tolist() == [4, 4, 4]


def test_the_spectrum_finds_the_blocks():
    labels = partition(BLOCKS.graph, 2, method="spectral").labels
    agreement = (labels == BLOCKS.y).mean()
    assert max(agreement, 1 - agreement) > 0.9


def test_the_steps_of_a_sweep_add_up_to_the_graph():
    for graph, roots in ((BLOCKS.graph, [0, 7]), (APART, [0])):
        total = np.zeros((graph.n, graph.n))
        for step in sweep(graph.adjacency, np.array(roots)):
            total[step.rows] += step.matrix.toarray()
        assert np.array_equal(total, graph.adjacency.toarray())


def test_a_sweep_along_a_path_goes_there_and_back():
    path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    assert levels(path.adjacency, np.array([0])).tolist() == [0, 1, 2, 3]
    steps = sweep(path.adjacency, np.array([0]))
    assert [step.rows.tolist() for step in steps] == [[1], [2], [3], [2], [1], [0]]
    assert [step.matrix.indices.tolist() for step in steps] == [[0], [1], [2], [3], [2], [1]]
