"""Semidefinite programmes in blocks."""

import networkx as nx
import numpy as np
import pytest

from lovasz import as_graph, theta
from lovasz.number.symmetry.block_barrier import minimise_blocks, slack


@pytest.mark.parametrize("graph", [nx.cycle_graph(7), nx.gnp_random_graph(12, 0.4, seed=3)])
def test_one_block_without_symmetry_is_the_programme_of_theta(graph):
    n = len(graph)
    basis = [np.eye(n)]
    for i, j in graph.edges:
        E = np.zeros((n, n))
        E[i, j] = E[j, i] = 1
        basis.append(E)
    A, J = np.array(basis), np.ones((n, n))
    start = np.append(2.0 * n, np.zeros(len(basis) - 1))
    found = minimise_blocks([A], [J], start)
    known = theta(as_graph(graph), tol=1e-8)
    assert known.lower - 1e-7 <= found.v[0] <= known.upper + 1e-7
    X = found.dual[0]
    np.testing.assert_allclose(np.tensordot(A, X), np.eye(len(basis))[0], atol=1e-8)
    assert np.linalg.eigvalsh(X)[0] > -1e-9
    assert np.linalg.eigvalsh(slack(A, J, found.v))[0] > -1e-9
    assert found.v[0] - (J * X).sum() == pytest.approx(found.gap, abs=1e-7)


def test_blocks_of_different_sizes_share_their_unknowns():
    # min t with t ≥ 2 from the first block and t² ≥ 5 from the second.
    first = np.array([[1.0]])  # by its diagonal
    second = np.array([np.eye(2)])
    found = minimise_blocks(
        [first, second],
        [np.array([2.0]), np.array([[0.0, 5**0.5], [5**0.5, 0.0]])],
        np.array([9.0]),
    )
    assert found.v[0] == pytest.approx(5**0.5, abs=1e-8)
