"""What the page of a reproduction shows, before it is HTML or Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lovasz.pages.reproduction.section import Section

NEAR = 2.0
"""Points of accuracy up to which we call a number the paper's."""


@dataclass(frozen=True)
class Part:
    """What the page has of one item."""

    name: str
    title: str
    section: Section | None
    """None: nothing was run."""
    cells: int
    gaps: Sequence[tuple[str, int, str]]
    """(reason, number of cells, their names), of the cells without a result."""
    published: int
    differences: Sequence[float]
    """Ours less the paper's, for every published number that has one."""

    @property
    def near(self) -> int:
        """How many of our numbers are the paper's."""
        return sum(abs(d) <= NEAR for d in self.differences)

    @property
    def above(self) -> int:
        """How many are higher."""
        return sum(d > NEAR for d in self.differences)

    @property
    def below(self) -> int:
        """How many are lower."""
        return sum(d < -NEAR for d in self.differences)

    @property
    def missing(self) -> int:
        """How many cells have no result."""
        return sum(count for _, count, _ in self.gaps)


@dataclass(frozen=True)
class Reproduction:
    """The whole page, before it is HTML or Markdown."""

    parts: Sequence[Part]
    command: str
    quick: bool
    version: str
    versions: Sequence[str]
    """Of lovasz, that measured the cells."""
    seconds: float
    """That the cells took, one after the other."""

    def total(self, of: str) -> int:
        """A number of all parts together."""
        return sum(getattr(part, of) for part in self.parts)

    @property
    def compared(self) -> int:
        """How many published numbers have one of ours beside them."""
        return sum(len(part.differences) for part in self.parts)

    @property
    def missing(self) -> int:
        """How many cells have no result."""
        return sum(part.missing for part in self.parts)

    @property
    def time(self) -> str:
        """What the cells took, in words."""
        for unit, name in ((3600, "hours"), (60, "minutes")):
            if self.seconds >= 1.5 * unit:
                return f"{self.seconds / unit:.1f} {name}"
        return f"{self.seconds:.0f} seconds"
