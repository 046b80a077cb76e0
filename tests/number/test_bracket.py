"""The best bounds of a core: only better ones are kept, whatever is offered."""

import networkx as nx
import numpy as np
import pytest

from lovasz import as_graph
from lovasz.number.bracket import Bracket
from lovasz.number.proofs.hoffman import hoffman
from lovasz.number.solvers.contract import Approximation


@pytest.fixture
def pentagon():
    graph = as_graph(nx.cycle_graph(5))
    return Bracket(graph, np.ones(5))


def test_counting_takes_the_larger_set_and_the_cover(pentagon):
    assert (pentagon.lower, pentagon.upper) == (1.0, np.inf)
    pentagon.count()
    assert (pentagon.lower, pentagon.upper) == (2.0, 3.0)
    assert len(pentagon.independent) == 2 and pentagon.cover is not None


def test_a_smaller_set_is_not_taken(pentagon):
    pentagon._take_set(np.array([0, 2]))
    pentagon._take_set(np.array([4]))
    assert pentagon.lower == 2 and pentagon.independent.tolist() == [0, 2]


def test_better_bounds_are_kept_and_worse_ones_are_not(pentagon):
    pentagon.count()
    best, _ = hoffman(pentagon.graph)
    pentagon.offer(best, "eigenvalues")
    lower, upper = pentagon.lower, pentagon.upper
    assert lower <= 5**0.5 <= upper and upper - lower < 1e-12 and pentagon.cover is None
    poor = Approximation(np.zeros(5), matrix=np.eye(5))  # proves 1 ≤ ϑ ≤ 5
    pentagon.offer(poor, "poor")
    assert (pentagon.lower, pentagon.upper) == (lower, upper)
    assert pentagon.method == "eigenvalues"
