"""The events of a labelling project, and the state that they add up to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

LABEL = "label"
"""The kind of an event that gives a node a class."""
SKIP = "skip"
"""The kind of an event that sends a node to the end of the queue."""
CANNOT = "cannot"
"""The kind of an event that says that nobody can tell the class of a node."""
CLASS = "class"
"""The kind of an event that adds a class without a node."""
UNDO = "undo"
"""The kind of an event that takes back all events of an earlier batch."""
KINDS = (LABEL, SKIP, CANNOT, CLASS, UNDO)
"""The kinds of events."""


class Event(NamedTuple):
    """One line of the log. Lines are only ever added."""

    id: int
    """Number of the event, ascending."""
    batch: int
    """``id`` of the first event that was made with this one; they are undone together. For an
    undo, the batch that it takes back."""
    time: float
    """Seconds since 1970."""
    client: str
    """Name of the window that the event came from."""
    kind: str
    """One of :data:`KINDS`."""
    row: int | None
    """Row of the node, or None if the event is about no node."""
    label: str | None
    """The class, or None if the event names none."""


@dataclass
class State:
    """What the events up to ``version`` add up to."""

    version: int = 0
    """``id`` of the last event."""
    events: dict[int, Event] = field(default_factory=dict)
    """The events in order, without undos and without what they took back."""
    classes: list[str] = field(default_factory=list)
    """The classes that occur, in the order in which they were first seen, undone events counted,
    so that an undo never swaps keys and colours."""
    seen: dict[str, None] = field(default_factory=dict)
    """All classes that ever occurred, in order."""
    by_row: dict[int, Event] = field(default_factory=dict)
    """The last event about each node."""

    def after(self, events: Iterable[Event]) -> State:
        """Return the state after further events; this one stays as it is."""
        found = State(self.version, {**self.events}, seen={**self.seen}, by_row={**self.by_row})
        undone = False
        for event in events:
            found.version = event.id
            if event.kind == UNDO:
                undone = True
                for id_ in [e.id for e in found.events.values() if e.batch == event.batch]:
                    del found.events[id_]
            else:
                found.events[event.id] = event
                found._add(event)
        if undone:
            found.by_row = {}
            for event in found.events.values():
                found._add(event)
        there = {event.label for event in found.events.values()}
        found.classes = [name for name in found.seen if name in there]
        return found

    def _add(self, event: Event) -> None:
        if event.label is not None:
            self.seen.setdefault(event.label)
        if event.row is not None:
            self.by_row[event.row] = event

    @property
    def labels(self) -> dict[int, str]:
        """Class of each labelled row."""
        return {row: e.label for row, e in self.by_row.items() if e.label is not None}

    def label_of(self, row: int) -> str | None:
        """Return the class of a row, or None if it has no label."""
        event = self.by_row.get(row)
        return None if event is None else event.label

    def rows_of(self, kind: str) -> list[int]:
        """Return the rows whose last event is of this kind, the latest event last."""
        found = [event for event in self.by_row.values() if event.kind == kind]
        return [event.row for event in sorted(found) if event.row is not None]

    def latest(self) -> Iterator[Event]:
        """Yield the events that were not taken back, the latest first."""
        for id_ in reversed(self.events):
            yield self.events[id_]

    def last_batch(self, client: str, present: Iterable[str]) -> list[Event]:
        """Return the batch that an undo in the window ``client`` takes back, or an empty list.

        It is the latest one of this window, or of a window that is not ``present`` any more, as
        after a restart. What another open window did stays.
        """
        others = set(present) - {client}
        for event in self.latest():
            if event.client not in others:
                return [e for e in self.events.values() if e.batch == event.batch]
        return []
