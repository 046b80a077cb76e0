"""What the estimators share: what they are fitted on, labels as codes, answers by node."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph, as_graph
from lovasz.graphs.graph import Node
from lovasz.graphs.labels import align_to_nodes, encode, list_labels
from lovasz.graphs.similarity import similarity_graph

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
except ImportError:  # training needs no scikit-learn; only clone, GridSearchCV and the like do
    BaseEstimator = object

    class ClassifierMixin:  # type: ignore[no-redef]  # not object: a class cannot have it twice
        """Stands in for scikit-learn's."""


AFFINITIES = ("precomputed", "rbf", "cosine", "knn")


class NodeClassifier(ClassifierMixin, BaseEstimator):
    """An estimator that is fitted on a whole graph and answers for its nodes.

    ``fit`` takes a graph, or a feature table when ``affinity`` says how to make a graph of it.
    Under scikit-learn's cross-validation pass a :class:`lovasz.Graph` (``as_graph(anything)``):
    a fold then hides labels, not nodes, which is what learning from few labels means.
    """

    affinity: str
    affinity_options: dict[str, Any] | None
    predict: Any  # of the estimator
    _table: Any  # the feature table a graph was made of, or None

    def _read(self, X: Any, y: Any) -> tuple[Graph, np.ndarray]:
        """The graph and the class code of every node, -1 for unlabelled; sets ``classes_``."""
        if self.affinity not in AFFINITIES:
            raise LovaszError(f"unknown affinity {self.affinity!r}; known: {', '.join(AFFINITIES)}")
        rows = None
        self._table = None
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
            self._table = np.asarray(X, dtype=np.float64)
            graph = similarity_graph(self._table, self.affinity, **(self.affinity_options or {}))
        self.classes_, codes = encode(y, graph, rows)
        self.nodes_ = graph.nodes
        return graph, codes

    def _answer(self, values: np.ndarray, X: Any) -> np.ndarray:
        """``values`` of every node, or of the nodes of a fold."""
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
        """Share of right answers among the labelled entries of ``y`` (-1 and None are left out)."""
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
    """Whether X is a list of nodes as scikit-learn's cross-validation makes of a Graph."""
    return isinstance(X, list) and bool(X) and isinstance(X[0], Node)


def check_features(features: Any, nodes: Any) -> Any:
    """Features as a finite float matrix with one row a node; a function is called for them."""
    features = features() if callable(features) else features
    if features is None:
        return None
    n = len(nodes)
    features = align_to_nodes(features, nodes)
    with np.errstate(over="ignore"):  # a number beyond float32 becomes inf, and is reported
        if sparse.issparse(features):
            features = features.tocsr().astype(np.float32)
            values = features.data
        else:
            try:
                features = values = np.asarray(features, dtype=np.float32)
            except (TypeError, ValueError) as problem:
                raise LovaszError(
                    f"features are not numbers ({problem}); encode them first"
                ) from None
    if features.ndim != 2 or features.shape[0] != n:
        raise LovaszError(
            f"features have shape {features.shape} and the graph {n} nodes; give one row a node "
            "(under cross-validation pass features=lambda: table, so that a fold keeps it whole)"
        )
    if not np.isfinite(values).all():
        bad = np.argwhere(~np.isfinite(values))[0]
        where = "" if sparse.issparse(features) else f" in row {bad[0]}, column {bad[1]}"
        raise LovaszError(
            f"features hold NaN, inf or numbers beyond 3e38{where}; fill, drop or scale them first"
        )
    return features


def scale_features(features: Any, scale: str | None) -> Any:
    """Rows to sum 1 ("rows"), columns to mean 0 and variance 1 ("columns"), or as they are.

    "auto" takes rows for sparse tables (counts, bags of words) and columns for dense ones
    (measurements in different units).
    """
    if scale not in ("auto", "rows", "columns", None):
        raise LovaszError(f"scale={scale!r} is not known; use 'auto', 'rows', 'columns' or None")
    if features is None or scale is None:
        return features
    if scale == "auto":
        scale = "rows" if sparse.issparse(features) else "columns"
    if scale == "rows":
        total = np.asarray(abs(features).sum(axis=1, dtype=np.float64)).ravel()
        factor = np.divide(1, total, out=np.zeros_like(total), where=total > 0)
        if sparse.issparse(features):
            return sparse.csr_array(sparse.diags_array(factor) @ features)
        return features * factor[:, None]
    dense = np.asarray(features.toarray() if sparse.issparse(features) else features, np.float64)
    spread = dense.std(axis=0)
    return ((dense - dense.mean(axis=0)) / np.where(spread > 0, spread, 1)).astype(np.float32)
