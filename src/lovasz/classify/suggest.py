"""Which nodes to label first, when there are few labels or none."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from lovasz.base.checks import check_whole
from lovasz.base.device import one_thread
from lovasz.base.errors import LovaszError
from lovasz.base.text import pluralize, short_repr
from lovasz.classify.design import choose_nodes
from lovasz.classify.features import check_features, scale_features
from lovasz.classify.node_vectors import node_vectors
from lovasz.classify.suggestions import Suggestion, Suggestions
from lovasz.graphs import Graph, as_graph
from lovasz.graphs.operations import components
from lovasz.graphs.weight_sums import check_weight_sums

ALIKE = 0.5
"""Two nodes are alike if the cosine of their vectors is at least this."""


def suggest(
    graph: Any,
    k: int,
    *,
    features: Any = None,
    labelled: Iterable[Hashable] = (),
    exclude: Iterable[Hashable] = (),
    seed: int = 0,
) -> Suggestions:
    """Return ``k`` nodes whose labels would tell the most about all nodes, with reasons.

    No class is needed. Nodes in ``labelled`` have a label, or are about to get one: they are not
    suggested again, and neither are nodes that they tell much about. Nodes in ``exclude`` are not
    suggested, but still count among those to be told about. See :mod:`lovasz.classify.design`
    for the method; after a fit :meth:`lovasz.LCNClassifier.suggest` knows more.

    >>> two_triangles = [*zip("abccxyz", "bcaxyzx")]
    >>> chosen = suggest(two_triangles, 2)
    >>> [len({*chosen.nodes} & {*side}) for side in ("abc", "xyz")]
    [1, 1]
    """
    network = as_graph(graph)
    check_weight_sums(network)
    known = find_rows(network, labelled, "labelled")
    refused = find_rows(network, exclude, "exclude")
    allowed = allowed_rows(network, k, known, refused)
    table = scale_features(check_features(features, network.nodes), "auto")
    Z = node_vectors(network, table)
    with one_thread():
        chosen = choose_nodes(
            Z, np.ones(network.n), k, known=known, allowed=allowed,
            must_cover=large_parts(network, k, known), seed=check_whole(seed, "seed"),
        )  # fmt: skip
    rows = [row for row, _ in chosen]
    stands_for, nearest = count_followers(Z, known, rows)
    return Suggestions(
        [
            Suggestion(network.nodes[row], _reason(network, known, row, many, near), score)
            for (row, score), many, near in zip(chosen, stands_for, nearest, strict=True)
        ]
    )


def _reason(graph: Graph, known: np.ndarray, row: int, many: int, near: float) -> str:
    like = f"{pluralize(many, 'node')} like it" if many else "no other node is like it"
    if not len(known):
        return f"{like}, none of which is labelled" if many else like
    if near < ALIKE:
        return f"far from every labelled node, {like}"
    return f"labelled nodes are only somewhat like it, {like}"


def find_rows(graph: Graph, names: Iterable[Hashable], what: str) -> np.ndarray:
    """Return the ascending rows of nodes; an unknown name raises an error that says ``what``."""
    names = [names] if isinstance(names, str) else list(names)
    for name in names:
        if name not in graph.positions:
            raise LovaszError(
                f"{what} has {short_repr(name)}, which is not a node; check the spelling"
            )
    return np.unique(np.array([graph.positions[name] for name in names], dtype=np.int64))


def allowed_rows(graph: Graph, k: Any, *taken: np.ndarray) -> np.ndarray:
    """Return a mask of the nodes that may be suggested; raise if they are fewer than ``k``."""
    count = check_whole(k, "k", least=1)
    allowed = np.ones(graph.n, dtype=bool)
    for rows in taken:
        allowed[rows] = False
    left = int(allowed.sum())
    if not left:
        raise LovaszError(
            f"there is nothing left to suggest: all {pluralize(graph.n, 'node')} are labelled or "
            "excluded"
        )
    if count > left:
        raise LovaszError(
            f"k={count} is more than the {pluralize(left, 'node')} that can still be labelled; "
            f"ask for at most {left}"
        )
    return allowed


def large_parts(graph: Graph, k: int, known: np.ndarray) -> list[np.ndarray]:
    """Return the components without a label that have at least n/2k nodes, largest first."""
    parts = [part for part in components(graph) if 2 * k * len(part) >= graph.n]
    missing = [part for part in parts if not np.isin(known, part).any()]
    return sorted(missing, key=len, reverse=True)


def count_followers(
    Z: np.ndarray, known: np.ndarray, rows: list[int]
) -> tuple[list[int], list[float]]:
    """Return for each chosen row how many nodes are more alike to it than to any label before it.

    Nodes that are labelled, or chosen before it, do not count. The second list has the largest
    cosine with a labelled row, -1 if there is none.
    """
    best, open_ = np.full(len(Z), ALIKE), np.ones(len(Z), dtype=bool)
    counts = []
    for anchor in (*known.tolist(), *rows):
        alike = Z @ Z[anchor]
        open_[anchor] = False
        closer = alike > best
        counts.append(int((closer & open_).sum()))
        best[closer] = alike[closer]
    near = Z[rows] @ Z[known].T if len(known) else np.full((len(rows), 1), -1.0)
    return counts[len(known) :], near.max(axis=1).tolist()
