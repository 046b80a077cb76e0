"""Belief propagation agrees with closed forms."""

import numpy as np

from lovasz.clustering.posterior import null_evidence, propagate_beliefs
from lovasz.graphs.families import gnp


def test_without_communities_the_evidence_is_the_null_one():
    """One community is no community: propagation must agree with the closed form."""
    graph = gnp(200, 0.05, seed=0)
    alone = propagate_beliefs(
        graph, np.zeros(200, dtype=int), 1, np.zeros(200, dtype=bool), np.random.default_rng(0)
    )
    assert abs(alone.evidence - null_evidence(graph)) < 0.1


def test_exact_posterior_of_a_tree():
    """Belief propagation is exact on trees; non-edges are weak in a sparse graph."""
    from lovasz.graphs import as_graph

    path = as_graph([(i, i + 1) for i in range(7)])
    known = np.zeros(8, dtype=bool)
    known[[0, 7]] = True
    start = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    found = propagate_beliefs(path, start, 2, known, np.random.default_rng(0)).marginals
    assert (found[0] == [1, 0]).all() and (found[7] == [0, 1]).all()
    assert np.allclose(found.sum(axis=1), 1)
    assert (found.argmax(axis=1) == start).all()
    assert (np.diff(found[:, 0]) <= 1e-6).all()  # ever less certain on the way
