"""What α, ϑ and χ(Ḡ) say about whether a graph is perfect, and what they do not.

G is perfect if ω = χ in every induced subgraph; equivalently α = χ(Ḡ) in every one (Lovász
1972). So α(G) < χ(Ḡ), or a ϑ(G) that is no integer, proves that G is not perfect; the same for
Ḡ. Equality proves nothing: C5 with a leaf at each node has α = χ(Ḡ) = 5 and contains C5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from lovasz.colors.cover import solve
from lovasz.colors.direct import color
from lovasz.colors.search import Pair, Search
from lovasz.colors.wording import write_lower, write_upper
from lovasz.graphs import Graph, as_graph

CLASS_UP_TO = 3000
"""Nodes up to which the class of the complement is looked at."""


@dataclass(frozen=True)
class Evidence:
    """Proven bounds on the six numbers, and what follows."""

    alpha: tuple[int, int]
    theta: tuple[float, float]
    cover: tuple[int, int]
    """χ(Ḡ), the smallest clique cover."""
    omega: tuple[int, int]
    theta_complement: tuple[float, float]
    chi: tuple[int, int]
    perfect: bool | None
    """False and True are proven; None: the numbers do not tell."""
    reason: str
    """In a sentence."""


def is_perfect_evidence(graph: Any, **options: Any) -> Evidence:
    """What is known about whether the graph is perfect; options as in :func:`~lovasz.coloring`.

    False needs a gap between proven numbers. True comes from a class that is perfect (bipartite,
    chordal, or the complement of one), never from numbers that agree. A time limit is for each
    side, the graph and its complement.

    >>> import networkx as nx
    >>> is_perfect_evidence(nx.cycle_graph(5)).perfect
    False
    >>> is_perfect_evidence(nx.path_graph(5)).perfect
    True
    >>> wheel = nx.wheel_graph(6)  # C5 and a hub
    >>> is_perfect_evidence(wheel).reason
    'α(G) ≤ 2 < 3 ≤ χ(Ḡ), which no perfect graph has.'
    """
    graph = as_graph(graph, weights="drop")
    if graph.n == 0:
        none = (0, 0)
        return Evidence(none, (0.0, 0.0), none, none, (0.0, 0.0), none, True, "There are no nodes.")
    near = solve(graph, Search(cover=True, chosen=True, **options))
    far = color(graph, Search(cover=True, chosen=True, **options))
    perfect, reason = _judge(graph, near, far)
    return Evidence(*_numbers(near), *_numbers(far), perfect, reason)


def _numbers(pair: Pair) -> tuple[tuple[int, int], tuple[float, float], tuple[int, int]]:
    return (len(pair.chosen), pair.upper), pair.theta, (pair.lower, pair.size)


def _judge(graph: Graph, near: Pair, far: Pair) -> tuple[bool | None, str]:
    for pair, (set_, theta, cover) in (
        (near, ("α(G)", "ϑ(G)", "χ(Ḡ)")),
        (far, ("ω(G)", "ϑ(Ḡ)", "χ(G)")),
    ):
        if pair.upper < pair.lower:
            return (
                False,
                f"{set_} ≤ {pair.upper} < {pair.lower} ≤ {cover}, which no perfect graph has.",
            )
        low, high = pair.theta
        if math.floor(high) < low:
            return (
                False,
                f"{theta} is in [{write_lower(low)}, {write_upper(high)}], where there is no "
                "integer; it is one in perfect graphs.",
            )
    if (name := _perfect_class(graph)) is not None:
        return True, f"The graph is {name}, and all those are perfect."
    if near.size == len(near.chosen) and far.size == len(far.chosen):
        return (
            None,
            "α(G) = ϑ(G) = χ(Ḡ) and ω(G) = ϑ(Ḡ) = χ(G), as in perfect graphs; an "
            "induced subgraph may still break it.",
        )
    return None, "The proven bounds leave room for either; more effort may decide."


def _perfect_class(graph: Graph) -> str | None:
    """A class the graph belongs to, all of whose members are perfect."""
    import networkx as nx

    from lovasz.graphs.operations import complement_of

    sides: list[tuple[str, Graph]] = [("", graph)]
    if graph.n <= CLASS_UP_TO:
        sides.append(("the complement of ", complement_of(graph)))
    for prefix, one in sides:
        network = nx.from_scipy_sparse_array(one.adjacency)
        for name, test in (("bipartite", nx.is_bipartite), ("chordal", nx.is_chordal)):
            if test(network):
                return f"{prefix}a {name} graph" if prefix else name
    return None
