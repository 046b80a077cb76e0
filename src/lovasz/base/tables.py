"""CSV tables that are safe to open in a spreadsheet and to show on a terminal."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import Any, TextIO

from lovasz.base.cells import guard_cell
from lovasz.base.text import printable


def write_table(file: TextIO, rows: Iterable[Iterable[Any]], *, end: str = "\r\n") -> None:
    """Write rows as CSV; text that a spreadsheet would run gets a quote in front.

    The readers of node tables know names with that quote. On a terminal, characters that would
    move its cursor or change its colours are shown as escapes; a file or a pipe gets them as they
    are.
    """
    shown = _Screen(file) if file.isatty() else file
    writer = csv.writer(shown, lineterminator=end)
    for row in rows:
        writer.writerow([guard_cell(cell) if isinstance(cell, str) else cell for cell in row])


class _Screen:
    """A terminal that is sent printable text only."""

    def __init__(self, file: TextIO) -> None:
        self.file = file

    def write(self, text: str) -> int:
        """Write the text, with escapes for all but printable characters and ends of lines."""
        return self.file.write(printable(text.replace("\r\n", "\n")))
