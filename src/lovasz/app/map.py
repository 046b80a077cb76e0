"""The map of the graph: positions are computed once, classes and answers each time."""

from __future__ import annotations

import json
from threading import Lock

import numpy as np

from lovasz.app.messages import Answer
from lovasz.app.project import Project
from lovasz.graphs import Graph
from lovasz.pages.large_layout import arrange
from lovasz.pages.viewer import graph_view
from lovasz.pages.viewer.graph_view import HEIGHT, VIEWED_NODES

CHANGING = ("labels", "classes", "given", "confidence", "runnerUp", "runnerUpConfidence")
"""The keys of the viewer's data that labels and answers change."""
WORDS = {"given": "labelled", "predicted": "the model says"}
"""What the viewer calls nodes that have a label, and others."""


class GraphMap:
    """Draws the graph with the viewer that all pages share."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._lock = Lock()
        self._positions: np.ndarray | None = None

    def draw(self, project: Project, answer: Answer | None, *, whole: bool = True) -> str:
        """Return the data of the viewer as JSON: all of it, or what labels and answers change.

        ``rows`` in it has the row of each node if the graph is too large to be drawn as a whole.
        """
        state = project.state
        classes = tuple(state.classes)
        labels, sure = self._answers(classes, answer)
        given = np.zeros(self.graph.n, dtype=bool)
        for row, name in state.labels.items():
            labels[row], sure[row], given[row] = classes.index(name), 1.0, True
        second, second_sure = self._runners_up(classes, answer, given)
        view = graph_view(
            self.graph,
            positions=self._place(),
            labels=labels,
            classes=classes,
            given=given,
            confidence=sure,
            runner_up=second,
            runner_up_confidence=second_sure,
            words=WORDS,
        )
        data = view.data if whole else {key: view.data[key] for key in CHANGING}
        if len(view.rows) < self.graph.n:
            data = {**data, "rows": view.rows.tolist()}
        return json.dumps(data)

    def _place(self) -> np.ndarray | None:
        """Return where the nodes stand; None if there are so many that only a part is drawn."""
        if self.graph.n > VIEWED_NODES:
            return None
        with self._lock:
            if self._positions is None:
                self._positions = arrange(self.graph.adjacency) * (1, HEIGHT)
            return self._positions

    def _answers(
        self, classes: tuple[str, ...], answer: Answer | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the model's answer for each node, -1 if there is none, and its probability."""
        if answer is None or answer.codes is None or answer.confidence is None:
            return np.full(self.graph.n, -1), np.zeros(self.graph.n)
        now = _renumber(answer.classes, classes)
        return now[answer.codes], np.asarray(answer.confidence, dtype=float)

    def _runners_up(
        self, classes: tuple[str, ...], answer: Answer | None, given: np.ndarray
    ) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Return the second answers, or None; a node with a label has none."""
        if answer is None or answer.runner_up is None or answer.runner_up_confidence is None:
            return None, None
        second = np.where(given, -1, _renumber(answer.classes, classes)[answer.runner_up])
        return second, np.asarray(answer.runner_up_confidence, dtype=float)


def _renumber(before: tuple[str, ...], now: tuple[str, ...]) -> np.ndarray:
    """Return the present number of each class of an answer, -1 if it was taken back."""
    return np.array([now.index(name) if name in now else -1 for name in before], dtype=np.int64)
