"""The desk at which people label: which node is next, and what is known so far."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from lovasz.app.cards import Cards
from lovasz.app.log import CANNOT, LABEL, SKIP
from lovasz.app.messages import Answer, Failed, Progress, TrainTask
from lovasz.app.project import Answered, Project

QUEUED = 7
"""Number of nodes of the queue that are shown."""
RECENT = 8
"""Number of past events that are shown."""
DOUBTED = 10
"""Number of labels that look wrong that are shown."""


class Desk:
    """A project, the last answer of the model, and the nodes that open windows are showing."""

    def __init__(self, project: Project, cards: Cards) -> None:
        self.project, self.cards, self.graph = project, cards, project.graph
        self.answer: Answer | None = None
        self.progress: float | None = None
        self.failure: str | None = None
        self.shown: dict[str, int] = {}
        """Row that each open window shows; others get other nodes."""
        self._fallback: list[int] = []

    def task(self) -> TrainTask:
        """Return the labels to train on."""
        state = self.project.state
        codes = {row: state.classes.index(label) for row, label in state.labels.items()}
        excluded = (*state.rows_of(CANNOT), *state.rows_of(SKIP))
        return TrainTask(state.version, tuple(state.classes), codes, excluded)

    def take(self, message: Progress | Answer | Failed) -> None:
        """Take in what the training said."""
        if isinstance(message, Progress):
            self.progress = message.share
            return
        # If there are newer labels, the trainer has gone on to them already.
        self.progress = 0.0 if message.version < self.project.state.version else None
        if isinstance(message, Failed):
            self.failure = message.reason
            return
        self.failure = None
        if self.answer is not None and message.version < self.answer.version:
            return
        self.answer = message
        if message.codes is not None:
            expected, low, high = message.expected or (None, None, None)
            self.project.note_answer(
                Answered(message.version, message.labels, expected, low, high, message.seconds)
            )

    def next_row(self, client: str) -> tuple[int, str] | None:
        """Return the node that a window is to show next with the reason; None if none is left."""
        others = {row for window, row in self.shown.items() if window != client}
        for row, reason in self._waiting():
            if row not in others:
                self.shown[client] = row
                return row, reason
        self.shown.pop(client, None)
        return None

    def _waiting(self) -> Iterator[tuple[int, str]]:
        """Yield the nodes without a label: suggested, then any, and skipped ones last."""
        by_row = self.project.state.by_row
        suggested = [] if self.answer is None else self.answer.suggestions
        for row, reason in suggested:
            if row not in by_row:
                yield row, reason
        if self.answer is None and self.failure is None:
            return  # the first suggestions are being made
        reasons = dict(suggested)
        for row in self._others():
            if row not in by_row and row not in reasons:
                yield row, "one of the nodes that are left"
        for row in self.project.state.rows_of(SKIP):
            yield row, "was skipped before"

    def _others(self) -> Iterator[int]:
        """Yield all rows, those with many neighbours first; sorted when first needed."""
        if not self._fallback:
            self._fallback = np.argsort(-self.graph.degrees, kind="stable").tolist()
        yield from self._fallback

    def next_card(self, client: str) -> dict[str, Any] | None:
        """Return the card of the node that a window is to show next."""
        found = self.next_row(client)
        return None if found is None else self.cards.card(found[0], self.answer, found[1])

    def look(self, row: int) -> dict[str, Any]:
        """Return the card of any node."""
        reasons = dict(self.answer.suggestions) if self.answer is not None else {}
        return self.cards.card(row, self.answer, reasons.get(row, ""))

    def show(self, client: str, row: int) -> dict[str, Any]:
        """Return the card of a node that somebody chose; no other window is given it."""
        self.shown[client] = row
        return self.look(row)

    def snapshot(self) -> dict[str, Any]:
        """Return what every window shows besides its node."""
        state, answer = self.project.state, self.answer
        counts = dict.fromkeys(state.classes, 0)
        labels = state.labels
        for label in labels.values():
            counts[label] += 1
        return {
            "version": state.version,
            "nodes": self.graph.n,
            "edges": self.graph.m,
            "labelled": len(labels),
            "aside": len(state.rows_of(CANNOT)),
            "classes": [{"name": name, "count": counts[name]} for name in state.classes],
            "recent": self._recent(),
            "queue": self._queue(),
            "training": {
                "share": self.progress,
                "failure": self.failure,
                "version": None if answer is None else answer.version,
                "labels": None if answer is None else answer.labels,
                "seconds": None if answer is None else round(answer.seconds, 2),
            },
            "curve": [
                {"labels": p.labels, "expected": p.expected, "low": p.low, "high": p.high}
                for p in self.project.curve()
                if p.expected is not None
            ],
            "forecast": [
                dict(zip(("labels", "expected", "low", "high"), point, strict=True))
                for point in ([] if answer is None else answer.forecast)
            ],
            "advice": "" if answer is None else answer.advice,
            "doubts": self._doubts(),
        }

    def _recent(self) -> list[dict[str, Any]]:
        found = []
        for event, _ in zip(self.project.state.latest(), range(RECENT), strict=False):
            name = None if event.row is None else self.cards.name(event.row)
            found.append({"kind": event.kind, "row": event.row, "name": name, "label": event.label})
        return found

    def _queue(self) -> list[dict[str, Any]]:
        shown = set(self.shown.values())
        free = (found for found in self._waiting() if found[0] not in shown)
        waiting = zip(free, range(QUEUED), strict=False)
        return [
            self.cards.brief(row, self.answer) | {"reason": reason} for (row, reason), _ in waiting
        ]

    def _doubts(self) -> list[dict[str, Any]]:
        """Return the labels that look wrong, as far as they are still as the model saw them."""
        if self.answer is None:
            return []
        by_row = self.project.state.by_row
        return [
            {
                "row": row,
                "name": self.cards.name(row),
                "label": by_row[row].label,
                "better": better,
                "p": round(p, 4),
            }
            for row, better, p in self.answer.suspicious
            if row in by_row
            and by_row[row].kind == LABEL
            and by_row[row].id <= self.answer.version
            and by_row[row].label != better
        ][:DOUBTED]
