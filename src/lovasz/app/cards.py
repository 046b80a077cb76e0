"""What a person sees of a node: its neighbours, its features, and what the model says of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from lovasz.app.messages import Answer
from lovasz.app.project import Project
from lovasz.pages.style import clean

NEIGHBOURS = 24
"""Number of neighbours that are shown."""
COLUMNS = 8
"""Number of features that are shown."""
ANSWERS = 2
"""Number of answers of the model that are shown."""


class Cards:
    """Makes the card of any node."""

    def __init__(
        self, project: Project, features: Any = None, columns: tuple[str, ...] | None = None
    ) -> None:
        self.project, self.graph = project, project.graph
        self._features = None if features is None else sparse.csr_array(features)
        self._columns = columns
        if self._features is not None:
            n = max(self.graph.n, 1)
            self._mean = np.asarray(self._features.sum(axis=0)).ravel() / n
            square = np.asarray(self._features.multiply(self._features).sum(axis=0)).ravel() / n
            self._spread = np.sqrt(np.maximum(square - self._mean**2, 1e-12))

    def card(self, row: int, answer: Answer | None, reason: str = "") -> dict[str, Any]:
        """Return everything about a node as JSON; names are plain text."""
        event = self.project.state.by_row.get(row)
        near = self._near(row, answer)
        return {
            "row": row,
            "name": self.name(row),
            "label": None if event is None else event.label,
            "status": None if event is None else event.kind,
            "reason": reason,
            "degree": int(self.graph.degrees[row]),
            "answers": self.answers(row, answer),
            "neighbours": [self.brief(other, answer) for other in near],
            "links": self._links(near),
            "features": self._top_features(row),
        }

    def name(self, row: int) -> str:
        """Return the name of a node on one line, without characters that would reorder it."""
        return clean(self.project.text_of(row))

    def brief(self, row: int, answer: Answer | None) -> dict[str, Any]:
        """Return a node in short: its name, its label, and the model's answer if it has none."""
        label = self.project.state.label_of(row)
        found: dict[str, Any] = {"row": row, "name": self.name(row), "label": label}
        if label is None:
            said = self.answers(row, answer)
            found["guess"] = said[0] if said else None
        return found

    def answers(self, row: int, answer: Answer | None) -> list[dict[str, Any]]:
        """Return the most probable classes of a node, or nothing before the first training."""
        if answer is None or answer.codes is None:
            return []
        told: list[tuple[Any, Any]] = [(answer.codes, answer.confidence)]
        told.append((answer.runner_up, answer.runner_up_confidence))
        return [
            {"class": answer.classes[int(codes[row])], "p": round(float(p[row]), 4)}
            for codes, p in told[:ANSWERS]
        ]

    def _near(self, row: int, answer: Answer | None) -> list[int]:
        """Return the neighbours to show: labelled ones first, then sure ones, then by degree."""
        A = self.graph.adjacency
        near = A.indices[A.indptr[row] : A.indptr[row + 1]].astype(np.int64)
        known = np.array([self.project.state.label_of(int(r)) is not None for r in near])
        sure = np.zeros(len(near))
        if answer is not None and answer.confidence is not None:
            sure = answer.confidence[near].astype(float)
        order = np.lexsort((-self.graph.degrees[near], -sure, ~known.astype(bool)))
        return [int(r) for r in near[order][:NEIGHBOURS]]

    def _links(self, rows: list[int]) -> list[list[int]]:
        """Return the edges among the shown neighbours, as pairs of places in their list."""
        if not rows:
            return []
        part = sparse.coo_array(self.graph.adjacency[rows][:, rows])
        pairs = zip(part.row.tolist(), part.col.tolist(), strict=True)
        return [[i, j] for i, j in pairs if i < j]

    def _top_features(self, row: int) -> list[dict[str, Any]]:
        """Return the columns in which a node differs most from the average, in deviations."""
        if self._features is None:
            return []
        values = self._features[[row]].toarray().ravel()
        score = (values - self._mean) / self._spread
        order = np.lexsort((np.arange(len(score)), -np.abs(score) * (values != 0)))
        return [
            {"column": self._column(int(k)), "value": float(values[k]), "score": float(score[k])}
            for k in order[:COLUMNS]
            if values[k] != 0
        ]

    def _column(self, number: int) -> str:
        if self._columns is not None and number < len(self._columns):
            return self._columns[number]
        return f"column {number + 1}"
