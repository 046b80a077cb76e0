"""ϑ = α where no clique cover shows it, proven exactly."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import lovasz
from lovasz.graphs import as_graph
from lovasz.graphs.families import gnp
from lovasz.number.proofs.integer_value import integer_dual, null_sets
from lovasz.verification import check_proof
from lovasz.verification.checker import exactly_psd, integers


def judged(graph, k: int, Y: sparse.csr_array) -> bool:
    """Whether k I + Y ⪰ J with Y on the edges, by exact integers."""
    dense = Y.toarray()
    off = dense[graph.adjacency.toarray() == 0]
    return not off.any() and exactly_psd(integers(k * np.eye(graph.n) + dense - 1))


@pytest.mark.parametrize(
    ("n", "p", "seed", "value"), [(33, 0.5, 46, 7), (27, 0.5, 118, 7), (24, 0.5, 120, None)]
)
def test_random_graphs_whose_number_is_an_integer(n, p, seed, value, tmp_path) -> None:
    graph = gnp(n, p, seed=seed)
    result = lovasz.theta(graph)
    assert result.lower.is_integer() and result.lower < result.upper
    assert result.exact_number == value
    result.save(tmp_path / "p.npz")
    assert check_proof(graph, tmp_path / "p.npz").exact == value


def test_what_is_found_is_exactly_semidefinite() -> None:
    graph = gnp(33, 0.5, seed=46)
    kernel = lovasz.theta(graph).kernel.toarray()
    near = sparse.csr_array(7.000001 * (kernel - np.eye(33)))
    Y = integer_dual(graph, 7, near)
    assert Y is not None and judged(graph, 7, Y)
    assert np.abs((Y - near).toarray()).max() < 0.1
    assert integer_dual(graph, 6, near) is None
    assert integer_dual(graph, 7, 0.5 * near) is None


def test_sets_that_are_not_maximal_prove_nothing() -> None:
    # {0} is independent in a path of 3 nodes, and S x = 0 fails at the node that is not adjacent.
    graph = as_graph(nx.path_graph(3))
    assert integer_dual(graph, 1, sparse.csr_array(graph.adjacency)) is None


def test_null_sets_of_a_graph_with_two_largest_sets() -> None:
    graph = as_graph(nx.complement(nx.disjoint_union(nx.complete_graph(2), nx.complete_graph(2))))
    S = np.array([[1, -1, 0, 0], [-1, 1, 0, 0], [0, 0, 1, -1], [0, 0, -1, 1]])
    sets = null_sets(graph, 2, S)
    assert sorted(x.tolist() for x in sets) == [[0, 0, 1, 1], [1, 1, 0, 0]]
