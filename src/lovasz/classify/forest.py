"""A random forest: rules such as "x > 3 and z < 1", which no smooth function of the rows finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from lovasz.base.extras import needed_for
from lovasz.base.progress import Callback
from lovasz.classify.bench import Bench, Fitted, per_training_set
from lovasz.classify.problem import Problem

TREES = 100
"""Number of trees."""
DOUBT = 0.01
"""What is added to the share of the trees that vote for a class, so that its logarithm is
finite."""


@dataclass(frozen=True)
class ForestCandidate:
    """A random forest on the features (Breiman, 2001), that of scikit-learn.

    It is for measurements: in a bag of words a single column says too little. Where scikit-learn is
    not installed, none is tried.
    """

    reads_features: bool = True

    def suits(self, problem: Problem) -> bool:
        """Return whether features are a table or mostly not zero."""
        if problem.features is None:
            return False
        return problem.table is not None or not sparse.issparse(problem.features)

    def fit(self, bench: Bench, callback: Callback | None) -> Fitted:
        """Grow a forest for each part of the labels."""
        X = bench.problem.features

        def answer(known: np.ndarray) -> np.ndarray:
            return self.grow(bench.problem, known, bench.seed)(X)

        return Fitted(per_training_set(bench.parts, answer))

    def grow(self, problem: Problem, known: np.ndarray, seed: int) -> Callable[[Any], np.ndarray]:
        """Return a function of rows that gives (rows, classes) logits."""
        with needed_for("the random forest of this classifier"):
            from sklearn.ensemble import RandomForestClassifier
        model = RandomForestClassifier(TREES, random_state=seed)
        model.fit(with_short_indices(problem.features)[known], problem.codes[known])

        def logits(rows: Any) -> np.ndarray:
            votes = np.zeros((rows.shape[0], len(problem.classes)))
            votes[:, model.classes_] = model.predict_proba(with_short_indices(rows))
            return np.log(votes + DOUBT)

        return logits


def with_short_indices(rows: Any) -> Any:
    """Return rows whose indices, if they are sparse, have 32 bits, as scikit-learn wants them."""
    if not sparse.issparse(rows):
        return rows
    indices, indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    return sparse.csr_array((rows.data, indices, indptr), shape=rows.shape)
