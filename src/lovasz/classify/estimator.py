"""What the estimators share: reading a labelling problem, and answers by node."""

from __future__ import annotations

from inspect import signature
from typing import Any, cast

import numpy as np
from scipy import sparse

from lovasz.base.command import is_command
from lovasz.base.errors import LovaszError
from lovasz.classify.features import scale_table
from lovasz.classify.problem import Problem, make_problem
from lovasz.graphs import Graph, as_graph
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
    _graph: Graph | None
    """The graph that it was fitted on, or None for a model on a hypergraph that was loaded."""

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
        if y is None:
            raise LovaszError(
                f"{type(self).__name__} requires y to be passed, but the target y is None; pass "
                "one entry per node, -1 for the unlabelled ones"
            )
        if hasattr(y, "__array__") and not hasattr(y, "__len__"):
            y = np.asarray(y)
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
            table = check_table(X)
            if len(table) == 1:
                raise LovaszError("n_samples=1: a graph of one row has no edge; pass more rows")
            scaled = scale_table(table, None, scale)
            graph = similarity_graph(scaled, self.affinity, **(self.affinity_options or {}))
            if features is None and as_features:
                features, scale = scaled, None
        classes, codes = encode(y, graph, rows)
        return make_problem(graph, classes, codes, features, scale, table)

    def _remember(self, problem: Problem) -> None:
        """Set the attributes that every fitted estimator has."""
        self.classes_, self.nodes_ = problem.classes, problem.graph.nodes
        self._table, self._graph = problem.table, problem.graph
        if problem.table is not None:
            self.n_features_in_ = int(problem.table.shape[1])

    def _answer(self, values: np.ndarray, X: Any) -> np.ndarray:
        """Return the ``values`` of all nodes, or of the nodes of a fold."""
        if X is None:
            return values
        if is_fold(X):
            return values[[node.row for node in X]]
        if self._table is not None:
            table = check_table(X)
            if table.shape[1] != self._table.shape[1]:
                raise LovaszError(
                    f"X has {table.shape[1]} features, but {type(self).__name__} is expecting "
                    f"{self._table.shape[1]} features as input"
                )
            if np.array_equal(table, self._table):
                return values
            raise LovaszError(
                f"{type(self).__name__} answers for the {len(values)} rows it was fitted on; call "
                "predict without arguments, or use LCNClassifier, which labels new rows"
            )
        given = as_graph(X)
        if given.nodes == self.nodes_:
            if self._graph is None or has_same_edges(given, self._graph):
                return values
            raise LovaszError(
                f"{type(self).__name__} was fitted on other edges or weights between these nodes; "
                "call predict(graph=…) of LCNClassifier, or fit again"
            )
        raise LovaszError(
            f"predict answers for the {len(values)} nodes it was fitted on; call it without "
            "arguments, or fit with affinity='rbf', 'cosine' or 'knn' to label new feature rows"
        )

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that a graph may be a sparse matrix, and a feature table may not."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.affinity == "precomputed"
        return tags

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


def has_same_edges(first: Graph, second: Graph) -> bool:
    """Return whether two graphs on the same nodes join the same pairs, with the same weights.

    A graph without weights may have the edges of one with weights.
    """
    A, B = first.adjacency, second.adjacency
    if not (first.weighted and second.weighted):
        A, B = A.astype(bool), B.astype(bool)
    return bool(A.nnz == B.nnz and (A != B).nnz == 0)


def is_fold(X: Any) -> bool:
    """Return whether X is the list of nodes that cross-validation makes of a Graph."""
    return isinstance(X, list) and bool(X) and isinstance(X[0], Node)


def check_table(X: Any) -> np.ndarray:
    """Return a feature table as float64, or raise unless it has finite rows of numbers."""
    if sparse.issparse(X):
        raise LovaszError("a sparse feature table is not supported; pass X.toarray()")
    given = np.asarray(X)
    if given.dtype.kind == "c":
        raise LovaszError("Complex data not supported: pass the real and imaginary parts")
    try:
        table: np.ndarray = given.astype(np.float64)
    except (TypeError, ValueError) as problem:
        raise LovaszError(f"a feature is not a number ({problem}); pass numbers") from None
    if table.ndim != 2:
        raise LovaszError(
            f"a feature table has two dimensions, and X has the shape {table.shape}. Reshape your "
            "data: one row per node, one column per feature"
        )
    for count, what in zip(table.shape, ("sample(s)", "feature(s)"), strict=True):
        if count == 0:
            raise LovaszError(f"0 {what} (shape={table.shape}) while a minimum of 1 is required.")
    if not np.isfinite(table).all():
        raise LovaszError("the feature table contains NaN or infinity; replace them by numbers")
    return table


def not_fitted(estimator: NodeClassifier) -> LovaszError:
    """Return the error for an estimator that was asked before it was fitted."""
    said = f"this {type(estimator).__name__} is not fitted; call fit(graph, y) first"
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        return LovaszError(said)
    kind = type("NotFittedLovaszError", (LovaszError, NotFittedError), {})
    return cast(LovaszError, kind(said))
