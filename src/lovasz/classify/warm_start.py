"""More labels for a fitted classifier: its networks go on from the weights that they have.

Without networks, as with ``fast``, everything is fitted afresh, which takes no longer.

The graph, its kernels and the features stay. Every run of every network goes on from its own
weights for a few epochs. A label that judged a run still judges it, and a new label judges a run
that has not seen it, so no label judges a network that it taught; the shares of the candidates,
their calibrations and the expected accuracy are as honest as those of a fresh fit. Nothing is
trained on given validation nodes: one that loses its label judges no more, and one that gets it
back is a fresh fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lovasz.base.progress import Callback
from lovasz.classify.calibration import FEWEST_TO_WEIGH
from lovasz.classify.keeping import fitted_problem
from lovasz.classify.parameters import check_parameters
from lovasz.classify.parts import Parts
from lovasz.graphs.labels import encode

if TYPE_CHECKING:
    from lovasz.classify.lcn import LCNClassifier
    from lovasz.nn import Settings

WARM_EPOCHS = 20
"""Largest number of epochs of a network that goes on from earlier weights."""
FRESH_FACTOR = 4.0
"""With more labels than this many times those of the last fresh fit, everything is fitted afresh:
the shares of the candidates and their epochs then belong to another problem."""


def add_labels(
    classifier: LCNClassifier, y: Any, callback: Callback | None = None
) -> LCNClassifier:
    """Return the classifier with the labels ``y`` in place of those that it had."""
    problem = fitted_problem(classifier, "partial_fit")
    check_parameters(classifier)
    classes, codes = encode(y, problem.graph)
    if np.array_equal(classes, problem.classes) and np.array_equal(codes, problem.codes):
        return classifier
    labelled = problem.with_labels(classes, codes)
    start, given = classifier._starts, classifier._validation
    earlier, kept = still_labelled(given, problem.codes), still_labelled(given, codes)
    count = int((codes >= 0).sum())
    grown = count > FRESH_FACTOR * classifier._labels_at_fit
    # Where nothing could be judged before, the shares of the candidates were a guess.
    guessed = len(classifier.blend_.shares) > 1 and not len(classifier.blend_.held_out)
    judged = guessed and earlier is None and count >= FEWEST_TO_WEIGH
    back = not set(_listed(kept)) <= set(_listed(earlier))
    if not start or grown or judged or back or not np.array_equal(classes, problem.classes):
        classifier.fit_problem(labelled, kept, callback=callback)
        classifier._validation = given  # a node without a label may have one again later
        return classifier
    before = classifier.parts_
    if earlier is not None:
        parts = keep_judges(before, codes)
    else:
        parts = deal_new_labels(before, problem.codes, codes, seed=classifier.seed_)
    return classifier._learn(labelled, parts, callback, start)


def still_labelled(validation: Any, codes: np.ndarray) -> np.ndarray | None:
    """Return the rows of the given validation nodes that have a label, or None if none has."""
    if validation is None:
        return None
    rows = np.asarray(validation)
    rows = np.flatnonzero(rows) if rows.dtype == bool else rows
    return rows[codes[rows] >= 0] if (codes[rows] >= 0).any() else None


def _listed(rows: np.ndarray | None) -> list[int]:
    return [] if rows is None else rows.tolist()


def warmed(settings: Settings) -> Settings:
    """Return the settings of a network that goes on from earlier weights."""
    return replace(settings, epochs=min(settings.epochs, WARM_EPOCHS))


def keep_judges(parts: Parts, codes: np.ndarray) -> Parts:
    """Return parts with the same judges; all other labels teach every run."""
    judges = [nodes[codes[nodes] >= 0] for _, nodes in parts.runs]
    return _with_judges(parts, codes, judges, outside=np.unique(np.concatenate(judges)))


def deal_new_labels(parts: Parts, before: np.ndarray, codes: np.ndarray, *, seed: int) -> Parts:
    """Deal new labels to the runs that have judges, class by class, to the run with the fewest.

    ``before`` and ``codes`` are the classes of all nodes before and now. A node that was labelled
    before and judged no run has taught all of them, and goes on doing so.

    >>> nothing = np.empty(0, dtype=int)
    >>> old = Parts([(np.array([0]), np.array([1])), (np.array([1]), np.array([0]))], [0, 1])
    >>> new = deal_new_labels(old, np.array([0, 0, -1, -1]), np.array([0, 0, 0, 0]), seed=0)
    >>> [sorted(judges.tolist()) for _, judges in new.runs]
    [[1, 2], [0, 3]]
    """
    rng = np.random.default_rng(seed)
    judged = [number for number, (_, nodes) in enumerate(parts.runs) if len(nodes)]
    fold = np.full(len(codes), -1)
    for number in judged:
        fold[parts.runs[number][1]] = number
    fold[codes < 0] = -1
    for code in np.unique(codes[codes >= 0]):
        members = np.flatnonzero(codes == code)
        new = rng.permutation(members[before[members] < 0])
        for node in new if len(members) > 1 and judged else []:
            counts = [int((fold[members] == number).sum()) for number in judged]
            fold[node] = judged[int(np.argmin(counts))]
        # Held out all at once, nothing could be learned about the class.
        if fold[members[0]] >= 0 and (fold[members] == fold[members[0]]).all():
            fold[members[0]] = -1
    judges = [
        np.flatnonzero(fold == number) if number in judged else np.empty(0, dtype=np.int64)
        for number in range(len(parts.runs))
    ]
    return _with_judges(parts, codes, judges)


def _with_judges(
    parts: Parts,
    codes: np.ndarray,
    judges: Sequence[np.ndarray],
    *,
    outside: np.ndarray | None = None,
) -> Parts:
    """Return parts whose runs learn from all labels but their judges, or but ``outside``.

    Runs that learn from the same nodes share one array, by which candidates recognise them.
    """
    labelled = np.flatnonzero(codes >= 0)
    shared: dict[bytes, np.ndarray] = {}
    runs = []
    for nodes in judges:
        train = np.setdiff1d(labelled, nodes if outside is None else outside)
        runs.append((shared.setdefault(train.tobytes(), train), nodes))
    return Parts(runs, parts.answering)
