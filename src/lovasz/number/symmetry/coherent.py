"""Coherent configurations: pairs of nodes that no count of walks can tell apart.

The pairs are split into classes, equal pairs apart from others, such that the number of w with
(u, w) in one class and (w, v) in another depends only on the class of (u, v). Matrices that are
constant on the classes form an algebra, and some optimal X and K of ϑ lie in it: average over it.
If the automorphisms of the graph have few orbits on pairs, the classes are few, too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lovasz.base.memory import free_memory
from lovasz.graphs import Graph
from lovasz.number.symmetry.refinement import SEED, individualise, refine_colours

LEAST_NODES = 64
"""Graphs with fewer nodes are solved as fast without a search for symmetry."""
MOST_NODES = 4200
"""Largest number of nodes for which products of dense matrices cost little."""
MOST_CLASSES = 600
"""Largest number of classes that are used."""
SHARE = 1.6
"""Factor by which the colours seen from one node must be fewer than the nodes."""
PACE = 2.5e-10
"""Seconds per cube of the number of nodes that the search for classes takes on a slow core."""
ROUNDS = 12
"""Most products of matrices."""
BYTES_PER_PAIR = 64
"""Peak memory per pair of nodes: its class, its old class, two factors, their product, places."""
BITS = 20
"""Bits of the random weights of classes: sums of 4200 products are exact in doubles."""


@dataclass(frozen=True)
class Configuration:
    """The class of every pair of nodes."""

    classes: np.ndarray
    """(n, n) int32 numbers of classes, from 0."""
    count: int
    """Number of classes."""

    def representatives(self) -> tuple[np.ndarray, np.ndarray]:
        """Return one node of each cell, a class of equal pairs, and the sizes of the cells."""
        _, first, sizes = np.unique(np.diag(self.classes), return_index=True, return_counts=True)
        return first, sizes


def find_configuration(graph: Graph, w: np.ndarray, left: float = math.inf) -> Configuration | None:
    """Return the coherent configuration of a graph with node weights, or None if it is too fine.

    It is None, too, if ``left`` seconds would not suffice. Colours of nodes come first, which
    costs little: without symmetry nearly all nodes differ.
    """
    if not LEAST_NODES <= graph.n <= MOST_NODES or PACE * graph.n**3 > left:
        return None
    start = np.unique(w, return_inverse=True)[1]
    colours = refine_colours(graph, start)
    if SHARE * (colours.max() + 1) > graph.n:
        return None
    # The classes of pairs whose first node is the given one are at least as many as these colours.
    total = 0
    for node in np.unique(colours, return_index=True)[1].tolist():
        found = individualise(graph, colours, node)
        total += int(found.max()) + 1
        if total > MOST_CLASSES or SHARE * (found.max() + 1) > graph.n:
            return None
    if BYTES_PER_PAIR * graph.n**2 > free_memory():
        return None
    return _close(graph, colours)


def _close(graph: Graph, colours: np.ndarray) -> Configuration | None:
    """Split the classes of pairs by random sums over walks of two steps until none splits."""
    rng = np.random.default_rng(SEED)
    k = int(colours.max()) + 1
    classes = (colours[:, None] * k + colours).astype(np.int64) * 2
    i, j = graph.edges()
    classes[i, j] += 1
    classes[j, i] += 1
    np.fill_diagonal(classes, 2 * k * k + colours)
    rows = np.unique(colours, return_index=True)[1]
    classes, count = _number_values(classes, rows)
    for _ in range(ROUNDS):
        left, right = (rng.integers(1, 2**BITS, size=count).astype(np.float64) for _ in range(2))
        finer, larger = _number_values(left[classes] @ right[classes], rows)
        if larger > MOST_CLASSES:
            return None
        if larger <= count:
            return Configuration(classes, count)
        classes, count = finer, larger
    return None


def _number_values(matrix: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, int]:
    """Number the different entries of a matrix; most likely all of them occur in these rows."""
    values = np.unique(matrix[rows])
    place = np.searchsorted(values, matrix)
    np.minimum(place, len(values) - 1, out=place)
    if not np.array_equal(values[place], matrix):
        values = np.unique(matrix)
        place = np.searchsorted(values, matrix)
    return place.astype(np.int32), len(values)
