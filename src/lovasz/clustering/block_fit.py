"""Whether a graph looks like a draw of the block model that was fitted to it.

In a block model edges are independent, given the classes. So two neighbours j and k of a node are
linked with the probability that any two nodes of their classes and further degrees have. In most
graphs from data they are linked far more often: friends of friends are friends for reasons that
classes do not know. Then the model is wrong, and its posterior too sure of itself. Where the number
is right, nothing can be much better than the posterior of the model.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lovasz.clustering.block_model import BlockPosterior
from lovasz.graphs import Graph
from lovasz.graphs.adjacency_lists import AdjacencyLists

WEDGES = 20_000
"""Number of pairs of neighbours that are drawn."""
TOLERATED = 0.2
"""Share of the expected number of linked pairs by which a fitting graph may differ."""
DEVIATIONS = 3.0
"""Number of standard deviations by which it may differ beyond that."""


@dataclass(frozen=True)
class Closure:
    """How many pairs of neighbours of a node are linked."""

    linked: int
    """Their number in the graph."""
    expected: float
    """Their expected number in the block model."""

    @property
    def fits(self) -> bool:
        """Whether the two agree. A triangle may be drawn three times, so it counts as one."""
        slack = TOLERATED * self.expected + DEVIATIONS * np.sqrt(3 * self.expected)
        return bool(self.expected > 0 and abs(self.linked - self.expected) <= slack)


def check_closure(graph: Graph, found: BlockPosterior, *, seed: int = 0) -> Closure:
    """Draw pairs of neighbours, and compare how many are linked with what the model expects.

    >>> from lovasz.clustering.block_model import block_posterior
    >>> from lovasz.graphs.families import sbm
    >>> graph, y, _ = sbm([100, 100], [[0.1, 0.02], [0.02, 0.1]], seed=0)
    >>> codes = np.where(np.arange(200) % 5 == 0, y, -1)
    >>> check_closure(graph, block_posterior(graph, codes, 2)).fits
    True
    """
    lists = AdjacencyLists(graph)
    indptr, indices = lists.indptr, lists.indices
    degrees = np.diff(indptr)
    wedges = degrees * (degrees - 1.0)
    if wedges.sum() == 0:
        return Closure(0, 0.0)
    rng = np.random.default_rng(seed)
    centre = rng.choice(graph.n, WEDGES, p=wedges / wedges.sum())
    first = rng.integers(0, degrees[centre])
    second = (first + rng.integers(1, degrees[centre])) % degrees[centre]
    j, k = indices[indptr[centre] + first], indices[indptr[centre] + second]
    # Each has one edge to the centre, which says nothing about the others.
    theta = (degrees - 1) / degrees.mean()
    rate = ((found.marginals[j] @ found.affinity) * found.marginals[k]).sum(axis=1)
    expected = np.minimum(theta[j] * theta[k] * rate, 1).sum()
    return Closure(int(np.count_nonzero(graph.adjacency[j, k])), float(expected))
