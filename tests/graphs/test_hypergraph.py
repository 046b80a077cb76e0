"""The 2-section by its definition; the paper's random hypergraphs by their law."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lovasz.base import memory
from lovasz.base.errors import LovaszError
from lovasz.graphs.hypergraph import Hypergraph, hypergraph


@given(st.lists(st.lists(st.integers(0, 7), max_size=5), max_size=8))
def test_two_nodes_are_joined_where_a_hyperedge_has_both(hyperedges):
    graph = Hypergraph.from_rows(hyperedges, n=8).expansion()
    pairs = {pair for edge in hyperedges for pair in combinations(sorted(set(edge)), 2)}
    assert set(zip(*(ends.tolist() for ends in graph.edges()), strict=True)) == pairs
    assert graph.n == 8 and not graph.weighted


def test_hyperedges_may_be_arrays_of_any_integers():
    edges = [np.array([0, 2], dtype=np.uint8), np.array([], dtype=float), (1, 2)]
    assert Hypergraph.from_rows(edges, n=3).expansion().m == 2
    assert Hypergraph.from_rows([], n=0).expansion().n == 0


@pytest.mark.parametrize(
    ("hyperedges", "message"),
    [
        ([[0, 1], [2, 3]], "hyperedge 1 has the node 3; with n=3 nodes are whole numbers from 0"),
        ([[], [0, -1]], "hyperedge 1 has the node -1"),
        ([[0, 0.5]], "hyperedge 0 has the node 0.0"),
        ([["a", "b"]], "hyperedge 0 has the node a"),
    ],
)
def test_a_node_that_is_none_is_named(hyperedges, message):
    with pytest.raises(LovaszError) as problem:
        Hypergraph.from_rows(hyperedges, n=3)
    assert message in str(problem.value) and "\n" not in str(problem.value)


def test_cliques_that_would_not_fit_are_refused(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 2**20)
    with pytest.raises(LovaszError, match=r"1 hyperedge of up to 1,000 nodes would need"):
        Hypergraph.from_rows([range(1000)], n=1000).expansion()


def test_the_paper_s_hypergraph_has_its_sizes_and_ratios():
    hyperedges, y = hypergraph(heterogeneous=30, seed=0)
    assert np.bincount(y).tolist() == [50, 50] and len(hyperedges) == 50
    for number, edge in enumerate(hyperedges):
        assert np.unique(edge).size == edge.size == 35
        parts = sorted(np.bincount(y[edge], minlength=2).tolist())
        assert parts == ([0, 35] if number < 20 else [14, 21])


def test_classes_and_nodes_are_drawn_evenly():
    """Within five standard deviations of their laws."""
    hyperedges, y = hypergraph(homogeneous=2000, heterogeneous=2000, seed=1)
    ones = np.array([y[edge].sum() for edge in hyperedges])
    for which, large in ((slice(2000), 35), (slice(2000, None), 21)):
        assert abs((ones[which] == large).sum() - 1000) < 5 * np.sqrt(500)
    visits = np.bincount(np.concatenate(hyperedges), minlength=100)
    # A node is in a hyperedge with probability 0.35, whatever its class and the kind.
    assert np.abs(visits - 1400).max() < 5 * np.sqrt(4000 * 0.35 * 0.65)
    labels = np.mean([hypergraph(homogeneous=0, heterogeneous=0, seed=s).y for s in range(400)], 0)
    assert np.abs(labels - 0.5).max() < 5 * 0.5 / np.sqrt(400)


def test_a_seed_gives_the_same_hypergraph():
    first, again, other = (hypergraph(seed=seed) for seed in (3, 3, 4))
    assert np.array_equal(first.y, again.y) and not np.array_equal(first.y, other.y)
    assert all(map(np.array_equal, first.hyperedges, again.hyperedges))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 51}, "size=51 with n=100: a class of 50 nodes"),
        ({"n": 2.5}, "n=2.5; pass a whole number"),
        ({"heterogeneous": -1}, "heterogeneous=-1; pass a whole number"),
        ({"seed": -1}, "seed=-1; pass a whole number"),
    ],
)
def test_bad_calls_name_the_value(options, message):
    with pytest.raises(LovaszError) as problem:
        hypergraph(**{"seed": 0, **options})
    assert message in str(problem.value)
