"""Perfect matchings of a bipartite graph, and how well labels made from one can be known."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np

from lovasz.classify.splits import Split
from lovasz.graphs import Graph


def another_matching(graph: Graph, *, seed: int) -> np.ndarray:
    """The pair of each node in a perfect matching that does not depend on the labels.

    It is the cheapest matching for random costs. A search in the order of the node numbers would
    often find the planted matching, which those numbers give away.
    """
    from scipy.optimize import linear_sum_assignment

    half = graph.n // 2
    linked = graph.adjacency[:half, half:].toarray() != 0
    cost = np.where(linked, np.random.default_rng(seed).random(linked.shape), 10.0 * graph.n)
    _, partner = linear_sum_assignment(cost)
    pair = np.arange(graph.n)
    pair[half + partner] = np.arange(half)
    return pair


def knowable_accuracies(
    y: np.ndarray, pair: np.ndarray, splits: Sequence[Split]
) -> dict[str, float]:
    """Accuracy on test nodes, in per cent, of four rules that need no network.

    - "matched": copy the training label of the partner, or toss a coin if the partner has none.
    - "validated": the same, with the validation labels known too.
    - "majority": answer the class that is more frequent in training.
    - "rarer": on each side of the graph, answer the class that is less frequent in training. This
      is Bayes-optimal on K(n,n), because each side has n/2 nodes of each class.
    """
    told: dict[str, list[float]] = {"matched": [], "validated": [], "majority": [], "rarer": []}
    side = (np.arange(len(y)) >= len(y) // 2).astype(int)
    for split in splits:
        for name, known in (
            ("matched", split.train),
            ("validated", np.concatenate([split.train, split.validation])),
        ):
            seen = np.isin(pair[split.test], pair[known]).mean()
            told[name].append(seen + (1 - seen) / 2)
        counts = np.zeros((2, 2))
        np.add.at(counts, (side[split.train], y[split.train]), 1)
        usual = counts.sum(axis=0)
        told["majority"].append(_guess(usual[None].repeat(2, axis=0), side, y, split.test))
        told["rarer"].append(_guess(-counts, side, y, split.test))
    return {name: round(100 * float(np.mean(values)), 2) for name, values in told.items()}


def _guess(merit: np.ndarray, side: np.ndarray, y: np.ndarray, test: np.ndarray) -> float:
    """Accuracy of answering the class of highest merit on each side, or a coin on a tie."""
    mine, other = merit[side[test], y[test]], merit[side[test], 1 - y[test]]
    return float(np.where(mine == other, 0.5, mine > other).mean())


def accuracy_by_chance(n: int) -> dict[str, Any]:
    """How well the right side of K(n,n) can be labelled if all labels of the left are known.

    For each possible answer for the right side, the mean accuracy over all n! matchings is counted
    exactly; each matching is an optimal colouring of the complement. Any permutation of the right
    side is an automorphism of K(n,n), so no method can tell one matching from another.
    """
    left = [i % 2 for i in range(n)]
    labelings = [[left[i] for i in matching] for matching in permutations(range(n))]
    means = [
        Fraction(sum(a == b for right in labelings for a, b in zip(answer, right, strict=True)),
                 n * len(labelings))
        for answer in product((0, 1), repeat=n)
    ]  # fmt: skip
    return {
        "n": n,
        "matchings": len(labelings),
        "answers": len(means),
        "least": str(min(means)),
        "most": str(max(means)),
    }
