"""Which labels teach and which judge, by the parameters of the classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lovasz.classify.candidates import ANSWERING, FAST_FOLDS, FOLDS, LARGE_EDGES, LARGE_FOLDS
from lovasz.classify.parts import Parts, deal_folds, share_validation
from lovasz.classify.problem import Problem
from lovasz.classify.splits import random_splits, split_off

if TYPE_CHECKING:
    from lovasz.classify.lcn import LCNClassifier


def deal_labels(classifier: LCNClassifier, problem: Problem, validation: Any) -> Parts:
    """Return the folds of the labels, or runs that the given validation nodes judge."""
    large, fast, seed = problem.graph.m > LARGE_EDGES, classifier.fast, classifier.seed_
    answering = 1 if large or fast else ANSWERING
    if validation is not None:
        split = split_off(problem.codes, np.asarray(validation))
        return share_validation(split, problem.codes, runs=answering + 1, seed=seed)
    folds = LARGE_FOLDS if large else FAST_FOLDS if fast else FOLDS
    return deal_folds(problem.codes, folds=folds, answering=answering, seed=seed)


def split_labels(classifier: LCNClassifier, problem: Problem, validation: Any) -> Parts:
    """Return the one run of a network on a named kernel."""
    if validation is not None:
        split = split_off(problem.codes, np.asarray(validation))
    else:
        held = classifier.validation_fraction
        shares, seed = (1 - held, held, 0.0), classifier.seed_
        split = random_splits(problem.codes, shares, 1, seed=seed, by_class=True)[0]
    return Parts([(split.train, split.validation)], [0])
