"""The bounds for sparse graphs hold whatever a solver returns."""

import networkx as nx
import numpy as np
import pytest
from tests.number import oracle

from lovasz.graphs import as_graph
from lovasz.number.proofs import certify_sparse


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [2, 6, 11])
def test_bounds_hold_whatever_a_solver_returns(n, weighted):
    rng = np.random.default_rng(n)
    for seed in range(25):
        graph = as_graph(nx.gnp_random_graph(n, 0.5, seed=seed))
        w = rng.uniform(0.5, 2, n) if weighted else np.ones(n)
        truth = oracle.theta(graph.adjacency.toarray(), w)
        scale = 10 ** rng.uniform(-2, 2)
        upper, kernel = certify_sparse.upper_bound(
            graph, np.sqrt(w), scale * rng.normal(size=graph.m)
        )
        V = rng.normal(size=(n, 3)) * rng.integers(0, 2, (n, 1))
        lower = certify_sparse.lower_bound(graph, np.sqrt(w), V)
        assert lower <= truth * (1 + 1e-6) and truth * (1 - 1e-6) <= upper
        K = kernel().toarray()
        assert (K[graph.adjacency.toarray() + np.eye(n) == 0] == 0).all()
        assert (np.diag(K) == 1).all()
        assert np.linalg.eigvalsh(upper * K - np.sqrt(np.outer(w, w)))[0] > -1e-9 * upper


def test_an_indefinite_matrix_is_not_taken_for_a_semidefinite_one():
    graph = as_graph(nx.path_graph(3))
    adjacency = graph.adjacency.astype(float).tocsr()
    assert certify_sparse._negativity(certify_sparse._bordered(adjacency, np.ones(3), 1.0)) is None
