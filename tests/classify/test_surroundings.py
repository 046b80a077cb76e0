"""Features beside those of the neighbours: what the table holds, and what only it can find."""

import networkx as nx
import numpy as np
import pytest

import lovasz
from lovasz.classify.problem import make_problem
from lovasz.classify.surroundings import Surroundings, list_blocks
from lovasz.graphs import Graph
from lovasz.graphs.families import planted_partition
from lovasz.linalg.principal import PrincipalAxes

BLOCKS = planted_partition(60, 2, 0.2, 0.05, seed=0)
H = np.random.default_rng(0).standard_normal((60, 3)) * [3, 2, 1]


def test_blocks_have_a_mean_variance_of_one_and_keep_the_sizes_of_their_columns():
    table = Surroundings.of(BLOCKS.graph, H)(BLOCKS.graph, H)
    assert table.shape == (60, 10)
    for first in (0, 3, 6):
        np.testing.assert_allclose(table[:, first : first + 3].var(axis=0).mean(), 1, rtol=1e-5)
    np.testing.assert_allclose(table[:, -1].var(), 1, rtol=1e-5)
    np.testing.assert_allclose(table.mean(axis=0), 0, atol=1e-5)
    assert table[:, 0].std() > table[:, 1].std() > table[:, 2].std()


def test_averages_are_over_neighbours_and_leave_the_node_out():
    own, near, far, degree = list_blocks(BLOCKS.graph, H)
    A = BLOCKS.graph.adjacency.toarray()
    node = int(A.sum(axis=1).argmax())
    np.testing.assert_allclose(near[node], H[A[node] > 0].mean(axis=0))
    np.testing.assert_allclose(far[node], near[A[node] > 0].mean(axis=0))
    assert np.array_equal(own, H) and degree[node, 0] == np.log1p(A[node].sum())


def test_columns_without_variance_are_zero_and_isolated_nodes_have_no_neighbours():
    ring = lovasz.as_graph(nx.cycle_graph(6))
    table = Surroundings.of(ring, np.ones((6, 2)))(ring, np.ones((6, 2)))
    assert not table.any()
    lonely = Graph.from_edges([0], [1], n=3)
    assert not list_blocks(lonely, np.ones((3, 1)))[1][2].any()


def test_a_grown_graph_keeps_the_columns_of_the_old_one():
    old = make_problem(BLOCKS.graph, np.arange(2), BLOCKS.y, H, "auto")
    order = np.arange(60)[::-1]
    turned = lovasz.as_graph(BLOCKS.graph.adjacency[order][:, order])
    same = make_problem(turned, np.arange(2), BLOCKS.y[order], H[order], "auto")
    np.testing.assert_allclose(same.surrounding_rows(old), old.surrounding_rows()[order], atol=1e-5)


def test_a_saved_model_keeps_the_axes_that_its_weights_are_for(tmp_path, monkeypatch):
    """One-hot columns have no axes of their own: other rounding would find others."""
    kinds = np.eye(10)[np.arange(60) % 10]
    labels = {row: int(BLOCKS.y[row]) for row in range(0, 60, 2)}
    clf = lovasz.LCNClassifier(random_state=0, epochs=10).fit(BLOCKS.graph, labels, kinds)
    clf.save(tmp_path / "model")
    monkeypatch.setattr(PrincipalAxes, "of", lambda *_: pytest.fail("axes computed again"))
    again = lovasz.LCNClassifier.load(tmp_path / "model")
    for name in ("principal_axes", "surroundings"):
        kept, found = getattr(clf._problem, name), getattr(again._problem, name)
        for field in vars(kept):
            np.testing.assert_array_equal(getattr(found, field), getattr(kept, field))
    more = clf._problem.with_codes(BLOCKS.y)
    assert more.principal_axes is clf._problem.principal_axes


def test_a_class_that_is_unlike_its_neighbours_is_found():
    """The class is a bit of the node xor that of most neighbours; averages over both hide it."""
    rng = np.random.default_rng(0)
    graph = lovasz.as_graph(nx.random_regular_graph(5, 600, seed=0))
    bit = rng.random(600) < 0.5
    y = (bit ^ (graph.adjacency @ bit.astype(float) > 2.5)).astype(int)
    X = np.column_stack([bit, rng.standard_normal((600, 2))])
    known = np.arange(600) % 5 < 2
    clf = lovasz.LCNClassifier(random_state=0).fit(graph, np.where(known, y, -1), X)
    assert (clf.predict() == y)[~known].mean() > 0.9
    assert clf.chosen_ == "perceptron on surroundings"
    fast = lovasz.LCNClassifier(fast=True, random_state=0).fit(graph, np.where(known, y, -1), X)
    assert (fast.predict() == y)[~known].mean() > 0.8
