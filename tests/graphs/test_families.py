from math import comb, sqrt

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lovasz.base.errors import LovaszError
from lovasz.graphs.families import (
    _successes,
    _unrank_pairs,
    bipartite,
    caveman,
    contextual_sbm,
    gnp,
    planted_partition,
    sbm,
)


def within_five_sigma(hits, trials, p):
    return abs(hits - trials * p) <= 5 * sqrt(trials * p * (1 - p)) + 1e-9


def block_edges(graph, y, blocks):
    """Edges inside and between blocks, each counted once."""
    counts = np.zeros((blocks, blocks), dtype=int)
    source, target = graph.edges()
    np.add.at(counts, (np.minimum(y[source], y[target]), np.maximum(y[source], y[target])), 1)
    return counts


@pytest.mark.parametrize(
    "sizes, matrix",
    [
        ([300, 200, 100], [[0.5, 0.1, 0.02], [0.1, 0.9, 0.3], [0.02, 0.3, 0.2]]),
        ([400, 1, 0, 99], np.full((4, 4), 0.3)),
        ([5000, 5000], [[1e-3, 2e-4], [2e-4, 1e-3]]),
    ],
)
def test_block_densities_are_the_probabilities(sizes, matrix):
    graph, y, _ = sbm(sizes, matrix, seed=1)
    assert np.bincount(y, minlength=len(sizes)).tolist() == sizes
    counts = block_edges(graph, y, len(sizes))
    for a in range(len(sizes)):
        for b in range(a, len(sizes)):
            pairs = comb(sizes[a], 2) if a == b else sizes[a] * sizes[b]
            assert within_five_sigma(counts[a, b], pairs, np.asarray(matrix)[a][b])


def test_every_pair_is_drawn_with_its_own_probability():
    rng, draws = np.random.default_rng(0), 3000
    probabilities = np.array([[0.7, 0.2], [0.2, 0.4]])
    total = sum(
        sbm([4, 3], probabilities, seed=rng).graph.adjacency.toarray() for _ in range(draws)
    )
    y = np.repeat([0, 1], [4, 3])
    for i in range(7):
        for j in range(i):
            assert within_five_sigma(total[i, j], draws, probabilities[y[i], y[j]])


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.integers(0, 12), min_size=1, max_size=5),
    st.floats(0, 1),
    st.floats(0, 1),
    st.integers(0, 2**32),
)
def test_a_block_model_is_simple_and_its_seed_repeats(sizes, p, q, seed):
    matrix = np.where(np.eye(len(sizes), dtype=bool), p, q)
    graph, _, _ = sbm(sizes, matrix, seed=seed)
    again, _, _ = sbm(sizes, matrix, seed=np.random.default_rng(seed))
    assert graph.notes == ()  # no loop and no duplicate had to be dropped
    assert graph.n == sum(sizes)
    assert (graph.adjacency != again.adjacency).nnz == 0


def test_other_seeds_give_other_graphs():
    graphs = [gnp(50, 0.5, seed=seed).adjacency for seed in range(3)]
    assert (graphs[0] != graphs[1]).nnz and (graphs[1] != graphs[2]).nnz


def test_probabilities_zero_and_one_are_certain():
    assert gnp(30, 0, seed=0).m == 0
    assert gnp(30, 1, seed=0).m == comb(30, 2)
    assert sbm([3, 4], [[0, 1], [1, 0]], seed=0).graph.m == 12


def test_a_million_nodes_need_no_matrix():
    graph = gnp(10**6, 4e-7, seed=0)
    assert within_five_sigma(graph.m, comb(10**6, 2), 4e-7)


@pytest.mark.parametrize("p", [5e-324, 1e-18, 1e-12, 0.3, 1.0])
def test_successes_are_ordered_and_in_range(p):
    tosses = 10**12 if p < 1e-6 else 1000
    hits = _successes(tosses, p, np.random.default_rng(0))
    assert (np.diff(hits) > 0).all() and (hits >= 0).all() and (hits < tosses).all()
    assert within_five_sigma(hits.size, tosses, p)


@given(st.integers(2, 2**30), st.sampled_from([-1, 0, 1]))
def test_pairs_are_unranked_exactly(last, step):
    rank = last * (last - 1) // 2 + step  # where j changes, rounding would show
    (i,), (j,) = _unrank_pairs(np.array([rank]))
    assert 0 <= i < j and int(j) * (int(j) - 1) // 2 + int(i) == rank


def test_planted_blocks_are_as_equal_as_possible():
    graph, y, _ = planted_partition(11, 3, 1, 0, seed=0)
    assert np.bincount(y).tolist() == [4, 4, 3]
    assert graph.m == 6 + 6 + 3


@pytest.mark.parametrize("cliques", [1, 2, 3, 7])
@pytest.mark.parametrize("size", [2, 3, 4, 9])
def test_caveman_is_that_of_networkx(cliques, size):
    graph, y, _ = caveman(cliques, size)
    expected = nx.connected_caveman_graph(cliques, size)
    assert (graph.adjacency.toarray() == nx.to_numpy_array(expected, nodelist=graph.nodes)).all()
    assert graph.notes == ()
    assert y.tolist() == [node // size for node in range(graph.n)]


def test_caveman_has_two_independent_nodes_a_clique():
    graph, _, _ = caveman(6, 5)
    chosen = np.sort(np.concatenate([np.arange(0, 30, 5), np.arange(1, 30, 5)]))
    assert graph.adjacency[chosen][:, chosen].nnz == 0


def test_a_seed_shuffles_the_cavemen_and_their_labels_alike():
    graph, y, _ = caveman(4, 5, seed=3)
    assert y.tolist() != caveman(4, 5).y.tolist()
    for clique in range(4):
        inside = np.flatnonzero(y == clique)
        assert graph.adjacency[inside][:, inside].nnz == 2 * (comb(5, 2) - 1)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_removed_edges_respect_the_matching(data):
    n = data.draw(st.integers(1, 12))
    removed = data.draw(st.integers(0, n * (n - 1)))
    seed = data.draw(st.integers(0, 1000))
    graph, y, _ = bipartite(n, removed, seed=seed)
    dense = graph.adjacency.toarray()
    assert graph.m == n * n - removed
    assert not dense[:n, :n].any() and not dense[n:, n:].any()
    same_colour = (y[:, None] == y) & ~np.eye(2 * n, dtype=bool)
    assert dense[same_colour].all()  # every colour of the complement is a clique of the graph
    more = data.draw(st.integers(removed, n * (n - 1)))
    assert (bipartite(n, more, seed=seed).graph.adjacency.toarray() <= dense).all()


def test_bipartite_seeds_matter():
    assert (bipartite(9, 30, seed=0)[0].adjacency != bipartite(9, 30, seed=1)[0].adjacency).nnz


def test_contextual_blocks_have_the_degrees_and_the_features_of_the_model():
    n, d, lam, mu, p = 4000, 16.0, 2.0, 4000.0, 20
    graph, y, features = contextual_sbm(n, average_degree=d, lam=lam, mu=mu, features=p, seed=0)
    counts, sizes = block_edges(graph, y, 2), np.bincount(y)
    for a in range(2):
        assert within_five_sigma(counts[a, a], comb(int(sizes[a]), 2), (d + lam * sqrt(d)) / n)
    assert within_five_sigma(counts[0, 1], int(sizes[0] * sizes[1]), (d - lam * sqrt(d)) / n)
    assert within_five_sigma(sizes[1], n, 0.5)
    # With μ = n the class means are ±u, and what is left is noise of variance 1/p.
    v = 2 * y - 1
    u = (features * v[:, None]).mean(axis=0)
    noise = features - np.outer(v, u)
    assert abs(noise.var() * p - 1) < 5 * sqrt(2 / (n * p))
    assert 0.2 < u @ u < 3  # u ~ N(0, I/p) has length about 1


def test_contextual_features_without_signal_are_noise():
    _, y, features = contextual_sbm(4000, average_degree=9, lam=3, mu=0, features=10, seed=0)
    difference = features[y == 1].mean(axis=0) - features[y == 0].mean(axis=0)
    assert np.abs(difference).max() < 5 * sqrt(4 / 4000 / 10)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: gnp(5, 1.5, seed=0), r"p=1\.5 is not a probability.*between 0 and 1"),
        (lambda: gnp(5, float("nan"), seed=0), r"p=nan is not a probability"),
        (lambda: gnp(-5, 0.5, seed=0), r"n=-5.*at least 0"),
        (lambda: gnp(5.5, 0.5, seed=0), r"n=5\.5.*whole number"),
        (lambda: gnp(5, 0.5, seed=-1), r"seed=-1.*at least 0"),
        (lambda: gnp(5, 0.5, seed=None), r"seed=None"),
        (lambda: sbm([], [], seed=0), r"sizes is empty"),
        (lambda: sbm([2, -1], np.zeros((2, 2)), seed=0), r"sizes\[1\]=-1"),
        (lambda: sbm([2, 2], [[0.1, 0.2], [0.3, 0.1]], seed=0), r"0\.2.*0\.3.*symmetric"),
        (lambda: sbm([2, 2], [[0.1]], seed=0), r"shape \(1, 1\).*2 by 2"),
        (lambda: sbm([2, 2], [[0, -1], [-1, 0]], seed=0), r"probabilities\[0\]\[1\]=-1"),
        (lambda: planted_partition(9, 0, 0.5, 0.1, seed=0), r"k=0.*at least 1"),
        (lambda: planted_partition(9, 3, 0.5, 2, seed=0), r"q=2 is not a probability"),
        (lambda: bipartite(5, 21, seed=0), r"removed=21.*20.*fewer"),
        (lambda: caveman(3, 1), r"size=1.*at least 2"),
        (
            lambda: contextual_sbm(9, average_degree=1, lam=2, mu=1, features=2, seed=0),
            r"lam=2.*sqrt\(average_degree\)",
        ),
        (
            lambda: contextual_sbm(9, average_degree=4, lam=1, mu=-1, features=2, seed=0),
            r"mu=-1",
        ),
    ],
)
def test_bad_values_are_named_in_one_line(call, message):
    with pytest.raises(LovaszError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
