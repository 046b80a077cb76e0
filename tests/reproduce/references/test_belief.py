from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph
from lovasz.graphs.families import gnp, planted_partition, sbm
from lovasz.reproduce.references.belief import bayes_labels


def prior_left(sizes, known):
    """Shares of the blocks among the unknown nodes."""
    left = np.maximum(np.asarray(sizes) - np.bincount(known[known >= 0], minlength=len(sizes)), 0)
    return left / left.sum()


def exact(graph, known, P, prior):
    """Marginals by summing over every labelling of the unknown nodes."""
    A, P = graph.adjacency.toarray(), np.asarray(P)
    unknown = np.flatnonzero(known < 0)
    marginals = np.zeros((graph.n, len(P)))
    i, j = np.triu_indices(graph.n, k=1)
    for labels in product(range(len(P)), repeat=len(unknown)):
        y = known.copy()
        y[unknown] = labels
        p = P[y[i], y[j]]
        weight = np.prod(np.where(A[i, j] == 1, p, 1 - p)) * prior[list(labels)].prod()
        marginals[np.arange(graph.n), y] += weight
    return marginals / marginals.sum(axis=1, keepdims=True)


def planted(n, k, p, q):
    return np.where(np.eye(k, dtype=bool), p, q), [n // k + (b < n % k) for b in range(k)]


@settings(deadline=None, max_examples=40)
@given(st.integers(3, 8), st.integers(2, 3), st.integers(0, 999), st.data())
def test_exact_where_at_most_two_nodes_are_unknown(n, k, seed, data):
    rng = np.random.default_rng(seed)
    P = rng.uniform(0.05, 0.95, (k, k))
    P = (P + P.T) / 2
    known = rng.integers(0, k, n)
    known[rng.permutation(n)[: data.draw(st.integers(1, 2))]] = -1
    sizes = np.bincount(known[known >= 0], minlength=k) + rng.integers(1, 4, k)
    graph = gnp(n, 0.5, seed=seed)
    found = bayes_labels(graph, known, probabilities=P, sizes=sizes, damping=0.0)
    assert found.converged
    np.testing.assert_allclose(
        found.marginals, exact(graph, known, P, prior_left(sizes, known)), atol=1e-5
    )


@pytest.mark.parametrize("k, n, p, q, near", [(2, 11, 0.55, 0.45, 0.005), (3, 9, 0.5, 0.4, 0.01)])
def test_near_the_enumeration_for_weak_interactions(k, n, p, q, near):
    P, sizes = planted(n, k, p, q)
    for seed in range(6):
        graph, y, _ = planted_partition(n, k, p, q, seed=seed)
        known = np.where(np.isin(np.arange(n), np.cumsum(sizes) - 1), y, -1)
        found = bayes_labels(graph, known, probabilities=P, sizes=sizes)
        want = exact(graph, known, P, prior_left(sizes, known))
        assert found.converged
        assert np.abs(found.marginals - want).max() < near


def gibbs(graph, known, P, prior, *, sweeps, seed):
    """Marginals by sampling one label after the other from its conditional."""
    rng = np.random.default_rng(seed)
    A, P, unknown = graph.adjacency.toarray(), np.asarray(P), np.flatnonzero(known < 0)
    edge, gap = np.log(P), np.log1p(-P)
    y = known.copy()
    y[unknown] = rng.integers(0, len(P), len(unknown))
    counts = np.zeros((graph.n, len(P)))
    for sweep in range(sweeps):
        for i in unknown:
            terms = np.where(A[i, :, None] == 1, edge[y], gap[y])
            logits = np.log(prior) + terms.sum(axis=0) - terms[i]
            weights = np.exp(logits - logits.max())
            y[i] = np.searchsorted(np.cumsum(weights), rng.random() * weights.sum())
        if sweep >= sweeps // 10:
            counts[np.arange(graph.n), y] += 1
    return counts / counts.sum(axis=1, keepdims=True)


def test_agrees_with_gibbs_sampling_where_enumeration_is_too_long():
    n, P, sizes = 60, [[0.6, 0.4], [0.4, 0.6]], [30, 30]
    graph, y, _ = sbm(sizes, P, seed=4)
    known = np.where(np.arange(n) % 5 == 0, y, -1)
    found = bayes_labels(graph, known, probabilities=P, sizes=sizes).marginals
    sampled = gibbs(graph, known, P, prior_left(sizes, known), sweeps=1500, seed=0)
    assert np.abs(found - sampled).mean() < 0.03
    agree = found.argmax(1) == sampled.argmax(1)
    assert agree[np.abs(sampled[:, 0] - 0.5) > 0.1].all()


def test_marginals_are_calibrated():
    right, sure = [], []
    for seed in range(4):
        graph, y, _ = planted_partition(200, 2, 0.55, 0.45, seed=seed)
        known = np.where(np.random.default_rng(seed).random(200) < 0.2, y, -1)
        found = bayes_labels(
            graph, known, probabilities=[[0.55, 0.45], [0.45, 0.55]], sizes=[100, 100]
        )
        right.append((found.labels == y)[known < 0])
        sure.append(found.marginals.max(axis=1)[known < 0])
    # The mean confidence is the accuracy to be expected.
    assert abs(np.concatenate(right).mean() - np.concatenate(sure).mean()) < 0.05


def test_nothing_to_learn_leaves_the_prior_and_known_labels_stay():
    known = np.array([0, 1, -1, -1, 1, -1])
    graph = gnp(6, 0.5, seed=1)
    found = bayes_labels(graph, known, probabilities=np.full((2, 2), 0.5), sizes=[3, 3])
    np.testing.assert_allclose(found.marginals[known < 0], [[2 / 3, 1 / 3]] * 3)
    assert (found.labels[known >= 0] == known[known >= 0]).all()


def test_certain_probabilities_and_no_unknown_node():
    graph, y, _ = planted_partition(12, 3, 1, 0, seed=0)
    known = np.where(np.arange(12) % 4 == 0, y, -1)
    found = bayes_labels(graph, known, probabilities=np.eye(3), sizes=[4, 4, 4])
    assert (found.labels == y).all()
    assert np.isfinite(found.marginals).all()
    done = bayes_labels(graph, y, probabilities=np.eye(3), sizes=[4, 4, 4])
    assert done.converged and (done.labels == y).all()


def test_says_when_it_has_not_converged():
    graph, y, _ = planted_partition(40, 2, 0.6, 0.4, seed=0)
    known = np.where(np.arange(40) % 10 == 0, y, -1)
    found = bayes_labels(
        graph, known, probabilities=[[0.6, 0.4], [0.4, 0.6]], sizes=[20, 20], iterations=1
    )
    assert not found.converged and found.iterations == 1 and found.change > 1e-5


@pytest.mark.parametrize(
    "known, P, sizes, word",
    [
        ([0, -1], [[0.5, 0.2], [0.1, 0.5]], [1, 1], "symmetric"),
        ([0, -1], [[0.5]], [1, 1], "2 by 2"),
        ([0, 2], [[0.5, 0.2], [0.2, 0.5]], [1, 1], "below 2"),
        ([0], [[0.5, 0.2], [0.2, 0.5]], [1, 1], "2 nodes"),
        ([0, -1], [[0.5, 0.2], [0.2, 0.5]], [2, 0], "positive"),
    ],
)
def test_bad_input_is_named(known, P, sizes, word):
    graph = Graph.from_edges([0], [1])
    with pytest.raises(LovaszError, match=word):
        bayes_labels(graph, np.array(known), probabilities=P, sizes=sizes)


def test_features_decide_where_edges_say_nothing():
    graph = planted_partition(6, 2, 0.5, 0.5, seed=0).graph
    evidence = np.log([[0.8, 0.2], [0.3, 0.7]] * 3)
    found = bayes_labels(
        graph, np.full(6, -1), probabilities=np.full((2, 2), 0.5), sizes=[3, 3], evidence=evidence
    )
    assert np.allclose(found.marginals, np.exp(evidence))
