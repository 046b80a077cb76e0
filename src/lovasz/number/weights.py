"""Node weights: what a caller gives, and the doubles that are computed with.

ϑ(G, w), ϑ′ and ϑ⁺ are maxima of wᵀx over a convex set with 0 ≤ x ≤ 1 (Grötschel, Lovász and
Schrijver 1981). So for v ≥ 0

    ϑ(G, v + w) − Σv ≤ ϑ(G, w) ≤ ϑ(G, v + w)    and    ϑ(G, s w) = s ϑ(G, w).

Hence weights may be multiplied by a power of two and rounded up, very small ones to a share of the
largest that no double notices. After that nothing that matters overflows or underflows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.base.rounding import round_down, round_up, up
from lovasz.base.text import pluralize, short_repr
from lovasz.graphs import Graph
from lovasz.graphs.labels import align_to_nodes
from lovasz.number.reduction.compose import shrink
from lovasz.number.result import Solution

EXPONENTS = 60
"""Weights are scaled if the exponent of the largest is beyond this in either direction."""
SMALLEST = 2.0**-100
"""Weights below this share of the largest are raised to it."""
TOTAL = 2.0**1023
"""The sum of the weights has to be below this, so that the bounds are finite doubles."""


@dataclass(frozen=True)
class NodeWeights:
    """Positive doubles that are at least the given weights over a power of two."""

    used: np.ndarray
    """One weight per node, in node order; all 1 if none are given."""
    exponent: int = 0
    """The power of two."""
    added: Fraction = Fraction(0)
    """At least the sum of ``used`` less the sum of the given weights over the power of two."""
    share: np.ndarray | None = None
    """√(given / used) of each node, at most 1, or None if all are 1."""

    def given_back(self, solution: Solution) -> Solution:
        """Return the solution for the given weights from that for ``used``.

        With S the shares and t K ⪰ √u√uᵀ for the weights u in use, K' = S K S + I − S² has
        t K' ⪰ √w√wᵀ, as in :mod:`.reduction.compose`. The evidence is that of ``used`` and is left
        out if the given weights are others.
        """
        if self.exponent == 0 and self.added == 0:
            return solution
        unit = Fraction(2) ** self.exponent
        lower = round_down((Fraction(solution.lower) - self.added) * unit)
        upper = round_up(Fraction(solution.upper) * unit)
        K = solution.kernel if self.share is None else shrink(solution.kernel, self.share)
        exact = None if solution.exact is None or self.added else solution.exact * unit
        proven = solution.proven
        return replace(
            solution, lower=max(lower, 0.0), upper=upper, kernel=K, exact=exact, evidence=None,
            proven=None if proven is None else round_up(Fraction(proven) * unit),
        )  # fmt: skip


def node_weights(graph: Graph, weights: Any) -> NodeWeights:
    """Return the weights in node order; they are all 1 if there are none.

    >>> node_weights(Graph.from_edges([0], [1]), [1, 3]).used
    array([1., 3.])
    """
    if weights is None:
        return NodeWeights(np.ones(graph.n))
    if isinstance(weights, dict):
        missing = [node for node in graph.nodes if node not in weights]
        unknown = [node for node in weights if node not in graph.positions]
        if missing or unknown:
            wrong = [f"node {short_repr(node)} has none; add it" for node in missing[:1]]
            wrong += [f"{short_repr(node)} is no node; leave it out" for node in unknown[:1]]
            count = pluralize(len(weights), "weight")
            raise LovaszError(f"{count} for {graph.n} nodes: {', and '.join(wrong)}")
        weights = [weights[node] for node in graph.nodes]
    weights = align_to_nodes(weights, graph.nodes)
    w = _as_doubles(weights)
    if w.shape != (graph.n,):
        raise LovaszError(f"weights of shape {w.shape} for {graph.n} nodes; give one per node")
    if not (np.isfinite(w).all() and (w > 0).all()):
        bad = w[~(np.isfinite(w) & (w > 0))][0]
        raise LovaszError(
            f"a weight is {bad}; weights must be positive numbers; "
            "leave out nodes with other weights"
        )
    if math.fsum((w / graph.n).tolist()) >= TOTAL / graph.n:
        raise LovaszError(
            f"the weights, of which the largest is {w.max()}, add up to more than {TOTAL:.1e}; "
            "divide them by a common factor"
        )
    return _within_range(*_rounded_up(weights, w))


def _as_doubles(weights: Any) -> np.ndarray:
    try:
        return np.array(weights, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise LovaszError(f"the weights are not numbers that doubles can hold: {error}") from None


def _rounded_up(given: Any, w: np.ndarray) -> tuple[np.ndarray, Fraction]:
    """Return the weights as doubles that are at least what is given, and the sum of what is added.

    ``w`` are the nearest doubles. Integers above 2⁵³, fractions and decimals may lie between two.
    """
    if isinstance(given, np.ndarray) and given.dtype.kind == "f" and given.itemsize <= w.itemsize:
        return w, Fraction(0)
    exact = [x.item() if hasattr(x, "item") else x for x in given]
    added = Fraction(0)
    for k, (value, nearest) in enumerate(zip(exact, w.tolist(), strict=True)):
        if value != nearest:  # Python compares numbers of different types exactly
            value = Fraction(value)
            w[k] = nearest if value <= nearest else up(nearest, 1)
            added += Fraction(float(w[k])) - value
    return w, added


def _within_range(w: np.ndarray, added: Fraction) -> NodeWeights:
    """Return the weights over a power of two, none of them below a share of the largest."""
    exponent = math.frexp(float(w.max()))[1]
    if abs(exponent) <= EXPONENTS:
        exponent = 0
    scaled, added = np.ldexp(w, -exponent), added / Fraction(2) ** exponent
    least = SMALLEST * float(scaled.max())
    small = scaled < least
    if not small.any():
        return NodeWeights(scaled, exponent, added)
    used = np.where(small, least, scaled)
    added += int(small.sum()) * Fraction(least)
    return NodeWeights(used, exponent, added, np.sqrt(scaled / used))
