"""What the estimators share: reading a labelling problem, and answers by node."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
from scipy import sparse

from lovasz.base.command import is_command
from lovasz.base.errors import LovaszError
from lovasz.classify.features import scale_table
from lovasz.classify.problem import Problem, make_problem
from lovasz.graphs import as_graph
from lovasz.graphs.graph import Node
from lovasz.graphs.labels import encode, list_labels
from lovasz.graphs.similarity import similarity_graph

try:
    # Its import takes as long as everything else that the command does with a small graph.
    if is_command():
        raise ImportError
    from sklearn.base import BaseEstimator, ClassifierMixin
except ImportError:
    # Machines that only train, such as GPU nodes, may have no scikit-learn: training does not need
    # it, only clone, GridSearchCV and the like do.
    class BaseEstimator:  # type: ignore[no-redef]
        """Stands in for scikit-learn's class."""

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """Return the parameters by name, as they were given to the constructor."""
            return {name: getattr(self, name) for name in signature(type(self)).parameters}

    class ClassifierMixin:  # type: ignore[no-redef]
        """Stands in for scikit-learn's class."""


AFFINITIES = ("precomputed", "rbf", "cosine", "knn")
"""What ``affinity`` may be: the graph is given, or how one is made of a feature table."""


class NodeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """An estimator that is fitted on a whole graph and answers for its nodes.

    ``fit`` takes a graph, or a feature table if ``affinity`` says how to make a graph of it.
    For scikit-learn's cross-validation pass a :class:`lovasz.Graph` (``as_graph(anything)``):
    a fold then hides labels and keeps all nodes, as learning from few labels needs.
    """

    affinity: str
    affinity_options: dict[str, Any] | None
    predict: Any
    _table: np.ndarray | None
    """The feature table that the graph was made of, or None if a graph was given."""

    def _read(
        self,
        X: Any,
        y: Any,
        features: Any = None,
        scale: str | None = None,
        *,
        as_features: bool = False,
    ) -> Problem:
        """Return the problem that a caller of ``fit`` gave.

        ``as_features`` makes a feature table the features of its graph, too.
        """
        if self.affinity not in AFFINITIES:
            raise LovaszError(f"unknown affinity {self.affinity!r}; known: {', '.join(AFFINITIES)}")
        rows = table = None
        if is_fold(X):
            graph, rows = X[0].graph, np.array([node.row for node in X])
        elif self.affinity == "precomputed":
            if sparse.issparse(X) and X.shape[0] != X.shape[1]:
                raise LovaszError(
                    f"a graph of shape {X.shape} is not square; under cross-validation pass "
                    "lovasz.as_graph(X), so that a fold keeps the graph whole"
                )
            graph = as_graph(X)
        else:
            table = np.asarray(X, dtype=np.float64)
            scaled = scale_table(table, None, scale)
            graph = similarity_graph(scaled, self.affinity, **(self.affinity_options or {}))
            if features is None and as_features:
                features, scale = scaled, None
        classes, codes = encode(y, graph, rows)
        return make_problem(graph, classes, codes, features, scale, table)

    def _remember(self, problem: Problem) -> None:
        """Set the attributes that every fitted estimator has."""
        self.classes_, self.nodes_ = problem.classes, problem.graph.nodes
        self._table = problem.table

    def _answer(self, values: np.ndarray, X: Any) -> np.ndarray:
        """Return the ``values`` of all nodes, or of the nodes of a fold."""
        if X is None:
            return values
        if is_fold(X):
            return values[[node.row for node in X]]
        if self._table is None and as_graph(X).nodes == self.nodes_:
            return values
        raise LovaszError(
            f"predict answers for the {len(values)} nodes it was fitted on; call it without "
            "arguments, or fit with affinity='rbf', 'cosine' or 'knn' to label new feature rows"
        )

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of right answers; entries -1 and None of ``y`` are left out."""
        answers = self.predict(X)
        names = [node.graph.nodes[node.row] for node in X] if is_fold(X) else self.nodes_
        truth = list_labels(y, names if len(names) == len(answers) else range(len(answers)))
        known = np.array([label is not None for label in truth])
        if not known.any():
            raise LovaszError("score needs at least one labelled node in y")
        right = answers[known] == np.array([label for label in truth if label is not None])
        weight = None if sample_weight is None else np.asarray(sample_weight)[known]
        return float(np.average(right, weights=weight))


def is_fold(X: Any) -> bool:
    """Return whether X is the list of nodes that cross-validation makes of a Graph."""
    return isinstance(X, list) and bool(X) and isinstance(X[0], Node)
