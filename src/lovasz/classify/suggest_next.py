"""Which nodes to label next, when a classifier has answered."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from lovasz.base.device import one_thread
from lovasz.base.text import pluralize
from lovasz.classify.design import choose_nodes
from lovasz.classify.problem import Problem
from lovasz.classify.suggest import allowed_rows, count_followers, find_rows, large_parts
from lovasz.classify.suggestions import Suggestion, Suggestions

HESITANT = 0.8
"""A model hesitates about a node if its largest probability is below this."""
LEAST_DOUBT = 0.05
"""Smallest weight of a node, because a model may be wrong where it is sure."""


def suggest_next(
    problem: Problem, probabilities: np.ndarray, k: int, *, exclude: Iterable[Hashable], seed: int
) -> Suggestions:
    """Return ``k`` unlabelled nodes whose labels would settle most of the doubt, with reasons.

    The method is that of :func:`lovasz.suggest`, with the doubt 1 − max_c P(c) of the model about
    each node as its weight and the given labels observed. A node is chosen because of the doubt
    about all nodes like it, so a lonely doubtful node comes after one that stands for many, and a
    batch does not repeat itself.
    """
    graph = problem.graph
    known = np.flatnonzero(problem.codes >= 0)
    allowed = allowed_rows(graph, k, known, find_rows(graph, exclude, "exclude"))
    Z = problem.node_vectors
    doubt = 1 - probabilities.max(axis=1)
    weights = np.where(problem.codes >= 0, 0.0, np.maximum(doubt, LEAST_DOUBT))
    with one_thread():
        chosen = choose_nodes(
            Z, weights, k, known=known, allowed=allowed,
            must_cover=large_parts(graph, k, known), seed=seed,
        )  # fmt: skip
    rows = [row for row, _ in chosen]
    stands_for, _ = count_followers(Z, known, rows)
    return Suggestions(
        [
            Suggestion(graph.nodes[row], _reason(problem, probabilities[row], row, many), score)
            for (row, score), many in zip(chosen, stands_for, strict=True)
        ]
    )


def _reason(problem: Problem, p: np.ndarray, row: int, many: int) -> str:
    """Say what the model thinks of a node, and what depends on it."""
    first, second = (int(code) for code in np.argsort(-p, kind="stable")[:2])
    names = [str(problem.classes[code]) for code in (first, second)]
    if p[first] < HESITANT:
        said = (
            f"the model hesitates between {names[0]} ({p[first]:.0%}) and {names[1]} "
            f"({p[second]:.0%})"
        )
    else:
        said = f"the model says {names[0]} ({p[first]:.0%})"
    A = problem.graph.adjacency
    neighbours = A.indices[A.indptr[row] : A.indptr[row + 1]]
    depending = int((problem.codes[neighbours] < 0).sum())
    if p[first] >= HESITANT and depending == len(neighbours):
        said += ", but no neighbour is labelled" if depending else ", but it has no neighbour"
    if many > depending:
        return f"{said}; a label also tells about {pluralize(many, 'node')} like it"
    if depending:
        return f"{said}; {pluralize(depending, 'neighbour')} depend{'s' * (depending == 1)} on it"
    return said if p[first] < HESITANT else f"{said}, and no other label is expected to tell more"
