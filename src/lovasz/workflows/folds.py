"""The delivered model beside GCN on the labels that were kept from both; nothing is trained."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lovasz.classify.calibration import FEWEST_TO_CALIBRATE
from lovasz.classify.lcn import LCNClassifier
from lovasz.classify.problem import Problem
from lovasz.pages.report import Method

if TYPE_CHECKING:
    from lovasz.nn import Training

RIVALS = {"gcn": "GCN", "spreading": "label spreading"}
"""Candidate -> its name in the comparison; the first that was tried is compared with."""


def compare_on_folds(problem: Problem, classifier: LCNClassifier) -> tuple[Method, ...]:
    """Return "lovasz", the answer of all candidates of "auto", and what it is compared with.

    That is GCN, or label spreading if no network was trained.

    The probabilities are those of ``classifier.blend_`` at its judging nodes: the runs that gave
    them did not learn from these nodes, and the weights of the candidates were fitted to others.
    Too few judging nodes give no methods.
    """
    blend = classifier.blend_
    few = len(blend.held_out) < FEWEST_TO_CALIBRATE
    rival = next((name for name in RIVALS if name in classifier.held_out_logits_), None)
    if few or rival is None:
        return ()
    said = blend.calibrations[rival](classifier.held_out_logits_[rival])
    is_gcn = classifier.network_ == "gcn"
    return (
        _as_method(
            "lovasz",
            blend.held_out,
            problem.codes,
            classifier,
            None if is_gcn else classifier.training_,
            network=classifier.network_ or "",
        ),
        _as_method(RIVALS[rival], said, problem.codes, classifier, classifier.gcn_training_),
    )


def fold_rows(classifier: LCNClassifier) -> dict[int, np.ndarray]:
    """Return the rows of the judging nodes of each run; runs that share theirs are one."""
    judges = classifier.blend_.judges
    found: dict[int, np.ndarray] = {}
    for run, (_, nodes) in enumerate(classifier.parts_.runs):
        rows = np.searchsorted(judges, nodes)
        if len(rows) and not any(np.array_equal(rows, other) for other in found.values()):
            found[run] = rows
    return found


def _as_method(
    name: str,
    probabilities: np.ndarray,
    codes: np.ndarray,
    classifier: LCNClassifier,
    training: Training | None,
    *,
    network: str = "",
) -> Method:
    """Return what the page shows of (judges, classes) probabilities at the judging nodes."""
    truth, answers = codes[classifier.blend_.judges], probabilities.argmax(axis=1)
    folds = fold_rows(classifier)
    runs = [*folds]
    nothing = np.empty((0, len(runs)))
    return Method(
        name=name,
        accuracy=np.array([(answers[rows] == truth[rows]).mean() for rows in folds.values()]),
        truth=truth,
        predicted=answers,
        confidence=probabilities.max(axis=1),
        train_loss=nothing if training is None else training.train_loss[:, runs],
        validation_loss=nothing if training is None else training.validation_loss[:, runs],
        validation_accuracy=nothing if training is None else training.validation_accuracy[:, runs],
        folds=True,
        network=network,
    )
