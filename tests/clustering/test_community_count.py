"""The evidence finds the planted number of communities."""

import numpy as np

from lovasz.clustering.community_count import choose_count
from lovasz.clustering.posterior import null_evidence, propagate_beliefs
from lovasz.graphs.families import planted_partition


def test_the_evidence_is_largest_at_the_planted_number():
    graph, _, _ = planted_partition(400, 4, 0.12, 0.02, seed=0)

    def evidence(k):
        start = np.random.default_rng(0).integers(k, size=400) if k != 4 else np.arange(400) // 100
        free = np.zeros(400, dtype=bool)
        return propagate_beliefs(graph, start, k, free, np.random.default_rng(1)).evidence

    assert choose_count(graph, 4, 8, evidence) == 4
    assert evidence(4) > null_evidence(graph) + 100
