"""How many communities: the spectrum proposes, the evidence decides.

The spectrum counts what sticks out of the bulk; weak communities of a finite graph may not, and
local density that is no community may. So the search starts at the count of the spectrum and
walks, up and then down, while the evidence of :mod:`lovasz.clustering.posterior` grows by more
than one for each community, the price of the size it adds (Akaike 1974).
"""

from __future__ import annotations

from collections.abc import Callable

from lovasz.clustering.posterior import null_evidence
from lovasz.clustering.spectrum import WORK
from lovasz.graphs import Graph

PRICE = 1.0
"""Of a community, in units of log-probability."""
DOUBT = 1.5
"""By which any communities must beat none."""
MISSES, CLEAR = 2, 20.0
"""So many worse ones in a row end the search, and one that is worse by so much."""


def choose(graph: Graph, start: int, most: int, evidence: Callable[[int], float]) -> int:
    """The k of most evidence, from 1 to ``most``."""
    tried = {1: null_evidence(graph) + DOUBT}

    def score(k: int) -> float:
        if k not in tried:
            tried[k] = evidence(k) - PRICE * (k - 1)
        return tried[k]

    best = min(start, most)
    if graph.m * start <= WORK:
        for direction in (1, -1):
            best = _walk(score, best, most, direction)
    return max(1, best, key=score)


def _walk(score: Callable[[int], float], best: int, most: int, direction: int) -> int:
    """The best k in one direction, with steps that grow with it."""
    k, misses = best, 0
    while misses < MISSES:
        k += direction * max(1, k // 8)
        if not 1 <= k <= most or score(k) < score(best) - CLEAR:
            break
        if score(k) > score(best):
            best, misses = k, 0
        else:
            misses += 1
    return best
