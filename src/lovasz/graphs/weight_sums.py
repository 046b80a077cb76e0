"""Edge weights that are too large or too small to be added, multiplied and inverted."""

from __future__ import annotations

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.graphs.graph import Graph

LARGEST_SUM = 1e300
"""Bound on the sum of the absolute weights at all nodes."""
SMALLEST_SUM = 1e-300
"""Least sum of the absolute weights at a node that has an edge."""


def check_weight_sums(graph: Graph) -> None:
    """Raise if degrees, counted by weights, or their inverses leave the range of doubles.

    >>> check_weight_sums(Graph.from_edges([0, 1], [1, 2], weights=[1e299, -0.5]))
    """
    if not graph.weighted:
        return
    with np.errstate(over="ignore"):
        sums = np.asarray(abs(graph.adjacency).sum(axis=1)).ravel()
        large = not sums.sum() < LARGEST_SUM
    small = (sums < SMALLEST_SUM) & (graph.degrees > 0)
    if large or small.any():
        row = int(sums.argmax() if large else small.argmax())
        raise LovaszError(
            f"the weights at node {graph.nodes[row]!r} add up to {sums[row]:g}; scale all weights, "
            f"so that such a sum is at least {SMALLEST_SUM:g} and that of all nodes below "
            f"{LARGEST_SUM:g}"
        )
