"""What an experiment is made of, and where its results are kept."""

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
    """The unit of work that is saved whole: one method on one row of a table or figure."""

    item: str
    row: str
    method: str
    part: int | None = field(default=None, kw_only=True)
    """Where a row is several graphs, the number of one; None: the row is one cell."""
    cost: float = field(default=1.0, compare=False, kw_only=True)
    """Of the order of its seconds, for the time left."""
    data: tuple[str, ...] = field(default=(), compare=False, kw_only=True)
    """The datasets it reads."""

    @property
    def path(self) -> Path:
        """Its place below the results folder."""
        names = (self.row, self.method, *([] if self.part is None else [str(self.part)]))
        plain = (re.sub(r"[^\w.+-]+", "_", name) for name in names)
        return Path(self.item, "--".join(plain) + ".json")


@dataclass(frozen=True)
class Context:
    """How cells are measured."""

    quick: bool = False
    device: str = "auto"


Results = Mapping[tuple[str, str], Any]
"""(row, method) -> what was measured there."""


def _no_headline(results: Results, row: str, method: str) -> tuple[float, float] | None:
    return None


@dataclass(frozen=True)
class Item:
    """A table or figure of the paper: its cells, how to measure one, what to say of all."""

    name: str
    title: str
    cells: Callable[[bool], Sequence[Cell]]
    """quick -> the cells."""
    measure: Callable[[Cell, Context], dict[str, Any]]
    section: Callable[[Results], Section]
    published: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """(row, method) -> the paper's accuracy in per cent, for the count at the top of the page."""
    headline: Callable[[Results, str, str], tuple[float, float] | None] = _no_headline
    """(results, row, method) -> our mean and standard deviation beside it; None: not measured."""


class Store:
    """A folder with a JSON file a cell."""

    def __init__(self, folder: Path, *, quick: bool = False) -> None:
        self.folder, self.quick = folder, quick

    def read(self, cell: Cell) -> dict[str, Any] | None:
        """What was measured; None if it was not, or at the other of quick and full size."""
        saved = self._load(cell)
        return saved["result"] if saved is not None and saved["quick"] == self.quick else None

    def measured(self, item: Item) -> list[Cell]:
        """The cells of an item that are there."""
        return [cell for cell in item.cells(self.quick) if self.read(cell) is not None]

    def would_lose(self) -> bool:
        """Whether a quick page, or quick results, would take the place of those of full size."""
        paths = self.folder.glob("*/*.json") if self.quick else ()
        return any(not _saved(path)["quick"] for path in paths)

    def about(self, cell: Cell) -> tuple[str, float] | None:
        """The version of lovasz that measured it and the seconds it took."""
        saved = self._load(cell)
        if saved is None or saved["quick"] != self.quick:
            return None
        return str(saved.get("lovasz", "?")), float(saved.get("seconds", 0))

    def _load(self, cell: Cell) -> dict[str, Any] | None:
        path = self.folder / cell.path
        return _saved(path) if path.exists() else None

    def write(self, cell: Cell, result: dict[str, Any], seconds: float) -> None:
        """Save a cell; an interrupt leaves the whole file or none."""
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
        """What is there of an item; of a row in parts, the parts before the first that is not.

        So the parts of two methods are those of the same graphs, as far as both go.
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
        saved = json.loads(path.read_text(encoding="utf-8"))
        saved["result"], saved["quick"]  # what every result has
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise LovaszError(f"{path} is no result ({problem}); delete it and resume") from None
    return saved


def joined(parts: Sequence[Any]) -> Any:
    """Results of parts as one: lists one after the other, entry by entry of their dictionaries.

    >>> joined([{"test": [1, 2]}, {"test": [3]}])
    {'test': [1, 2, 3]}
    """
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], dict):
        return {key: joined([part[key] for part in parts]) for key in parts[0]}
    return [value for part in parts for value in part]
