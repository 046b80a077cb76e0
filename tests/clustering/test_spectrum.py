"""The kernel behind the communities is orthonormal, and its cut counts as the theory says."""

import numpy as np
import scipy.linalg
from scipy import sparse

from lovasz.clustering.community_count import choose_count
from lovasz.clustering.posterior import null_evidence, propagate_beliefs
from lovasz.clustering.spectrum import ls_spectrum, weighting
from lovasz.graphs.families import gnp, planted_partition
from lovasz.linalg.eigenvalues import smallest_eigenvalue_depth


def test_the_kernel_is_in_the_family():
    graph = planted_partition(80, 2, 0.3, 0.05, seed=0).graph
    C, _ = weighting(graph)
    K = np.eye(80) + C.toarray() / smallest_eigenvalue_depth(C)
    assert scipy.linalg.eigvalsh(K)[0] > -1e-10
    assert (K[graph.adjacency.toarray() + np.eye(80) == 0] == 0).all()
    spectrum = ls_spectrum(graph, 5)
    assert np.allclose(spectrum.values, scipy.linalg.eigvalsh(K)[::-1][:5])


def test_a_sparse_graph_has_as_many_signals_as_its_bethe_hessian_negative_eigenvalues():
    graph = planted_partition(900, 3, 0.02, 0.002, seed=0).graph
    d = graph.degrees.astype(float)
    r2 = (d**2).sum() / d.sum() - 1
    H = sparse.diags_array(r2 - 1 + d) - np.sqrt(r2) * graph.adjacency
    negative = int((scipy.linalg.eigvalsh(H.toarray()) < 0).sum())
    assert ls_spectrum(graph, None).signals == negative == 3


def test_signals_below_and_above_the_threshold():
    """(c_in − c_out)² against q² c: a half of it and three times it; dense graphs alike."""
    for ratio, expected in ((0.5, 1), (3, 2)):
        gap = 2 * np.sqrt(ratio * 10)
        for seed in range(3):
            sparse_graph, _, _ = planted_partition(
                2000, 2, (10 + gap / 2) / 2000, (10 - gap / 2) / 2000, seed=seed
            )
            assert ls_spectrum(sparse_graph, None).signals == expected
            half = np.sqrt(ratio * 0.25 / 400)
            dense, _, _ = planted_partition(400, 2, 0.5 + half, 0.5 - half, seed=seed)
            assert ls_spectrum(dense, None).signals == expected


def test_the_evidence_is_largest_at_the_planted_number():
    graph, _, _ = planted_partition(400, 4, 0.12, 0.02, seed=0)

    def evidence(k):
        start = np.random.default_rng(0).integers(k, size=400) if k != 4 else np.arange(400) // 100
        free = np.zeros(400, dtype=bool)
        return propagate_beliefs(graph, start, k, free, np.random.default_rng(1)).evidence

    assert choose_count(graph, 4, 8, evidence) == 4
    assert evidence(4) > null_evidence(graph) + 100


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
