"""Which nodes of a graph to draw, where to put them, and where to write their names."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from lovasz.graphs import Graph


def neighbourhood(graph: Graph, labelled: np.ndarray, limit: int) -> np.ndarray:
    """Return at most ``limit`` rows of a graph: balls grown around some of the labelled nodes.

    Nodes drawn at random from a large sparse graph have hardly an edge among them. Balls have
    edges, and balls around labelled nodes show what the network learned from. If they end early,
    as in small components, more balls are grown, around unlabelled nodes last.
    """
    if graph.n <= limit:
        return np.arange(graph.n)
    rng = np.random.default_rng(0)
    centres = np.concatenate([rng.permutation(labelled), rng.permutation(graph.n)])
    seen = np.zeros(graph.n, dtype=bool)
    rows = np.zeros(0, dtype=np.int64)
    batch = max(1, limit // 50)
    for start in range(0, centres.size, batch):
        frontier = _new(centres[start : start + batch], seen, limit - rows.size)
        while frontier.size:
            rows = np.concatenate([rows, frontier])
            near = [_neighbours(graph.adjacency, row) for row in frontier]
            frontier = _new(np.concatenate(near), seen, limit - rows.size)
        if rows.size >= limit:
            break
    return np.sort(rows)


def _new(rows: np.ndarray, seen: np.ndarray, limit: int) -> np.ndarray:
    """Return the first ``limit`` rows not seen before, each once, and mark them as seen."""
    rows = rows[~seen[rows]]
    _, first = np.unique(rows, return_index=True)
    rows = rows[np.sort(first)][: max(limit, 0)]
    seen[rows] = True
    return rows


def _neighbours(adjacency: sparse.csr_array, row: int) -> np.ndarray:
    return np.asarray(adjacency.indices[adjacency.indptr[row] : adjacency.indptr[row + 1]])


def spring(adjacency: sparse.csr_array) -> np.ndarray:
    """Return (n, 2) positions by the forces of Fruchterman and Reingold.

    The ideal distance is 1: every pair repels by 1/d, every edge attracts by d², and a weak
    pull to the centre keeps components together. The result is the same each time on one
    machine. Written as two matrix products in single precision, 100 steps on 1,200 nodes took
    0.8 s; networkx's ``spring_layout`` took four seconds.
    """
    n = adjacency.shape[0]
    if n == 1:
        return np.zeros((1, 2))
    upper = sparse.triu(adjacency, k=1, format="coo")
    i, j = upper.row, upper.col
    side = np.sqrt(n)
    iterations = 100 if n <= 500 else 75
    rng = np.random.default_rng(0)
    position = rng.uniform(-side / 2, side / 2, (n, 2)).astype(np.float32)
    for step in range(iterations):
        square = (position**2).sum(axis=1)
        # Σ_j (x_i − x_j)/|x_i − x_j|² = x_i Σ_j w_ij − Σ_j w_ij x_j; the diagonal cancels.
        weight = square[:, None] + square - 2 * (position @ position.T)
        np.reciprocal(np.maximum(weight, 0.01, out=weight), out=weight)
        move = position * weight.sum(axis=1, keepdims=True) - weight @ position
        pull = position[j] - position[i]
        pull *= np.sqrt((pull**2).sum(axis=1, keepdims=True))
        for axis in (0, 1):
            ends = np.bincount(i, pull[:, axis], n) - np.bincount(j, pull[:, axis], n)
            move[:, axis] += ends
        move -= 0.5 * position
        length = np.sqrt((move**2).sum(axis=1, keepdims=True)) + 1e-9
        heat = 0.1 * side * (1 - step / iterations)  # how far a node may move in this step
        position += move / length * np.minimum(length, heat)
    return frame(position)


def frame(position: np.ndarray) -> np.ndarray:
    """Turn positions to their long axis and stretch them, at most twofold, to [-1, 1]²."""
    centred = position - position.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    turned = centred @ axes.T
    low, high = turned.min(axis=0), turned.max(axis=0)
    half = np.maximum((high - low) / 2, 1e-9)
    return np.asarray((turned - (low + high) / 2) / np.maximum(half, half.max() / 2))


_SPOTS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
"""Directions from a node in which its name may stand, in order of preference."""


def place_names(
    position: np.ndarray, widths: np.ndarray, height: float, gap: float, side: float
) -> list[tuple[float, float]]:
    """Return the centres of the names of nodes, placed one by one to cover the fewest others.

    All lengths are in one unit; ``gap`` is the distance kept from the node and ``side`` the
    largest coordinate to write at. Of eight spots around a node, its name takes the one whose box
    meets the fewest nodes and names already placed. Nodes in crowded places choose first.
    """
    boxes: list[tuple[float, float, float]] = []
    places: dict[int, tuple[float, float]] = {}
    crowding = ((position[:, None] - position) ** 2).sum(axis=2)
    order = np.argsort(np.sort(crowding, axis=1)[:, : min(4, len(position))].sum(axis=1))
    for node in order:
        width = widths[node]
        best, least = (0.0, 0.0), np.inf
        for dx, dy in _SPOTS:
            x = position[node, 0] + dx * (width / 2 + gap * (0.7 if dy else 1))
            y = position[node, 1] + dy * (height / 2 + gap * (0.7 if dx else 1))
            off_x, off_y = np.abs(position - (x, y)).T
            cost = 2.0 * np.sum((off_x < width / 2 + gap) & (off_y < height / 2 + gap / 2))
            cost += 20.0 * (abs(x) + width / 2 > side)
            for a, b, w in boxes:
                overlap_x = (width + w) / 2 - abs(x - a)
                overlap_y = height - abs(y - b)
                if overlap_x > 0 and overlap_y > 0:
                    cost += 3 + overlap_x * overlap_y / height**2
            if cost < least:
                best, least = (x, y), cost
        boxes.append((*best, width))
        places[int(node)] = best
    return [places[node] for node in range(len(position))]
