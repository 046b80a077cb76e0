"""The answers of a classifier as a data frame, as a networkx graph and in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lovasz.base.display import as_html
from lovasz.base.errors import LovaszError
from lovasz.base.frames import make_frame
from lovasz.base.text import truncate
from lovasz.classify.problem import Problem
from lovasz.graphs import Graph


class AnswerTables:
    """What a classifier with probabilities says of every node, in the forms of other libraries."""

    classes_: np.ndarray
    nodes_: Sequence[Any]
    predict_proba: Any
    _problem: Problem | None
    """The problem that the classifier was fitted on; a model from a file may have none."""

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per node.

        The columns are node, class, probability, given (whether the class was), runner_up and
        runner_up_probability.
        """
        columns = self._columns()
        return make_frame({"node": list(self.nodes_), **columns})

    def to_networkx(self) -> Any:
        """Return a networkx graph whose nodes have the columns of :meth:`to_frame` as attributes.

        The attribute of the class is called "class".
        """
        return self._fitted_graph().to_networkx(**self._columns())

    def _fitted_graph(self) -> Graph:
        problem: Problem | None = getattr(self, "_problem", None)
        if problem is None:
            raise LovaszError(f"this {type(self).__name__} has no graph; call fit(graph, y) first")
        return problem.graph

    def _columns(self) -> dict[str, Any]:
        """Return what is known of each node, by name, in the order of ``nodes_``."""
        P = np.asarray(self.predict_proba())
        answers, each = P.argmax(axis=1), np.arange(len(P))
        columns: dict[str, Any] = {
            "class": self.classes_[answers], "probability": P[each, answers],
        }  # fmt: skip
        problem: Problem | None = getattr(self, "_problem", None)
        if problem is not None:
            columns["given"] = problem.codes >= 0
        if P.shape[1] > 1:
            rest = P.copy()
            rest[each, answers] = -1
            columns["runner_up"] = self.classes_[rest.argmax(axis=1)]
            columns["runner_up_probability"] = rest.max(axis=1)
        return columns

    def _repr_html_(self) -> str | None:
        """Return the answers if there are some, and else scikit-learn's diagram."""
        if getattr(self, "classes_", None) is not None:
            return as_html(self)
        diagram = getattr(super(), "_repr_html_", None)
        return None if diagram is None else str(diagram())

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """Return what notebooks ask for before ``_repr_html_``; scikit-learn has one, too."""
        found = self._repr_html_()
        return {"text/plain": repr(self)} | ({} if found is None else {"text/html": found})

    def __repr__(self) -> str:
        return truncate(" ".join(super().__repr__().split()), 120)
