"""What α, ϑ and χ(Ḡ) prove about whether a graph is perfect, and what they leave open.

G is perfect if ω = χ in every induced subgraph; equivalently α = χ(Ḡ) in every one (Lovász
1972). So α(G) < χ(Ḡ), or a ϑ(G) that is not an integer, proves that G is not perfect, and so do
the same facts about Ḡ. Equality proves nothing: C5 with a leaf at each node has α = χ(Ḡ) = 5 and
contains C5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Unpack

from lovasz.colors.cover import cover_graph
from lovasz.colors.direct_coloring import color_graph
from lovasz.colors.proof_sentences import write_lower, write_upper
from lovasz.colors.search_control import SearchControl, SearchOptions
from lovasz.colors.set_and_cover import SetAndCover
from lovasz.graphs import Graph, as_graph

CLASS_UP_TO = 3000
"""Number of nodes up to which it is tested whether the complement is bipartite or chordal."""


@dataclass(frozen=True)
class Evidence:
    """Proven bounds on six numbers of a graph, and what follows about its perfection.

    >>> found = is_perfect_evidence([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)])  # the 5-cycle
    >>> found.alpha, found.cover, found.perfect
    ((2, 2), (3, 3), False)
    """

    alpha: tuple[int, int]
    """Bounds on α(G), the size of the largest independent set."""
    theta: tuple[float, float]
    """Bounds on ϑ(G)."""
    cover: tuple[int, int]
    """Bounds on χ(Ḡ), the size of the smallest clique cover."""
    omega: tuple[int, int]
    """Bounds on ω(G), the size of the largest clique."""
    theta_complement: tuple[float, float]
    """Bounds on ϑ(Ḡ)."""
    chi: tuple[int, int]
    """Bounds on χ(G), the least number of colours."""
    perfect: bool | None
    """Whether the graph is perfect, if that is proven, or None if it is open."""
    reason: str
    """A sentence that says why."""


def is_perfect_evidence(graph: Any, **options: Unpack[SearchOptions]) -> Evidence:
    """What is proven about whether the graph is perfect; options as in :func:`~lovasz.coloring`.

    ``perfect`` is False if there is a gap between proven numbers. It is True if the graph belongs
    to a class of perfect graphs (bipartite, chordal, or the complement of one), never because
    numbers agree. A time limit holds for the graph and for its complement separately.

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
    near = cover_graph(graph, SearchControl(cover=True, chosen=True, **options))
    far = color_graph(graph, SearchControl(cover=True, chosen=True, **options))
    perfect, reason = _judge(graph, near, far)
    return Evidence(*_numbers(near), *_numbers(far), perfect, reason)


def _numbers(pair: SetAndCover) -> tuple[tuple[int, int], tuple[float, float], tuple[int, int]]:
    return (len(pair.chosen), pair.upper), pair.theta, (pair.lower, pair.size)


def _judge(graph: Graph, near: SetAndCover, far: SetAndCover) -> tuple[bool | None, str]:
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
                f"{theta} is in [{write_lower(low)}, {write_upper(high)}], which contains no "
                "integer; in perfect graphs it is an integer.",
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
