"""A part of the reproduction page, before it is HTML or Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Entry:
    """One entry of a table: our number, and beside it what the paper says.

    ``mark`` is "", "ours" (our best of the row), "paper" (the paper's best) or "both". Without a
    ``paper`` of its own the mark "paper" is about the text.
    """

    text: str
    mark: str = ""
    paper: str = ""

    @property
    def ours_best(self) -> bool:
        """Whether our number is our best."""
        return self.mark in ("ours", "both")

    @property
    def paper_best(self) -> bool:
        """Whether the paper's number is its best."""
        return self.mark in ("paper", "both")


@dataclass(frozen=True)
class Table:
    """Rows of entries below a heading; the first column names the row."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Entry | str]]


@dataclass(frozen=True)
class Picture:
    """A figure: ``paint`` draws it; ``label`` says it in words.

    Text is 10 units high. Up to a width of 440 it is legible on a phone; wider pictures are
    scrolled there. ``name`` is also that of its file.
    """

    name: str
    label: str
    caption: str
    paint: Callable[[Figure], None]
    width: float = 400
    height: float = 300


@dataclass(frozen=True)
class Section:
    """What is said of one item: how it was run, what came out, what agrees and what does not."""

    title: str
    protocol: Sequence[str]
    """Paragraphs: data, splits, readings, seeds."""
    verdict: Sequence[str]
    """Paragraphs: where we agree with the paper, where not, and why."""
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
