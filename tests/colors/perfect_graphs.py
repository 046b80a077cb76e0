"""Random perfect graphs of four families, and their complements, on the nodes 0 … n−1."""

import networkx as nx
import numpy as np

from lovasz.reproduce.references.small_graphs import line, subtrees, two_sided


def comparability(n, seed):
    """Points of the plane or of space, adjacent where one is below the other in all."""
    rng = np.random.default_rng(seed)
    points = rng.random((n, int(rng.integers(2, 4))))
    below = (points[:, None] < points).all(axis=2)
    return nx.from_numpy_array((below | below.T).astype(int))


def co_bipartite(n, seed):
    rng = np.random.default_rng(seed)
    return nx.complement(two_sided(n // 2, rng.uniform(0.05, 0.95), seed))


def bipartite_lines(n, seed):
    """The line graph of n random edges between two sides."""
    rng = np.random.default_rng(seed)
    side = int(rng.uniform(1.05 * n**0.5 + 1, n / 3 + 4))
    cells = rng.permutation(side * side)[:n]
    return line(nx.Graph((int(c // side), side + int(c % side)) for c in cells))


FAMILIES = {
    "chordal": subtrees,
    "comparability": comparability,
    "co-bipartite": co_bipartite,
    "line of bipartite": bipartite_lines,
}
