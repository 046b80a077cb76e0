"""A section of the reproduction page, before it becomes HTML or Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Entry:
    """One entry of a table: our number, and beside it the paper's.

    ``mark`` is "", "ours" (our best of the row), "paper" (the paper's best of the row) or "both".
    If ``paper`` is empty, the mark "paper" applies to ``text``.
    """

    text: str
    mark: str = ""
    paper: str = ""

    @property
    def ours_best(self) -> bool:
        """Whether our number is our best of the row."""
        return self.mark in ("ours", "both")

    @property
    def paper_best(self) -> bool:
        """Whether the paper's number is its best of the row."""
        return self.mark in ("paper", "both")


@dataclass(frozen=True)
class Table:
    """A table with a caption and column headings; the first column names the row."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Entry | str]]


@dataclass(frozen=True)
class Picture:
    """A figure: ``paint`` draws it, ``label`` describes it in words.

    Text is 10 units high, which a phone shows legibly up to a width of 440; wider pictures are
    scrolled there. The file of the picture is named after ``name``.
    """

    name: str
    label: str
    caption: str
    paint: Callable[[Figure], None]
    width: float = 400
    height: float = 300


@dataclass(frozen=True)
class Section:
    """What the page says about one item: how it was run, what came out, what agrees."""

    title: str
    protocol: Sequence[str]
    """Paragraphs on the data, splits, readings and seeds."""
    verdict: Sequence[str]
    """Paragraphs on where we agree with the paper, where we do not, and why."""
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
