"""Hoffman's pair without n × n arrays, beside the one with them and closed forms."""

import math

import networkx as nx
import numpy as np
import pytest

import lovasz
from lovasz.graphs import Graph, as_graph
from lovasz.number.proofs.certify_sparse import lower_bound
from lovasz.number.proofs.hoffman import hoffman
from lovasz.number.proofs.slim_hoffman import alike, slim_hoffman
from lovasz.number.solvers.contract import never


def lattice(a, b, steps):
    """A torus of a × b nodes, each joined to those that the steps lead to."""
    x, y = np.divmod(np.arange(a * b), b)
    ends = [(x + dx) % a * b + (y + dy) % b for dx, dy in steps]
    return Graph.from_edges(np.tile(np.arange(a * b), len(steps)), np.concatenate(ends))


SQUARE, TRIANGLES = [(1, 0), (0, 1)], [(1, 0), (0, 1), (1, 1)]


@pytest.mark.parametrize("graph", [lattice(15, 15, SQUARE), lattice(16, 16, TRIANGLES)])
def test_the_pair_is_that_of_dense_matrices(graph):
    slim, (dense, _) = slim_hoffman(graph, 1e-8, never), hoffman(graph)
    np.testing.assert_allclose(slim.edge_values, dense.edge_values, rtol=1e-9)
    np.testing.assert_allclose(slim.factor @ slim.factor.T, dense.matrix, atol=1e-8)
    assert lower_bound(graph, np.ones(graph.n), slim.factor) == pytest.approx(slim.t, rel=1e-7)


@pytest.mark.parametrize(
    "graph",
    [
        lattice(15, 11, SQUARE),  # two kinds of edges
        as_graph(nx.circulant_graph(101, [1, 2])),
        as_graph(nx.complete_graph(40)),  # an eigenspace of 39 dimensions
    ],
)
def test_graphs_of_another_kind_have_none(graph):
    assert slim_hoffman(graph, 1e-6, never) is None


def test_there_is_none_without_time():
    assert slim_hoffman(lattice(31, 31, SQUARE), 1e-6, lambda: True) is None


def test_random_regular_graphs_do_not_look_symmetric():
    graphs = [as_graph(nx.random_regular_graph(d, 400, seed=d)) for d in (3, 4, 10)]
    assert not any(alike(graph) for graph in graphs)
    assert alike(lattice(21, 21, SQUARE))
    assert alike(as_graph(nx.petersen_graph()))


def test_a_torus_is_solved_at_once():
    k = 67  # 4,489 nodes, more than the search for symmetry takes
    least = 4 * math.cos((k - 1) * math.pi / k)
    result = lovasz.theta(lattice(k, k, SQUARE), tol=1e-7)
    truth = k * k * -least / (4 - least)
    assert result.lower <= truth <= result.upper
    assert (result.certificate, result.method) == ("proven", "Hoffman (1)")
    assert result.gap < 1e-7


def test_half_the_time_is_left_to_others():
    result = lovasz.theta(lattice(101, 101, SQUARE), tol=1e-12, time_limit=2)
    least = 4 * math.cos(100 * math.pi / 101)
    assert result.lower <= 101**2 * -least / (4 - least) <= result.upper
