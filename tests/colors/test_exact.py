"""Exhaustive searches and the dynamic programme against counting."""

import networkx as nx
import numpy as np
import pytest
from tests.number.test_theta import alpha, cover_number

from lovasz import as_graph
from lovasz.colors.exact import largest_clique, try_colors
from lovasz.colors.pathwidth import color_by_pathwidth
from lovasz.graphs.adjacency_lists import AdjacencyLists
from lovasz.graphs.families import gnp


def matrix(graph):
    return nx.to_numpy_array(graph, weight=None)


def complement(A):
    return 1 - A - np.eye(len(A))


@pytest.mark.parametrize("seed", range(12))
def test_exhaustive_searches_tell_the_truth(seed):
    graph = nx.gnp_random_graph(9, 0.2 + 0.05 * seed, seed=seed)
    A, lists = matrix(graph), AdjacencyLists(as_graph(graph))
    clique, proven = largest_clique(lists, known=np.array([0]), budget=10**6)
    assert proven and len(clique) == alpha(complement(A))
    assert A[np.ix_(clique, clique)].sum() == len(clique) * (len(clique) - 1)
    chi = cover_number(complement(A))
    for k in range(1, 10):
        colors = np.empty(9, dtype=np.int64)
        answer = try_colors(lists.indptr, lists.indices, clique, k, 10**6, colors)
        assert answer == (k >= chi)
        assert k < chi or not A[colors[:, None] == colors].any()
        found = color_by_pathwidth(lists, k, most=10**6)
        assert (found is False) == (k < chi)
        assert k < chi or (not A[found[:, None] == found].any() and found.max() < k)


def test_a_budget_that_ends_proves_nothing():
    lists = AdjacencyLists(gnp(60, 0.5, seed=0))
    colors = np.empty(60, dtype=np.int64)
    assert try_colors(lists.indptr, lists.indices, np.array([0]), 9, 50, colors) == -1
    assert largest_clique(lists, known=np.array([0]), budget=50)[1] is False
    assert color_by_pathwidth(lists, 9, most=50) is None
