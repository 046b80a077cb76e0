"""Kernels of unions, joins and copies keep their zeros, their order and their bound."""

import networkx as nx
import numpy as np
import pytest
from tests.number import exact

from lovasz import as_graph, theta
from lovasz.number.reduction.compose import isolated, join, lift, unite
from lovasz.number.result import Solution


def test_a_union_keeps_the_places_of_its_parts():
    first, second = theta(nx.cycle_graph(5)), theta(nx.cycle_graph(7))
    pieces = [Solution(r.lower, r.upper, r.kernel, ()) for r in (first, second)]
    order = np.random.default_rng(0).permutation(12)
    parts = [np.sort(order[:5]), np.sort(order[5:])]
    both = unite(parts, pieces).kernel.toarray()
    for part, one in zip(parts, (first, second), strict=True):
        assert (both[np.ix_(part, part)] == one.kernel.toarray()).all()
    assert not both[np.ix_(*parts)].any()


@pytest.mark.parametrize("seed", range(20))
def test_the_kernel_of_a_join_is_semidefinite_to_the_last_bit(seed):
    """A join of pairs, all of one weight w: K is singular, and entries near ½ are rounded."""
    rng, k = np.random.default_rng(seed), 5
    w = np.full(2 * k, rng.uniform(1, 2))
    parts = [np.array([2 * q, 2 * q + 1]) for q in range(k)]
    joined = join(parts, [isolated(w[part]) for part in parts], np.sqrt(w))
    assert exact.is_psd(exact.rationals(joined.kernel.toarray()))
    assert joined.lower == joined.upper == 2 * w[0]


@pytest.mark.parametrize("seed", range(10))
def test_copies_of_lighter_nodes_keep_the_bound(seed):
    rng = np.random.default_rng(seed)
    graph = as_graph(nx.complete_multipartite_graph(1, 1, 1, 3))
    w = rng.uniform(1, 2, 6)
    w[0] = 2.5
    representative = np.array([0, 0, 0, 3, 4, 5])
    kept = np.array([0, 3, 4, 5])
    parts = [np.array([0]), np.array([1, 2, 3])]
    core = join(parts, [isolated(w[kept][part]) for part in parts], np.sqrt(w[kept]))
    found = lift(core, graph, np.sqrt(w), kept, representative)
    K = found.kernel.toarray()
    assert (np.diag(K) == 1).all() and (K == K.T).all() and np.abs(K).max() <= 1
    assert np.linalg.eigvalsh(found.upper * K - np.sqrt(np.outer(w, w)))[0] > -1e-12
