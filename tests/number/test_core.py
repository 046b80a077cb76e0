"""What the search for ϑ of a core does when a shared GPU is full."""

import networkx as nx
import numpy as np
import pytest
import torch

from lovasz.number import theta
from lovasz.number.core import _within_memory


def fail(problem):
    def solve():
        raise problem

    return solve


def test_memory_that_another_process_took_ends_one_solver_not_the_search():
    assert _within_memory(lambda: "pair", "cuda") == "pair"
    assert _within_memory(fail(torch.OutOfMemoryError("CUDA out of memory")), "cuda:0") is None
    with pytest.raises(RuntimeError, match="launch failure"):
        _within_memory(fail(RuntimeError("launch failure")), "cuda")
    with pytest.raises(torch.OutOfMemoryError):
        _within_memory(fail(torch.OutOfMemoryError("not on a GPU")), "cpu")


@pytest.mark.parametrize("weighted", [False, True])
def test_components_without_time_are_counted_together(weighted):
    graph = nx.disjoint_union_all([nx.cycle_graph(k) for k in (5, 7, 9, 5, 7)])
    w = np.random.default_rng(0).uniform(1, 2, graph.number_of_nodes()) if weighted else None
    full = theta(graph, weights=w)
    polls = iter(range(10**6))
    found = theta(graph, weights=w, stop=lambda: next(polls) > 1)
    assert found.lower <= full.upper and full.lower <= found.upper
    assert found.reduction["cores"] < full.reduction["cores"] and "clique cover" in found.method
    c = np.ones(33) if w is None else np.sqrt(w)
    K = found.kernel.toarray()
    assert np.linalg.eigvalsh(found.upper * K - np.outer(c, c))[0] > -1e-9 * found.upper
