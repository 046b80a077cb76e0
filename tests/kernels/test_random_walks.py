"""Random walks have the probabilities of their definition."""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

from lovasz.graphs import as_graph
from lovasz.kernels import random_walks as walks
from lovasz.kernels.random_walks import random_walks

# A triangle 0 1 2 with a tail 2 3 4, and weights in which every neighbour differs.
TAIL = [(0, 1, 1.0), (0, 2, 2.0), (1, 2, 3.0), (2, 3, 4.0), (3, 4, 5.0)]


def exact(A, p, q):
    """P(x | t, v) of every walk t, v, x, from the definition."""
    alpha = np.where(A > 0, 1.0, 1 / q)
    np.fill_diagonal(alpha, 1 / p)
    weight = (A > 0)[:, :, None] * A[None, :, :] * alpha[:, None, :]
    total = weight.sum(axis=2, keepdims=True)
    return np.divide(weight, total, out=np.zeros_like(weight), where=total > 0)


@pytest.mark.parametrize("tries", [0, walks.TRIES])
@pytest.mark.parametrize("weights", ["keep", "drop"])
@pytest.mark.parametrize("p, q", [(1.0, 1.0), (0.25, 4.0), (4.0, 0.25), (1e-3, 1e3)])
def test_second_steps_have_their_exact_probabilities(p, q, weights, tries, monkeypatch):
    """Counts within five standard deviations, by rejection and by weighing the neighbours."""
    if tries == 0:  # numba froze the constant: run the same code as Python
        monkeypatch.setattr(walks, "TRIES", 0)
        for name in ("_walk", "_biased", "_draw", "_alpha"):
            monkeypatch.setattr(walks, name, getattr(walks, name).function)
    graph = as_graph(TAIL, weights=weights)
    rng = np.random.default_rng(0)
    rounds = 60 if tries == 0 else 2000
    paths = random_walks(graph, walks=rounds, length=40, p=p, q=q, rng=rng)
    counts = np.zeros((5, 5, 5))
    np.add.at(counts, (paths[:, :-2], paths[:, 1:-1], paths[:, 2:]), 1)
    wanted = exact(graph.adjacency.toarray(), p, q)
    seen = counts.sum(axis=2, keepdims=True)
    slack = 5 * np.sqrt(seen * wanted * (1 - wanted)) + 1e-9
    assert (seen.ravel() > 0).sum() >= 8
    assert (np.abs(counts - seen * wanted) <= slack + 1).all()


@pytest.mark.parametrize("weights", ["keep", "drop"])
def test_first_steps_are_drawn_by_weight_and_every_node_starts_as_often(weights):
    graph = as_graph(TAIL, weights=weights)
    rng = np.random.default_rng(1)
    paths = random_walks(graph, walks=4000, length=2, p=1e-6, q=1e6, rng=rng)
    assert np.bincount(paths[:, 0]).tolist() == [4000] * 5
    counts = sparse.coo_array((np.ones(len(paths)), (paths[:, 0], paths[:, 1]))).toarray()
    A = graph.adjacency.toarray()
    share = A / A.sum(axis=1, keepdims=True)
    assert (np.abs(counts / 4000 - share) <= 5 * np.sqrt(share * (1 - share) / 4000)).all()


def test_walks_follow_edges():
    graph = as_graph(nx.karate_club_graph(), weights="drop")
    paths = random_walks(graph, walks=2, length=30, p=0.5, q=2, rng=np.random.default_rng(0))
    assert paths.shape == (68, 30)
    assert (graph.adjacency.toarray()[paths[:, :-1], paths[:, 1:]] == 1).all()
