"""Random graphs with known labels: block models, cavemen, bipartite graphs, G(n, p).

Every function takes ``seed``, an integer or a :class:`numpy.random.Generator`; the same integer
gives the same graph. Nodes are numbered block by block.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from operator import index
from typing import Any, NamedTuple

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.graphs.graph import Graph

Seed = int | np.random.Generator


class Labelled(NamedTuple):
    """A graph and what its model knows about the nodes."""

    graph: Graph
    y: np.ndarray
    """Code of the block, clique or colour of each node, from 0."""
    features: np.ndarray | None = None
    """One row a node, where the model has features."""


def sbm(sizes: Sequence[int], probabilities: Any, *, seed: Seed) -> Labelled:
    """Stochastic block model: P(i ~ j) = ``probabilities[y_i, y_j]``, independently.

    ``sizes`` are the numbers of nodes of the blocks and ``probabilities`` a symmetric matrix.
    Time and memory grow with the nodes and the edges, never with the pairs.

    >>> graph, y, _ = sbm([2, 3], [[1, 0], [0, 1]], seed=0)
    >>> graph, y.tolist()
    (Graph(n=5, m=4), [0, 0, 1, 1, 1])
    """
    if len(sizes) == 0:
        raise LovaszError("sizes is empty; pass the number of nodes of each block")
    blocks = np.array([_whole(size, f"sizes[{b}]") for b, size in enumerate(sizes)], dtype=np.int64)
    matrix = _probability_matrix(probabilities, blocks.size)
    rng = _generator(seed)
    first, second = np.triu_indices(blocks.size)
    inside = blocks[first] * (blocks[first] - 1) // 2
    pairs = np.where(first == second, inside, blocks[first] * blocks[second])
    starts = np.cumsum(blocks) - blocks
    ends = [np.empty((2, 0), dtype=np.int64)]
    # Pairs of blocks with one probability are one long row of coin tosses.
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
    """Block model of ``k`` blocks: probability ``p`` inside a block, ``q`` between two.

    The blocks are as equal as possible; the first n mod k have one node more.

    >>> planted_partition(7, 2, 1, 0, seed=0).y.tolist()
    [0, 0, 0, 0, 1, 1, 1]
    """
    n, k = _whole(n, "n"), _whole(k, "k", least=1)
    _probability(p, "p"), _probability(q, "q")
    sizes = np.full(k, n // k) + (np.arange(k) < n % k)
    return sbm(sizes.tolist(), np.where(np.eye(k, dtype=bool), p, q), seed=seed)


def gnp(n: int, p: float, *, seed: Seed) -> Graph:
    """Erdős–Rényi graph G(n, p): every pair is an edge with probability ``p``, independently.

    >>> gnp(4, 1, seed=0)
    Graph(n=4, m=6)
    """
    return sbm([_whole(n, "n")], [[_probability(p, "p")]], seed=seed).graph


def contextual_sbm(
    n: int, *, average_degree: float, lam: float, mu: float, features: int, seed: Seed
) -> Labelled:
    """Contextual block model (Deshpande, Montanari, Mossel, Sen 2018), two blocks v = ±1.

    The signs v are fair coins. With d = ``average_degree`` and p = ``features``::

        P(i ~ j) = (d + λ√d v_i v_j) / n
        b_i = √(μ/n) v_i u + z_i/√p,    u ~ N(0, I/p),  z_i ~ N(0, I)

    v = 2y − 1, row i of the features is b_i. Blocks can be found at all, for n and p large
    with n/p = γ, just when λ² + μ²/γ > 1.

    >>> graph, y, b = contextual_sbm(50, average_degree=5, lam=1, mu=1, features=8, seed=0)
    >>> graph.n, b.shape, sorted(set(y.tolist()))
    (50, (50, 8), [0, 1])
    """
    n, features = _whole(n, "n", least=1), _whole(features, "features", least=1)
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
    rng = _generator(seed)
    ones = int(rng.binomial(n, 0.5))
    graph, y, _ = sbm([n - ones, ones], [[within, across], [across, within]], seed=rng)
    u = rng.standard_normal(features) / sqrt(features)
    noise = rng.standard_normal((n, features)) / sqrt(features)
    return Labelled(graph, y, sqrt(mu / n) * np.outer(2 * y - 1, u) + noise)


def caveman(cliques: int, size: int, *, seed: Seed | None = None) -> Labelled:
    """Connected caveman graph (Watts 1999): a ring of ``cliques`` cliques of ``size`` nodes.

    From each clique the edge of its first two nodes is taken out and the first node is joined
    to the last of the clique before; the same graph as networkx ``connected_caveman_graph``.
    ``y`` is the clique. The taken-out edge makes the clique two colours of an optimal colouring
    of the complement (for size > 2, ϑ = α = 2·``cliques``), so the paper's classes, halves of
    the colours, are not unions of cliques.

    Nothing is random unless ``seed`` is given: it shuffles the numbers of the nodes.

    >>> caveman(50, 10).graph
    Graph(n=500, m=2,250)
    """
    cliques, size = _whole(cliques, "cliques", least=1), _whole(size, "size", least=2)
    n = cliques * size
    starts = np.arange(0, n, size)
    i, j = np.triu_indices(size, k=1)
    source, target = ((starts[:, None] + ends[1:]).ravel() for ends in (i, j))  # [0] is (0, 1)
    if cliques > 1 or size == 2:  # one clique alone already has its link
        source = np.append(source, starts)
        target = np.append(target, (starts - 1) % n)
    number = np.arange(n) if seed is None else _generator(seed).permutation(n)
    y = np.empty(n, dtype=np.int64)
    y[number] = np.repeat(np.arange(cliques), size)
    return Labelled(Graph.from_edges(number[source], number[target], n=n), y)


def bipartite(n: int, removed: int, *, seed: Seed) -> Labelled:
    """K(n, n) without ``removed`` random edges, none of them in the matching i — n + i.

    ``y`` is the matched pair. The n pairs cover the graph by cliques, which is an optimal
    colouring of the complement with n colours, and it stays optimal whatever is removed; the
    colouring fraction falls from ½ to (n(n−1) − ``removed``) / (2n(n−1)). K(n, n) itself has n!
    such matchings: labels made from this one cannot be told from the graph until enough edges
    are gone. With one seed, the edges missing at a smaller ``removed`` are also missing at a
    larger one.

    >>> graph, y, _ = bipartite(50, 250, seed=0)
    >>> graph, bool(graph.adjacency[3, 53]), int(y[3]), int(y[53])
    (Graph(n=100, m=2,250), True, 3, 3)
    """
    n, removed = _whole(n, "n", least=1), _whole(removed, "removed")
    if removed > n * (n - 1):
        raise LovaszError(
            f"removed={removed} is more than the n(n-1) = {n * (n - 1)} edges outside the "
            f"matching of K({n},{n}); remove fewer"
        )
    free = np.flatnonzero(~np.eye(n, dtype=bool))
    keep = np.ones(n * n, dtype=bool)
    keep[_generator(seed).permutation(free)[:removed]] = False
    left, right = np.divmod(np.flatnonzero(keep), n)
    return Labelled(Graph.from_edges(left, n + right, n=2 * n), np.tile(np.arange(n), 2))


def _successes(tosses: int, p: float, rng: np.random.Generator) -> np.ndarray:
    """Which of ``tosses`` coins of probability ``p`` fall on 1, in order.

    The gaps between successes are geometric, so the work is that of the successes alone.
    """
    if p == 0 or tosses == 0:
        return np.empty(0, dtype=np.int64)
    found, last = [], -1
    while last < tosses - 1:
        expected = (tosses - last) * p
        gaps = rng.geometric(p, size=int(expected + 4 * sqrt(expected) + 16))
        # Every gap past the end is alike; without the cap, tiny p would overflow the sum.
        found.append(last + np.cumsum(np.minimum(gaps, tosses + 1)))
        last = int(found[-1][-1])
    hits = np.concatenate(found)
    return hits[: np.searchsorted(hits, tosses)]


def _unrank_pairs(rank: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pair i < j of each ``rank`` = j(j−1)/2 + i."""
    j = ((1 + np.sqrt(1 + 8 * rank.astype(np.float64))) / 2).astype(np.int64)
    j -= j * (j - 1) // 2 > rank  # the square root is rounded: off by one at most
    j += j * (j + 1) // 2 <= rank
    return rank - j * (j - 1) // 2, j


def _generator(seed: Seed) -> np.random.Generator:
    if not isinstance(seed, np.random.Generator):
        seed = _whole(seed, "seed")
    return np.random.default_rng(seed)


def _whole(value: Any, name: str, *, least: int = 0) -> int:
    try:
        number = index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise LovaszError(f"{name}={value!r}; pass a whole number of at least {least}")
    return number


def _probability(value: float, name: str) -> float:
    if not 0 <= value <= 1:
        raise LovaszError(f"{name}={value} is no probability; pass a number between 0 and 1")
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
