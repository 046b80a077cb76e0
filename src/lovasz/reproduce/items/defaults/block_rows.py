"""Random graphs with planted classes, and what the best possible method knows about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lovasz.graphs import Graph
from lovasz.graphs.families import sbm

QUICK_NODES = 120
"""Number of nodes of a block model in a quick run."""
COLUMNS = 10
"""Number of features of a block model with features."""


@dataclass(frozen=True)
class Planted:
    """A random graph, its classes, and the parameters that it was drawn with."""

    graph: Graph
    y: np.ndarray
    features: np.ndarray | None = None
    probabilities: np.ndarray | None = None
    """Edge probabilities by class, or None if they also depend on the nodes."""
    evidence: np.ndarray | None = None
    """(n, classes) log-likelihoods of the features, or None if there are none."""


@dataclass(frozen=True)
class BlockModel:
    """A block model with equal blocks, and Gaussian features if ``distance`` is given."""

    nodes: int
    blocks: int
    inside: float
    """Probability of an edge between two nodes of one block."""
    between: float
    """Probability of an edge between nodes of two blocks."""
    distance: float | None = None
    """Features are N(m_c, I) with means m_c of this norm; None for no features."""
    known: bool = True
    """Whether the best possible answer is known."""

    @property
    def featured(self) -> bool:
        """Whether there are features."""
        return self.distance is not None

    def __call__(self, seed: int, quick: bool) -> Planted:
        """Draw a graph; quick runs have few nodes and clearer blocks."""
        n, p, q = self.nodes, self.inside, self.between
        if quick:
            n, p, q = QUICK_NODES, (0.5, 0.2)[p < q], (0.2, 0.5)[p < q]
        rng = np.random.default_rng(seed)
        matrix = np.where(np.eye(self.blocks, dtype=bool), p, q)
        graph, y, _ = sbm(equal_sizes(n, self.blocks), matrix, seed=rng)
        if self.distance is None:
            return Planted(graph, y, None, matrix)
        means = rng.standard_normal((self.blocks, COLUMNS))
        means *= self.distance / np.linalg.norm(means, axis=1, keepdims=True)
        X = means[y] + rng.standard_normal((n, COLUMNS))
        evidence = -((X[:, None] - means) ** 2).sum(axis=2) / 2
        return Planted(graph, y, X, matrix, evidence)


@dataclass(frozen=True)
class DegreeCorrected:
    """A degree-corrected block model: P(i ~ j) = min(1, θ_i θ_j ω_{y_i y_j})."""

    sizes: Sequence[int]
    degree: float
    """The mean degree, except for pairs whose probability is cut at 1."""
    ratio: float
    """ω inside a block divided by ω between blocks."""
    spread: float = 0.8
    """Standard deviation of log θ."""
    featured: bool = False
    """Whether there are features."""
    known: bool = False
    """Whether the best possible answer is known."""

    def __call__(self, seed: int, quick: bool) -> Planted:
        """Draw a graph; quick runs have a fifth of the nodes, and at least two per block."""
        rng = np.random.default_rng(seed)
        sizes = [max(2, size // 5) for size in self.sizes] if quick else self.sizes
        y = np.repeat(np.arange(len(sizes)), sizes)
        theta = np.exp(self.spread * rng.standard_normal(len(y)))
        rate = np.outer(theta, theta) * np.where(y[:, None] == y, self.ratio, 1.0)
        np.fill_diagonal(rate, 0)
        rate *= self.degree * len(y) / rate.sum()
        source, target = np.nonzero(np.triu(rng.random(rate.shape) < rate, k=1))
        return Planted(Graph.from_edges(source, target, n=len(y)), y)


def equal_sizes(n: int, blocks: int) -> list[int]:
    """Sizes that are as equal as possible, the larger ones first."""
    return [n // blocks + (block < n % blocks) for block in range(blocks)]


def uneven_sizes(n: int, classes: int) -> list[int]:
    """Sizes that fall like 1 / (rank + 5), as those of the departments of an institution do.

    >>> sizes = uneven_sizes(1005, 42)
    >>> sum(sizes), max(sizes), min(sizes)
    (1005, 98, 9)
    """
    share = 1 / (np.arange(classes) + 6)
    sizes = np.maximum(2, (n * share / share.sum()).astype(int))
    sizes[0] += n - sizes.sum()
    return [int(size) for size in sizes]


SOCIAL = DegreeCorrected(uneven_sizes(1005, 42), degree=32, ratio=20)
"""A social graph with 42 groups of very different sizes."""
BLOCK_MODELS: dict[str, tuple[Callable[[int, bool], Planted], float]] = {
    "3 blocks .7/.6": (BlockModel(500, 3, 0.7, 0.6), 0.3),
    "2 blocks .5/.45": (BlockModel(500, 2, 0.5, 0.45), 0.3),
    "3 blocks, sparse": (BlockModel(1000, 3, 0.0118, 0.0016), 0.1),
    "3 blocks, degree-corrected": (DegreeCorrected(equal_sizes(600, 3), 12, 8), 0.06),
    "3 blocks, heterophilous": (BlockModel(600, 3, 0.04, 0.10), 0.1),
    "3 blocks with features": (BlockModel(500, 3, 0.04, 0.02, 1.2), 0.1),
    "3 blocks with features, heterophilous": (BlockModel(500, 3, 0.02, 0.045, 1.2), 0.1),
    "social 5 %": (SOCIAL, 0.05),
    "social 10 %": (SOCIAL, 0.1),
}
"""Row -> a function of seed and quick that draws a graph, and the share of labels."""


def bayes_probabilities(planted: Planted, train: np.ndarray) -> np.ndarray:
    """(n, classes) probabilities of belief propagation that knows the parameters."""
    from lovasz.base.errors import LovaszError
    from lovasz.reproduce.references.belief import bayes_labels

    known = np.full(len(planted.y), -1)
    known[train] = planted.y[train]
    arguments: dict[str, Any] = {
        "probabilities": planted.probabilities,
        "sizes": np.bincount(planted.y).tolist(),
        "evidence": planted.evidence,
    }
    found = bayes_labels(planted.graph, known, **arguments)
    if not found.converged:
        raise LovaszError(
            f"belief propagation still changes by {found.change:.1e} after {found.iterations} "
            "iterations, so its labels are not known to be optimal"
        )
    return found.marginals
