"""The number of communities: the spectrum proposes it, the evidence decides.

The spectrum counts the eigenvalues above the bulk. A weak community of a finite graph may have
none there, and a dense spot that is no community may have one. So the search starts at the count
of the spectrum and walks, first up and then down, while the evidence of
:mod:`lovasz.clustering.posterior` grows by more than one per community, which is the price of the
size parameter that it adds (Akaike 1974).
"""

from __future__ import annotations

from collections.abc import Callable

from lovasz.clustering.posterior import null_evidence
from lovasz.clustering.spectrum import WORK
from lovasz.graphs import Graph

PRICE = 1.0
"""Price of one community, in units of log-probability."""
DOUBT = 1.5
"""Log-probability by which several communities must beat a single one."""
MISSES = 2
"""Number of consecutive counts without improvement that ends a walk."""
CLEAR = 20.0
"""Log-probability by which one count must be worse than the best to end a walk at once."""


def choose_count(
    graph: Graph,
    start: int,
    most: int,
    evidence: Callable[[int], float],
    late: Callable[[], bool] = lambda: False,
) -> int:
    """The number k of communities with most evidence, from 1 to ``most``.

    Once ``late()`` is true, it is the best of those that were tried.
    """
    tried = {1: null_evidence(graph) + DOUBT}

    def score(k: int) -> float:
        if k not in tried:
            tried[k] = evidence(k) - PRICE * (k - 1)
        return tried[k]

    best = min(start, most)
    if graph.m * start <= WORK:
        for direction in (1, -1):
            best = _walk(score, best, most, direction, late)
    return max(1, best, key=score)


def _walk(
    score: Callable[[int], float],
    best: int,
    most: int,
    direction: int,
    late: Callable[[], bool],
) -> int:
    """The best k in one direction, with steps that grow with k."""
    k, misses = best, 0
    while misses < MISSES:
        k += direction * max(1, k // 8)
        if not 1 <= k <= most or late() or score(k) < score(best) - CLEAR:
            break
        if score(k) > score(best):
            best, misses = k, 0
        else:
            misses += 1
    return best
