"""The parts of an experiment (items and cells), and the folder that holds its results."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.base.files import atomic
from lovasz.pages.reproduction.section import Section


@dataclass(frozen=True)
class Cell:
    """One method on one row of a table or figure: the unit of work, saved as one file."""

    item: str
    row: str
    method: str
    part: int | None = field(default=None, kw_only=True)
    """Number of the graph if the row consists of several graphs, or None if it is one cell."""
    cost: float = field(default=1.0, compare=False, kw_only=True)
    """Rough estimate of its seconds, for the order of the cells and the time left."""
    data: tuple[str, ...] = field(default=(), compare=False, kw_only=True)
    """Names of the datasets that the cell reads."""

    @property
    def path(self) -> Path:
        """Path of its file, relative to the results folder."""
        names = (self.row, self.method, *([] if self.part is None else [str(self.part)]))
        plain = (re.sub(r"[^\w.+-]+", "_", name) for name in names)
        return Path(self.item, "--".join(plain) + ".json")


@dataclass(frozen=True)
class Context:
    """Options with which cells are measured."""

    quick: bool = False
    device: str = "auto"


Results = Mapping[tuple[str, str], Any]
"""(row, method) -> the measured result."""


def _no_headline(results: Results, row: str, method: str) -> tuple[float, float] | None:
    return None


@dataclass(frozen=True)
class Item:
    """A table or figure: its cells, how to measure one of them, and what to say about all."""

    name: str
    title: str
    cells: Callable[[bool], Sequence[Cell]]
    """``cells(quick)`` returns the cells of the quick or the full run."""
    measure: Callable[[Cell, Context], dict[str, Any]]
    """``measure(cell, context)`` returns a result that can be written as JSON."""
    section: Callable[[Results], Section]
    """``section(results)`` returns what the page says about the item."""
    published: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """(row, method) -> the paper's accuracy in per cent, for the counts at the top of the page."""
    headline: Callable[[Results, str, str], tuple[float, float] | None] = _no_headline
    """``headline(results, row, method)`` returns our mean and standard deviation, or None."""


class Store:
    """A folder with one JSON file per cell."""

    def __init__(self, folder: Path, *, quick: bool = False) -> None:
        self.folder, self.quick = folder, quick

    def read(self, cell: Cell) -> dict[str, Any] | None:
        """The result of a cell, or None if there is none of this store's size (quick or full)."""
        saved = self._load(cell)
        return saved["result"] if saved is not None and saved["quick"] == self.quick else None

    def measured(self, item: Item) -> list[Cell]:
        """The cells of an item that have a result."""
        return [cell for cell in item.cells(self.quick) if self.read(cell) is not None]

    def would_lose(self) -> bool:
        """Whether quick results or a quick page would replace those of a full run."""
        paths = self.folder.glob("*/*.json") if self.quick else ()
        return any(not _saved(path)["quick"] for path in paths)

    def about(self, cell: Cell) -> tuple[str, float] | None:
        """The version of lovasz that measured a cell and the seconds that it took."""
        saved = self._load(cell)
        if saved is None or saved["quick"] != self.quick:
            return None
        return str(saved.get("lovasz", "?")), float(saved.get("seconds", 0))

    def _load(self, cell: Cell) -> dict[str, Any] | None:
        path = self.folder / cell.path
        return _saved(path) if path.exists() else None

    def write(self, cell: Cell, result: dict[str, Any], seconds: float) -> None:
        """Save the result of a cell; an interrupt never leaves half a file."""
        path = self.folder / cell.path
        path.parent.mkdir(parents=True, exist_ok=True)
        about = {
            "row": cell.row,
            "method": cell.method,
            "part": cell.part,
            "quick": self.quick,
            "lovasz": lovasz.__version__,
            "seconds": round(seconds, 2),
            "result": result,
        }
        with atomic(path) as temporary:
            temporary.write_text(json.dumps(about, ensure_ascii=False) + "\n", "utf-8")

    def results(self, item: Item) -> Results:
        """The results of an item by (row, method).

        A row that consists of several graphs has the results of the graphs before the first one
        that is missing. Two methods can then be compared on the graphs that both have.
        """
        groups: dict[tuple[str, str], list[Any]] = {}
        for cell in item.cells(self.quick):
            groups.setdefault((cell.row, cell.method), []).append(self.read(cell))
        found = {
            key: list(takewhile(lambda part: part is not None, parts))
            for key, parts in groups.items()
        }
        return {key: joined(parts) for key, parts in found.items() if parts}


def _saved(path: Path) -> dict[str, Any]:
    try:
        saved: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        saved["result"], saved["quick"]  # a KeyError if the file is not a result
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise LovaszError(f"{path} is not a result ({problem}); delete it and resume") from None
    return saved


def joined(parts: Sequence[Any]) -> Any:
    """Join the results of several parts into one: lists are appended, key by key.

    >>> joined([{"test": [1, 2]}, {"test": [3]}])
    {'test': [1, 2, 3]}
    """
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], dict):
        return {key: joined([part[key] for part in parts]) for key in parts[0]}
    return [value for part in parts for value in part]
