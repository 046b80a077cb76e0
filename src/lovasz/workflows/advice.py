"""What a report says beyond the answers: the evidence for some of them, and what to label next."""

from __future__ import annotations

import time
from collections.abc import Collection, Hashable

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.classify.explanation import explainer_of, explanation_cards
from lovasz.classify.lcn import LCNClassifier
from lovasz.classify.problem import Problem
from lovasz.graphs.hypergraph import Expansion

SUGGESTED = 10
"""Number of nodes that a report suggests to label next."""
DOUBTFUL = 15
"""Number of unlabelled nodes with the least certain answers that have evidence."""
SURE = 20
"""Number of unlabelled nodes with the most certain answers that have evidence, shared evenly by the
classes."""
SUSPECTED = 10
"""Number of suspicious labels that have evidence."""
SECONDS = 2.0
"""CPU seconds after which no more evidence is collected."""
FAST_SECONDS = 0.5
"""The same for ``fast=True``."""
FAST_NODES = 1_000
"""With ``fast=True``, reports on more nodes have neither suggestions nor evidence, which would take
as long as the fit."""


def suggest_labels(problem: Problem, classifier: LCNClassifier) -> list[tuple[Hashable, str]]:
    """Return nodes to label next with reasons; fewer than ``SUGGESTED`` if few are left."""
    left = int((problem.codes < 0).sum())
    if not left or _is_hurried(problem, classifier):
        return []
    found = classifier.suggest(min(SUGGESTED, left))
    return [(item.node, item.reason) for item in found]


def word_forecast(classifier: LCNClassifier) -> str:
    """Say what more labels would bring; empty if too few labels could judge."""
    found = classifier.forecast()
    if found.now is None or not found.curve:
        return ""
    return f"{found.advice[0].upper()}{found.advice[1:]}."


def collect_evidence(
    problem: Problem, classifier: LCNClassifier, first: list[Hashable]
) -> dict[Hashable, list[str]]:
    """Return node -> the evidence for its answer, for the nodes that a reader asks about first.

    Those are the nodes of ``first``, the least certain answers, suspicious labels, and the most
    certain answers of each class. It ends after ``SECONDS`` of CPU time.
    """
    if _is_hurried(problem, classifier):
        return {}
    names = problem.graph.nodes
    rows = doubtful_rows(problem.codes, classifier.predict_proba())
    suspected = [node for node, *_ in classifier.suspicious_[:SUSPECTED]]
    sure = sure_rows(problem.codes, classifier.predict_proba())
    nodes = [*first, *(names[row] for row in rows), *suspected, *(names[row] for row in sure)]
    found: dict[Hashable, list[str]] = {}
    try:
        explainer_of(classifier)  # made once, and not counted
        limit = time.process_time() + (FAST_SECONDS if classifier.fast else SECONDS)
        for node, lines in explanation_cards(classifier, dict.fromkeys(nodes)):
            if lines:
                found[node] = lines
            if time.process_time() > limit:
                break
    except LovaszError:  # a kernel of low rank on many nodes has no entries to look at
        return {}
    return found


def _is_hurried(problem: Problem, classifier: LCNClassifier) -> bool:
    return bool(classifier.fast) and problem.graph.n > FAST_NODES


def doubtful_rows(codes: np.ndarray, P: np.ndarray) -> list[int]:
    """Return the unlabelled rows whose best class has the least probability, in that order."""
    rows = np.flatnonzero(codes < 0)
    order = np.argsort(P[rows].max(axis=1), kind="stable")
    return [int(row) for row in rows[order[:DOUBTFUL]]]


def sure_rows(codes: np.ndarray, P: np.ndarray) -> list[int]:
    """Return unlabelled rows with the most probable answers, one per class in turn.

    >>> sure_rows(np.array([-1, -1, -1, 0]), np.array([[0.9, 0.1], [0.8, 0.2], [0, 1], [1, 0]]))
    [0, 2, 1]
    """
    rows = np.flatnonzero(codes < 0)
    answer = P[rows].argmax(axis=1)
    order = np.lexsort((-P[rows].max(axis=1), answer))
    rows, answer = rows[order], answer[order]
    turn = np.arange(len(rows)) - np.searchsorted(answer, answer)
    return [int(row) for row in rows[np.lexsort((answer, turn))[:SURE]]]


def explaining_code(problem: Problem, explained: Collection[Hashable]) -> str:
    """Return Python code that explains a node without evidence, by the saved model.

    It is empty if every node has evidence, or the saved model lacks the hypergraph to explain by.
    """
    other = next((node for node in problem.graph.nodes if node not in explained), None)
    if other is None or isinstance(problem.graph, Expansion):
        return ""
    return f'print(lovasz.LCNClassifier.load("model").explain({other!r}))'
