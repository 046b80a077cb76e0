"""Positions for graphs of any size: springs whose repulsion is summed on a grid."""

from __future__ import annotations

import numpy as np
from scipy import fft, sparse

from lovasz.pages.layout import frame, spring

EXACT_NODES = 1000
"""Graphs of at most this many nodes get the springs that look at every pair."""
SMOOTHING = 60
"""Number of averaging steps over neighbours that make the starting positions."""
STEPS = (60, 40)
"""Number of steps of the springs, for small and for large graphs."""
CELLS_PER_SIDE = (128, 256)
"""Number of grid cells per side, for small and for large graphs."""
PULLING_EDGES = 500_000
"""Largest number of edges that pull; of more edges an evenly spaced part does."""
LARGE_NODES = 30_000
"""Graphs of more nodes than this are large: they get a finer grid and fewer steps."""


def arrange(adjacency: sparse.csr_array) -> np.ndarray:
    """Return (n, 2) positions in [-1, 1]² by springs; the time grows linearly with the graph.

    Up to ``EXACT_NODES`` nodes this is :func:`lovasz.pages.layout.spring`. Larger graphs start
    from two smooth vectors on the graph, made by repeated averaging over neighbours, which lays
    out the graph as a whole. The springs then work on the details: each step sums the repulsion
    of all nodes on a grid by two convolutions. The result is the same each time on one machine.
    """
    n = adjacency.shape[0]
    if n <= EXACT_NODES:
        return spring(adjacency) if n else np.zeros((0, 2))
    degrees = np.diff(adjacency.indptr)
    linked = np.flatnonzero(degrees > 0)
    position = np.zeros((n, 2))
    if linked.size:
        position[linked] = _settle(adjacency[linked][:, linked].tocsr())
    position[degrees == 0] = surround(position[linked], n - linked.size)
    return frame(position)


def _settle(adjacency: sparse.csr_array) -> np.ndarray:
    """Return (n, 2) positions of nodes that all have neighbours, with a mean spacing of about 1."""
    n = adjacency.shape[0]
    upper = sparse.triu(adjacency, k=1, format="coo")
    stride = -(-upper.nnz // PULLING_EDGES)  # of too many edges, every second or third one pulls
    ends = upper.row[::stride], upper.col[::stride]
    large = n > LARGE_NODES
    cells, steps = CELLS_PER_SIDE[large], STEPS[large]
    repulsion = _repulsion(cells)
    position = smooth_start(adjacency) * np.sqrt(n) / 2
    degrees = np.diff(adjacency.indptr)
    for step in range(steps):
        move = _push(position, repulsion, cells)
        move += _pull(position, ends, degrees)
        move -= 0.5 * position
        length = np.sqrt((move**2).sum(axis=1, keepdims=True)) + 1e-9
        heat = 0.04 * np.sqrt(n) * (1 - step / steps) ** 1.5 + 0.05
        position += move / length * np.minimum(length, heat)
    return _within(position)


def surround(position: np.ndarray, count: int) -> np.ndarray:
    """Return ``count`` points in a ring around the positions, about as dense as these are.

    Nodes without neighbours stand there. The points follow the spiral of a sunflower.
    """
    inner = 1.03 * float(np.sqrt((position**2).sum(axis=1)).max(initial=0)) + 1
    density = max(len(position), 1) / inner**2
    radius = np.sqrt(inner**2 + (np.arange(count) + 1) / density)
    angle = np.arange(count) * np.pi * (3 - np.sqrt(5))
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def smooth_start(adjacency: sparse.csr_array) -> np.ndarray:
    """Return (n, 2) starting positions of unit spread: neighbours start near each other.

    Random vectors are averaged over neighbours again and again, and kept free of their mean and
    of each other, which brings them towards the slowest eigenvectors of the random walk. Their
    values are then replaced by ranks, half and half, so that no part is crowded into a point.
    """
    n = adjacency.shape[0]
    degrees = np.diff(adjacency.indptr).astype(float)
    unweighted = adjacency.copy()
    unweighted.data = np.ones_like(unweighted.data)
    weight = (degrees + 1) / (degrees + 1).sum()
    vectors = np.random.default_rng(0).normal(size=(n, 2))
    for _ in range(SMOOTHING):
        vectors = (unweighted @ vectors + vectors) / (degrees + 1)[:, None]
        vectors -= weight @ vectors
        vectors[:, 0] /= np.sqrt(weight @ vectors[:, 0] ** 2) + 1e-300
        vectors[:, 1] -= (weight * vectors[:, 0]) @ vectors[:, 1] * vectors[:, 0]
        vectors[:, 1] /= np.sqrt(weight @ vectors[:, 1] ** 2) + 1e-300
    ranks = vectors.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
    even = (ranks + 0.5) / n * 2 - 1
    return np.asarray(np.clip(vectors, -2, 2) / 2 * 0.5 + even * 0.5)


def _repulsion(cells: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the transforms of both parts of the force d/|d|² between grid cells."""
    offset = np.concatenate([np.arange(cells), np.arange(-cells, 0)]).astype(np.float32)
    x, y = np.meshgrid(offset, offset, indexing="ij")
    square = x**2 + y**2
    square[0, 0] = 1
    return fft.rfft2(x / square), fft.rfft2(y / square)


def _push(position: np.ndarray, repulsion: tuple[np.ndarray, np.ndarray], cells: int) -> np.ndarray:
    """Return the force on each node by which all others push it away, read off the grid.

    A node counts at the four grid points around it, by its distance from them, and the force is
    read in the same way.
    """
    low = position.min(axis=0)
    width = max(float((position.max(axis=0) - low).max()), 1e-9) / (cells - 2)
    place = (position - low) / width
    corner = place.astype(np.int64)
    share = place - corner
    points, parts = [], []
    for dx in (0, 1):
        for dy in (0, 1):
            points.append((corner[:, 0] + dx) * cells + corner[:, 1] + dy)
            along = share[:, 0] if dx else 1 - share[:, 0]
            parts.append(along * (share[:, 1] if dy else 1 - share[:, 1]))
    mass = sum(
        np.bincount(point, part, cells * cells) for point, part in zip(points, parts, strict=True)
    )
    field = fft.rfft2(np.reshape(mass, (cells, cells)).astype(np.float32), (2 * cells, 2 * cells))
    force = np.zeros_like(position)
    for axis in (0, 1):
        spread = fft.irfft2(field * repulsion[axis])[:cells, :cells].ravel() / width
        force[:, axis] = sum(
            spread[point] * part for point, part in zip(points, parts, strict=True)
        )
    return force


def _pull(
    position: np.ndarray, ends: tuple[np.ndarray, np.ndarray], degrees: np.ndarray
) -> np.ndarray:
    """Return the force on each node by which its neighbours pull it, growing with d².

    The pull of an edge is shared out over the neighbours of its better connected end. A hub would
    otherwise draw all of its neighbours into one point.
    """
    i, j = ends
    pull = position[j] - position[i]
    pull *= np.sqrt((pull**2).sum(axis=1, keepdims=True))
    pull *= (8 / (8 + np.maximum(degrees[i], degrees[j])))[:, None]
    n = len(position)
    return np.stack([np.bincount(i, part, n) - np.bincount(j, part, n) for part in pull.T], axis=1)


def _within(position: np.ndarray) -> np.ndarray:
    """Bring the outermost nodes nearer, so that a few of them do not shrink all others."""
    centred = position - np.median(position, axis=0)
    distance = np.sqrt((centred**2).sum(axis=1, keepdims=True)) + 1e-9
    limit = 1.1 * float(np.quantile(distance, 0.99))
    outside = np.maximum(distance / limit, 1)
    return np.asarray(centred / distance * np.minimum(distance, limit) * (1 + np.log(outside) / 10))
