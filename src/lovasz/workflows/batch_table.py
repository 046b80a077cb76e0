"""A CSV table that grows row by row and goes on after the process was killed."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from lovasz.base.cells import unguard_cell
from lovasz.base.errors import LovaszError
from lovasz.base.files import atomic
from lovasz.base.tables import write_table
from lovasz.workflows.graph_batch import COLUMNS, GraphJob, GraphRow

PLACE = (COLUMNS.index("file"), COLUMNS.index("line"))
"""The columns that say which graph a row is about."""
ERROR = COLUMNS.index("error")
"""The column of what was wrong."""
KEY = COLUMNS.index("key")
"""The column that identifies the graph and the options."""


class BatchTable:
    """The rows of a batch in a file; each is there as soon as it is added.

    Rows are added in the order in which graphs are done, and :meth:`sort` puts them into the
    order of the input.
    """

    def __init__(self, path: Path, jobs: Sequence[GraphJob], *, resume: bool) -> None:
        """Open the file. With ``resume`` the rows of these jobs stay, but for the failed ones.

        The end of a row that a killed process left half written is cut off.
        """
        self.path = path
        self.order = {job.place: position for position, job in enumerate(jobs)}
        if path.exists() and not resume:
            raise LovaszError(f"{path} exists; add --resume to go on with it, or remove it")
        kept = self._kept(jobs) if path.exists() else []
        self.done = {_place(row) for row in kept}
        self._write(kept)
        self.file = open(path, "a", newline="", encoding="utf-8")  # noqa: SIM115

    def _kept(self, jobs: Sequence[GraphJob]) -> list[list[str]]:
        rows = _read_rows(self.path)
        keys = {job.place: job.key for job in jobs}
        for row in rows:
            if keys.get(_place(row)) != row[KEY]:
                file, line = _place(row)
                where = f"{file} line {line}" if line else file
                raise LovaszError(
                    f"{self.path}: its row of {where} is about another graph or was made with "
                    "other options; give the same ones, or choose another file"
                )
        return [row for row in rows if not row[ERROR]]

    def add(self, row: GraphRow) -> None:
        """Add a row, which is on its way to the disk when this returns."""
        write_table(self.file, [row.cells()])
        self.file.flush()

    def sort(self) -> None:
        """Put the rows into the order of the input."""
        self.file.close()
        rows = _read_rows(self.path)
        places = [self.order[_place(row)] for row in rows]
        if places != sorted(places):
            self._write(row for _, row in sorted(zip(places, rows, strict=True)))

    def _write(self, rows: Iterable[Sequence[Any]]) -> None:
        with (
            atomic(self.path) as temporary,
            open(temporary, "w", newline="", encoding="utf-8") as file,
        ):
            write_table(file, [COLUMNS, *rows])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.file.close()


def _place(row: Sequence[str]) -> tuple[str, str]:
    """File and line of a row."""
    file, line = (row[column] for column in PLACE)
    return file, line


def _read_rows(path: Path) -> list[list[str]]:
    """The whole rows of a file; what follows the last end of a line is left out."""
    data = path.read_bytes()
    try:
        text = data[: data.rfind(b"\n") + 1].decode()
        rows = list(csv.reader(io.StringIO(text, newline="")))
    except (UnicodeDecodeError, csv.Error) as problem:
        raise LovaszError(f"{path} is damaged ({problem}); choose another file") from problem
    if not rows:
        return []
    if tuple(rows[0]) != COLUMNS:
        raise LovaszError(f"{path} is no table of lovasz theta; choose another file")
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(COLUMNS):
            raise LovaszError(
                f"{path} line {number}: {len(row)} cells in place of {len(COLUMNS)}; remove "
                "the line, or choose another file"
            )
    return [[unguard_cell(cell) for cell in row] for row in rows[1:]]
