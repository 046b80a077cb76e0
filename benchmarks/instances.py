"""Graphs of the ϑ benchmarks by name: ``gnp-200``, ``sbm-50``, ``paley-61``, ``hamming-9-8``.

Random graphs are drawn with the seed 1, so that each name stands for one graph.
"""

from __future__ import annotations

import networkx as nx
import numpy as np

from lovasz.graphs import Graph, as_graph
from lovasz.graphs.families import caveman, gnp, planted_partition

SEED = 1


def build(name: str) -> Graph:
    """The graph called ``name``: its family and numbers, joined by dashes."""
    family, *numbers = name.split("-")
    return FAMILIES[family](*map(int, numbers))


def paley(q: int) -> Graph:
    """Numbers modulo a prime q ≡ 1 (mod 4), joined when they differ by a square; ϑ = √q."""
    if q % 4 != 1 or any(q % p == 0 for p in range(2, int(q**0.5) + 1)):
        raise ValueError(f"q={q}; Paley graphs need a prime that is 1 modulo 4")
    square = np.zeros(q, dtype=bool)
    square[np.arange(1, q) ** 2 % q] = True
    points = np.arange(q)
    return as_graph(square[(points[:, None] - points) % q].astype(float))


def hamming(length: int, distance: int) -> Graph:
    """Binary words of ``length`` letters, joined at Hamming distance exactly ``distance``."""
    words = np.arange(2**length)
    between = np.bitwise_count(words[:, None] ^ words)
    return as_graph((between == distance).astype(float))


FAMILIES = {
    "cycle": lambda n: as_graph(nx.cycle_graph(n)),
    "petersen": lambda: as_graph(nx.petersen_graph()),
    "gnp": lambda n: gnp(n, 0.5, seed=SEED),
    "sbm": lambda n: planted_partition(n, 2, 0.7, 0.3, seed=SEED).graph,
    "sparse": lambda degree, n: gnp(n, degree / n, seed=SEED),
    "caveman": lambda cliques, size: caveman(cliques, size).graph,
    "hamming": hamming,
    "paley": paley,
}
