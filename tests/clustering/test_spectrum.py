"""The kernel behind the communities is orthonormal, and its cut counts as the theory says."""

import numpy as np
import scipy.linalg
from scipy import sparse

from lovasz.clustering.spectrum import ls_spectrum, weighting
from lovasz.graphs.families import planted_partition
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
