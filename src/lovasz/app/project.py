"""The project file: an append-only log of labels in SQLite, safe the moment a label is given."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple

from lovasz.app.fingerprint import fingerprint
from lovasz.app.log import CANNOT, CLASS, KINDS, LABEL, SKIP, UNDO, Event, State
from lovasz.base.errors import LovaszError
from lovasz.base.text import one_line, truncate
from lovasz.graphs import Graph

SQLITE = b"SQLite format 3\0"
"""The first bytes of an SQLite file."""
SCHEMA = 1
"""Version of the tables; a file with another one is refused."""
APPLICATION = 0x4C4F5653
"""SQLite's application id of a project file ("LOVS")."""
LONGEST_CLASS = 200
"""Number of characters that the name of a class may have."""
PATIENCE = 10.0
"""Seconds to wait for another process that is writing to the same file."""

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  batch INTEGER NOT NULL,
  time REAL NOT NULL,
  client TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('label', 'skip', 'cannot', 'class', 'undo')),
  row INTEGER,
  node TEXT,
  label TEXT
);
CREATE TABLE answers (
  version INTEGER PRIMARY KEY,
  labels INTEGER NOT NULL,
  expected REAL, low REAL, high REAL,
  seconds REAL NOT NULL
);
"""


class Answered(NamedTuple):
    """What a training said about the accuracy: one point of the curve."""

    version: int
    """``id`` of the last event that the training knew."""
    labels: int
    """Number of labels."""
    expected: float | None
    """Expected accuracy on unlabelled nodes, or None for too few labels."""
    low: float | None
    """Lower end of its 95 % interval."""
    high: float | None
    """Upper end of its 95 % interval."""
    seconds: float
    """How long the training took."""


class Project:
    """A project file that is open.

    Every change is one transaction in WAL mode with ``synchronous=FULL``: when a method returns,
    the log is on the disk, so that neither ``kill -9`` nor a power failure loses a label. Several
    threads may share the object, and several processes the file; :meth:`refresh` reads what the
    others have added.
    """

    def __init__(self, path: str | os.PathLike[str], graph: Graph) -> None:
        self.path, self.graph = Path(path), graph
        self.state = State()
        self._lock = RLock()
        self._connection = _connect(self.path)
        try:
            self._set_up()
            self.refresh()
        except (sqlite3.Error, UnicodeDecodeError) as error:  # messages of SQLite quote the file
            self._connection.close()
            raise _unusable(self.path, error) from None
        except LovaszError:
            self._connection.close()
            raise

    def _set_up(self) -> None:
        """Create the tables in a new file; check an existing one against the graph."""
        run = self._connection.execute
        run(f"PRAGMA busy_timeout = {int(1000 * PATIENCE)}")
        if run("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            run("PRAGMA journal_mode = WAL")
            run("BEGIN IMMEDIATE")
            if run("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
                self._create()
            run("COMMIT")
        _check(self._connection, self.path, self.graph)
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")

    def _create(self) -> None:
        for statement in _TABLES.split(";"):
            self._connection.execute(statement)
        meta = {
            "graph": fingerprint(self.graph),
            "nodes": str(self.graph.n),
            "edges": str(self.graph.m),
        }
        self._connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
        self._connection.execute(f"PRAGMA application_id = {APPLICATION}")
        self._connection.execute(f"PRAGMA user_version = {SCHEMA}")

    def refresh(self) -> bool:
        """Read events that were added since the last call; return whether there were any."""
        with self._lock:
            rows = self._connection.execute(
                "SELECT id, batch, time, client, kind, row, label FROM events WHERE id > ? "
                "ORDER BY id",
                (self.state.version,),
            )
            events = [self._event(row) for row in rows]
            if events:  # another object, because other threads may be reading this one
                self.state = self.state.after(events)
            return bool(events)

    def _event(self, cells: tuple[Any, ...]) -> Event:
        """Return a line of the log, or raise if lovasz did not write it."""
        event = Event(*cells)
        right = (
            isinstance(event.batch, int)
            and isinstance(event.client, str)
            and event.kind in KINDS
            and (event.row is None or event.row in range(self.graph.n))
            and (event.label is None or isinstance(event.label, str))
        )
        if not right:
            raise LovaszError(f"{self.path}: event {event.id} is damaged; name another project")
        return event

    def label(self, row: int, name: str, client: str = "") -> None:
        """Give a node a class, which may be new."""
        self._append(client, [(LABEL, self._checked(row), class_name(name))])

    def label_all(
        self, labels: Mapping[int, str], client: str = "", *, gently: bool = False
    ) -> int:
        """Give many nodes a class, to be undone together; return how many of them are news.

        With ``gently`` nodes of which something was said before stay as they are.
        """
        with self._lock:
            self.refresh()
            known = self.state.by_row
            named = {self._checked(row): class_name(label) for row, label in labels.items()}
            news = {
                row: label
                for row, label in named.items()
                if row not in known or (not gently and known[row].label != label)
            }
            self._append(client, [(LABEL, row, label) for row, label in news.items()])
            return len(news)

    def skip(self, row: int, client: str = "") -> None:
        """Send a node to the end of the queue."""
        self._append(client, [(SKIP, self._checked(row), None)])

    def set_aside(self, row: int, client: str = "") -> None:
        """Note that the class of a node cannot be told; it will not be asked for again."""
        self._append(client, [(CANNOT, self._checked(row), None)])

    def add_class(self, name: str, client: str = "") -> None:
        """Add a class that no node has yet."""
        with self._lock:
            self.refresh()
            if class_name(name) not in self.state.classes:
                self._append(client, [(CLASS, None, class_name(name))])

    def undo(self, client: str = "", present: Iterable[str] = ()) -> list[Event]:
        """Take back the last batch of this window and return it; see ``State.last_batch``."""
        with self._lock:
            self.refresh()
            batch = self.state.last_batch(client, present)
            if batch:
                self._append(client, [(UNDO, None, None)], batch=batch[0].batch)
            return batch

    def note_answer(self, answered: Answered) -> None:
        """Keep a point of the accuracy curve."""
        with self._lock, self._connection:
            self._connection.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)", answered
            )

    def curve(self) -> list[Answered]:
        """Return the last answer for each number of labels, in the order of that number."""
        with self._lock:
            try:
                rows = self._connection.execute(
                    "SELECT version, labels, expected, low, high, seconds FROM answers "
                    "ORDER BY version"
                ).fetchall()
            except (sqlite3.Error, UnicodeDecodeError) as error:
                raise _unusable(self.path, error) from None
        whole = all(isinstance(cell, int) for row in rows for cell in row[:2])
        if not (whole and all(isinstance(cell, float | int | None) for r in rows for cell in r)):
            raise LovaszError(f"{self.path}: its curve is damaged; name another project")
        last = {answered.labels: answered for answered in (Answered(*row) for row in rows)}
        return [last[labels] for labels in sorted(last)]

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _append(
        self,
        client: str,
        changes: Sequence[tuple[str, int | None, str | None]],
        batch: int | None = None,
    ) -> None:
        """Write events in one transaction, and take them into the state."""
        with self._lock:
            run = self._connection.execute
            now = time.time()
            try:
                run("BEGIN IMMEDIATE")
                last = run("SELECT max(id) FROM events").fetchone()[0] or 0
                # Numbers of the log are never used twice, as rows are never deleted.
                batch = last + 1 if batch is None else batch
                for kind, row, label in changes:
                    node = None if row is None else self.text_of(row)
                    run(
                        "INSERT INTO events (batch, time, client, kind, row, node, label) "
                        "VALUES (?, ?, ?, ?, ?, ?, ?)",
                        (batch, now, client, kind, row, node, label),
                    )
                run("COMMIT")
            except (sqlite3.Error, UnicodeDecodeError) as error:
                raise LovaszError(
                    f"{self.path}: it could not be saved ({one_line(error)}); check the disk"
                ) from None
            finally:
                if self._connection.in_transaction:
                    run("ROLLBACK")
            self.refresh()

    def text_of(self, row: int) -> str:
        """Return the name of a node as text that any file can hold."""
        return str(self.graph.nodes[row]).encode("utf-8", "replace").decode()

    def _checked(self, row: int) -> int:
        if not 0 <= row < self.graph.n:
            raise LovaszError(f"there is no row {row}; rows are 0 to {self.graph.n - 1}")
        return row


def class_name(text: str) -> str:
    """Return the name of a class on one line, or raise if it cannot be one."""
    name = " ".join(text.split())
    if not name:
        raise LovaszError("a class needs a name; write one")
    if not all(c.isprintable() or c == "\N{ZERO WIDTH JOINER}" for c in name):
        raise LovaszError(f"the class {truncate(name)!r} has characters that cannot be shown")
    if len(name) > LONGEST_CLASS:
        raise LovaszError(
            f"the class {truncate(name)!r} has {len(name)} characters; use {LONGEST_CLASS} at most"
        )
    return name


def is_project(path: str | os.PathLike[str]) -> bool:
    """Return whether a file begins as SQLite files do."""
    try:
        with open(path, "rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError:
        return False


def read_project(path: str | os.PathLike[str], graph: Graph) -> dict[Hashable, str]:
    """Return the class of each labelled node of a project that was made for ``graph``."""
    project = Project(path, graph)
    try:
        return {graph.nodes[row]: label for row, label in project.state.labels.items()}
    finally:
        project.close()


def _connect(path: Path) -> sqlite3.Connection:
    if not path.absolute().parent.is_dir():
        raise LovaszError(f"{path}: there is no directory {path.absolute().parent}; create it")
    if path.is_file() and path.stat().st_size and not is_project(path):
        raise LovaszError(f"{path} is no project of lovasz label; name another file")
    try:
        return sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    except sqlite3.Error as error:
        raise _unusable(path, error) from None


def _check(connection: sqlite3.Connection, path: Path, graph: Graph) -> None:
    """Raise unless the file is a project of this version, made for this graph."""
    run = connection.execute
    if run("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise LovaszError(f"{path} is a database, but no project of lovasz label; name another")
    if run("SELECT count(*) FROM sqlite_master WHERE type IN ('trigger', 'view')").fetchone()[0]:
        raise LovaszError(f"{path} holds triggers or views, which no project has; name another")
    schema = run("PRAGMA user_version").fetchone()[0]
    if schema != SCHEMA:
        raise LovaszError(
            f"{path} has version {schema} and this lovasz reads {SCHEMA}; use the lovasz it is from"
        )
    meta = dict(run("SELECT key, value FROM meta").fetchall())
    if meta.get("graph") != fingerprint(graph):
        nodes, edges = (truncate(str(meta.get(key))) for key in ("nodes", "edges"))
        raise LovaszError(
            f"{path} belongs to another graph ({nodes} nodes and {edges} edges; this one has "
            f"{graph.n} and {graph.m}); open it with the graph and the options it was made with, "
            "or name another project"
        )


def _unusable(path: Path, error: Exception) -> LovaszError:
    return LovaszError(f"{path}: cannot be used as a project ({one_line(error)}); name another")
