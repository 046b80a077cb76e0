"""Families of small perfect and imperfect graphs on the nodes 0 … n−1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np

Graphs = Mapping[str, nx.Graph]
"""Name -> graph."""


def intervals(n: int, seed: int) -> nx.Graph:
    """n random intervals, adjacent if they intersect."""
    rng = np.random.default_rng(seed)
    start = rng.random(n)
    end = start + rng.exponential(0.15, n)
    return _graph(n, lambda i, j: start[i] <= end[j] and start[j] <= end[i])


def subtrees(n: int, seed: int) -> nx.Graph:
    """n random subtrees of a random tree, adjacent if they intersect: a chordal graph."""
    rng = np.random.default_rng(seed)
    tree = nx.Graph([(i, int(rng.integers(i))) for i in range(1, 2 * n)])
    ball = [
        set(nx.ego_graph(tree, int(rng.integers(2 * n)), radius=int(rng.integers(4))))
        for _ in range(n)
    ]
    return _graph(n, lambda i, j: bool(ball[i] & ball[j]))


def two_sided(n: int, p: float, seed: int) -> nx.Graph:
    """A random bipartite graph with n nodes per side and edge probability p."""
    linked = np.random.default_rng(seed).random((n, n)) < p
    return _graph(2 * n, lambda i, j: i < n <= j and bool(linked[i, j - n]))


def line(graph: nx.Graph) -> nx.Graph:
    """The line graph: the edges of ``graph``, adjacent if they share a node."""
    return nx.convert_node_labels_to_integers(nx.line_graph(graph))


def words(letters: int, length: int, distance: int) -> nx.Graph:
    """All words of a length, adjacent if they differ in at most ``distance`` places."""
    all_words = np.array(list(np.ndindex(*[letters] * length)))
    return _graph(len(all_words), lambda i, j: (all_words[i] != all_words[j]).sum() <= distance)


def kneser(n: int, k: int) -> nx.Graph:
    """The k-subsets of n elements, adjacent if disjoint; (5, 2) is Petersen's graph."""
    sets = [set(s) for s in combinations(range(n), k)]
    return _graph(len(sets), lambda i, j: not sets[i] & sets[j])


def paley(q: int) -> nx.Graph:
    """Residues modulo a prime q ≡ 1 (mod 4), adjacent if they differ by a square."""
    squares = {x * x % q for x in range(1, q)}
    return _graph(q, lambda i, j: (i - j) % q in squares)


def _graph(n: int, adjacent: Callable[[int, int], Any]) -> nx.Graph:
    graph = nx.empty_graph(n)
    graph.add_edges_from((i, j) for i, j in combinations(range(n), 2) if adjacent(i, j))
    return graph


def _caveman(cliques: int, size: int) -> nx.Graph:
    from lovasz.graphs.families import caveman

    return nx.from_scipy_sparse_array(caveman(cliques, size).graph.adjacency)


def _thinned(n: int, removed: int) -> nx.Graph:
    from lovasz.graphs.families import bipartite

    return nx.from_scipy_sparse_array(bipartite(n, removed, seed=0).graph.adjacency)


def gnp_half(n: int, seed: int = 0) -> nx.Graph:
    """A random graph G(n, ½)."""
    return nx.gnp_random_graph(n, 0.5, seed=seed)


PERFECT: dict[str, Callable[[], Graphs]] = {
    "complete": lambda: {f"K{n}": nx.complete_graph(n) for n in (5, 20)},
    "caveman": lambda: {f"caveman({c},{s})": _caveman(c, s) for c, s in ((5, 4), (6, 3), (10, 5))},
    "bipartite": lambda: {
        f"K(20,20) − {m} edges" if m else "K(20,20)": _thinned(20, m) for m in (0, 100, 200, 300)
    },
    "interval": lambda: {f"{n} intervals": intervals(n, n) for n in (20, 40, 60)},
    "chordal": lambda: {f"{n} subtrees of a tree": subtrees(n, n) for n in (20, 40, 60)},
    "complement of bipartite": lambda: {
        f"co-bipartite, {n}+{n}": nx.complement(two_sided(n, 0.5, n)) for n in (6, 10, 14)
    },
    "line graph of bipartite": lambda: {
        "L(K(4,4))": line(nx.complete_bipartite_graph(4, 4)),
        **{f"L(bipartite, {n}+{n})": line(two_sided(n, 0.5, n)) for n in (6, 9)},
    },
}
"""Family -> function that makes its graphs, for families of perfect graphs."""
IMPERFECT: dict[str, Callable[[], Graphs]] = {
    "odd cycle": lambda: {f"C{n}": nx.cycle_graph(n) for n in (5, 7, 9, 11)},
    "Kneser": lambda: {
        "Petersen = Kneser(5,2)": kneser(5, 2),
        "Kneser(6,2)": kneser(6, 2),
        "Kneser(7,3)": kneser(7, 3),
    },
    "Paley": lambda: {f"Paley {q}": paley(q) for q in (13, 17, 29)},
    "random": lambda: {f"G({n},½)": gnp_half(n) for n in (12, 20, 30, 40)},
    "Hamming": lambda: {
        "H(3,3): words that differ in one letter": words(3, 3, 1),
        "5 bits, distance ≤ 2": words(2, 5, 2),
    },
}
"""Family -> function that makes its graphs, for families that are not perfect."""
EDGE_TRANSITIVE = (
    "K5", "K20", "K(20,20)", "L(K(4,4))", "C5", "C7", "C9", "C11", "Petersen = Kneser(5,2)",
    "Kneser(6,2)", "Kneser(7,3)", "Paley 13", "Paley 17", "Paley 29",
    "H(3,3): words that differ in one letter",
)  # fmt: skip
"""Names of the graphs that are regular and edge-transitive."""
