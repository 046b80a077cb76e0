"""Random graphs with known labels, and symmetric graphs of any size.

Block models, cavemen, bipartite graphs and G(n, p) take ``seed``, an integer or a
:class:`numpy.random.Generator`. The same integer gives the same graph. Nodes are numbered block
by block. They return a :class:`Labelled` or a :class:`Graph`.

Hamming, Johnson, Kneser, Paley, circulant and Cayley graphs return a
:class:`~.symmetric_graph.SymmetricGraph`, which holds no edges; :func:`lovasz.theta` takes it as
it is, and its ``to_graph()`` writes the edges down.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from lovasz.base.checks import Seed, check_whole, random_generator
from lovasz.base.errors import LovaszError
from lovasz.graphs.graph import Graph
from lovasz.graphs.symmetric_families import (
    cayley,
    circulant,
    cycle,
    distance_regular,
    hamming,
    johnson,
    kneser,
    paley,
    z_channel,
)

__all__ = [
    "Labelled",
    "bipartite",
    "caveman",
    "cayley",
    "circulant",
    "contextual_sbm",
    "cycle",
    "distance_regular",
    "gnp",
    "hamming",
    "johnson",
    "kneser",
    "paley",
    "planted_partition",
    "sbm",
    "z_channel",
]


class Labelled(NamedTuple):
    """A random graph, the labels of its nodes, and their features if the model has any.

    >>> graph, y, features = planted_partition(6, 2, 1.0, 0.0, seed=0)
    >>> graph.m, y.tolist(), features
    (6, [0, 0, 0, 1, 1, 1], None)
    """

    graph: Graph
    y: np.ndarray
    """Code of the block, clique or colour of each node, from 0."""
    features: np.ndarray | None = None
    """One row per node, or None if the model has no features."""


def sbm(sizes: Sequence[int], probabilities: Any, *, seed: Seed) -> Labelled:
    """Stochastic block model: P(i ~ j) = ``probabilities[y_i, y_j]``, independently.

    ``sizes`` are the numbers of nodes of the blocks, and ``probabilities`` is a symmetric matrix.
    Time and memory grow with the numbers of nodes and edges, not with the number of pairs.

    >>> graph, y, _ = sbm([2, 3], [[1, 0], [0, 1]], seed=0)
    >>> graph, y.tolist()
    (Graph(n=5, m=4), [0, 0, 1, 1, 1])
    """
    if len(sizes) == 0:
        raise LovaszError("sizes is empty; pass the number of nodes of each block")
    blocks = np.array(
        [check_whole(size, f"sizes[{b}]") for b, size in enumerate(sizes)], dtype=np.int64
    )
    matrix = _probability_matrix(probabilities, blocks.size)
    rng = random_generator(seed)
    first, second = np.triu_indices(blocks.size)
    inside = blocks[first] * (blocks[first] - 1) // 2
    pairs = np.where(first == second, inside, blocks[first] * blocks[second])
    starts = np.cumsum(blocks) - blocks
    ends = [np.empty((2, 0), dtype=np.int64)]
    # All pairs of blocks with the same probability are one long sequence of coin tosses.
    values, group = np.unique(matrix[first, second], return_inverse=True)
    members = np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1])
    for p, alike in zip(values, members, strict=True):
        stops = np.cumsum(pairs[alike])
        tosses = _successes(int(stops[-1]), float(p), rng)
        which = np.searchsorted(stops, tosses, side="right")
        local = tosses - (stops - pairs[alike])[which]
        a, b = first[alike][which], second[alike][which]
        row, column = np.divmod(local, blocks[b])
        i, j = _unrank_pairs(local)
        same = a == b
        ends.append(starts[[a, b]] + np.where(same, [i, j], [row, column]))
    source, target = np.concatenate(ends, axis=1)
    graph = Graph.from_edges(source, target, n=int(blocks.sum()))
    return Labelled(graph, np.repeat(np.arange(blocks.size), blocks))


def planted_partition(n: int, k: int, p: float, q: float, *, seed: Seed) -> Labelled:
    """Block model of ``k`` blocks with probability ``p`` inside and ``q`` between blocks.

    The blocks are as equal as possible; the first n mod k have one node more.

    >>> planted_partition(7, 2, 1, 0, seed=0).y.tolist()
    [0, 0, 0, 0, 1, 1, 1]
    """
    n, k = check_whole(n, "n"), check_whole(k, "k", least=1)
    _probability(p, "p"), _probability(q, "q")
    sizes = np.full(k, n // k) + (np.arange(k) < n % k)
    return sbm(sizes.tolist(), np.where(np.eye(k, dtype=bool), p, q), seed=seed)


def gnp(n: int, p: float, *, seed: Seed) -> Graph:
    """Erdős–Rényi graph G(n, p): every pair is an edge with probability ``p``, independently.

    >>> gnp(4, 1, seed=0)
    Graph(n=4, m=6)
    """
    return sbm([check_whole(n, "n")], [[_probability(p, "p")]], seed=seed).graph


def contextual_sbm(
    n: int, *, average_degree: float, lam: float, mu: float, features: int, seed: Seed
) -> Labelled:
    """Contextual block model with two blocks v = ±1 (Deshpande, Montanari, Mossel, Sen 2018).

    The signs v are fair coins. With d = ``average_degree`` and p = ``features``::

        P(i ~ j) = (d + λ√d v_i v_j) / n
        b_i = √(μ/n) v_i u + z_i/√p,    u ~ N(0, I/p),  z_i ~ N(0, I)

    where v = 2y − 1, and b_i is row i of the features. For large n and p with n/p = γ, the
    blocks can be detected if and only if λ² + μ²/γ > 1.

    >>> graph, y, b = contextual_sbm(50, average_degree=5, lam=1, mu=1, features=8, seed=0)
    >>> graph.n, b.shape, sorted(set(y.tolist()))
    (50, (50, 8), [0, 1])
    """
    n, features = check_whole(n, "n", least=1), check_whole(features, "features", least=1)
    if not 0 <= average_degree < np.inf:
        raise LovaszError(f"average_degree={average_degree}; pass a number of at least 0")
    if not 0 <= mu < np.inf:
        raise LovaszError(f"mu={mu}; pass a number of at least 0")
    within = (average_degree + lam * sqrt(average_degree)) / n
    across = (average_degree - lam * sqrt(average_degree)) / n
    if not (0 <= within <= 1 and 0 <= across <= 1):
        raise LovaszError(
            f"lam={lam} with average_degree={average_degree} and n={n} gives edge probabilities "
            f"{within:.3g} and {across:.3g}; keep |lam| <= sqrt(average_degree) and n larger"
        )
    rng = random_generator(seed)
    ones = int(rng.binomial(n, 0.5))
    graph, y, _ = sbm([n - ones, ones], [[within, across], [across, within]], seed=rng)
    u = rng.standard_normal(features) / sqrt(features)
    noise = rng.standard_normal((n, features)) / sqrt(features)
    return Labelled(graph, y, sqrt(mu / n) * np.outer(2 * y - 1, u) + noise)


def caveman(cliques: int, size: int, *, seed: Seed | None = None) -> Labelled:
    """Connected caveman graph (Watts 1999): a ring of ``cliques`` cliques of ``size`` nodes.

    In each clique the edge between the first two nodes is removed, and the first node is joined
    to the last node of the preceding clique, as in networkx ``connected_caveman_graph``. ``y`` is
    the number of the clique. Without the removed edge, a clique takes two colours of an optimal
    colouring of the complement (ϑ = α = 2·``cliques`` for size > 2), so the paper's classes,
    which are halves of the colours, are not unions of cliques.

    Nothing is random unless ``seed`` is given, which shuffles the numbers of the nodes.

    >>> caveman(50, 10).graph
    Graph(n=500, m=2,250)
    """
    cliques, size = check_whole(cliques, "cliques", least=1), check_whole(size, "size", least=2)
    n = cliques * size
    starts = np.arange(0, n, size)
    i, j = np.triu_indices(size, k=1)
    # The first pair of a clique, (0, 1), is left out.
    source, target = ((starts[:, None] + ends[1:]).ravel() for ends in (i, j))
    if cliques > 1 or size == 2:  # a single larger clique already has this edge
        source = np.append(source, starts)
        target = np.append(target, (starts - 1) % n)
    number = np.arange(n) if seed is None else random_generator(seed).permutation(n)
    y = np.empty(n, dtype=np.int64)
    y[number] = np.repeat(np.arange(cliques), size)
    return Labelled(Graph.from_edges(number[source], number[target], n=n), y)


def bipartite(n: int, removed: int, *, seed: Seed) -> Labelled:
    """K(n, n) without ``removed`` random edges, none of them in the matching i — n + i.

    ``y`` is the number of the matched pair. The n pairs cover the graph by cliques. They are an
    optimal colouring of the complement with n colours, whatever is removed, and the colouring
    fraction falls from ½ to (n(n−1) − ``removed``) / (2n(n−1)). K(n, n) itself has n! such
    matchings, so labels made from this one cannot be inferred from the graph until enough edges
    are removed. For a fixed seed, edges removed at a smaller ``removed`` are also removed at a
    larger one.

    >>> graph, y, _ = bipartite(50, 250, seed=0)
    >>> graph, bool(graph.adjacency[3, 53]), int(y[3]), int(y[53])
    (Graph(n=100, m=2,250), True, 3, 3)
    """
    n, removed = check_whole(n, "n", least=1), check_whole(removed, "removed")
    if removed > n * (n - 1):
        raise LovaszError(
            f"removed={removed} is more than the n(n-1) = {n * (n - 1)} edges outside the "
            f"matching of K({n},{n}); remove fewer"
        )
    free = np.flatnonzero(~np.eye(n, dtype=bool))
    keep = np.ones(n * n, dtype=bool)
    keep[random_generator(seed).permutation(free)[:removed]] = False
    left, right = np.divmod(np.flatnonzero(keep), n)
    return Labelled(Graph.from_edges(left, n + right, n=2 * n), np.tile(np.arange(n), 2))


def _successes(tosses: int, p: float, rng: np.random.Generator) -> np.ndarray:
    """Return which of ``tosses`` coin tosses of probability ``p`` succeed, in order.

    The gaps between successes are geometric, so the time grows with the successes alone.
    """
    if p == 0 or tosses == 0:
        return np.empty(0, dtype=np.int64)
    found, last = [], -1
    while last < tosses - 1:
        expected = (tosses - last) * p
        gaps = rng.geometric(p, size=int(expected + 4 * sqrt(expected) + 16))
        # The cap changes no result; without it, the sum would overflow for tiny p.
        found.append(last + np.cumsum(np.minimum(gaps, tosses + 1)))
        last = int(found[-1][-1])
    hits = np.concatenate(found)
    return hits[: np.searchsorted(hits, tosses)]


def _unrank_pairs(rank: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pair i < j of each ``rank`` = j(j−1)/2 + i."""
    j = ((1 + np.sqrt(1 + 8 * rank.astype(np.float64))) / 2).astype(np.int64)
    j -= j * (j - 1) // 2 > rank  # the rounded square root makes j wrong by one at most
    j += j * (j + 1) // 2 <= rank
    return rank - j * (j - 1) // 2, j


def _probability(value: float, name: str) -> float:
    if not 0 <= value <= 1:
        raise LovaszError(f"{name}={value} is not a probability; pass a number between 0 and 1")
    return value


def _probability_matrix(probabilities: Any, blocks: int) -> np.ndarray:
    matrix = np.asarray(probabilities, dtype=np.float64)
    if matrix.shape != (blocks, blocks):
        raise LovaszError(
            f"probabilities have shape {matrix.shape} for {blocks} sizes; "
            f"pass a {blocks} by {blocks} matrix"
        )
    for a, b in np.argwhere(~((matrix >= 0) & (matrix <= 1)))[:1]:
        _probability(matrix[a, b], f"probabilities[{a}][{b}]")
    for a, b in np.argwhere(matrix != matrix.T)[:1]:
        raise LovaszError(
            f"probabilities[{a}][{b}]={matrix[a, b]} but probabilities[{b}][{a}]={matrix[b, a]}; "
            "pass a symmetric matrix"
        )
    return matrix
