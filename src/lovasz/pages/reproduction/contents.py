"""What the reproduction page shows, before it becomes HTML or Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lovasz.pages.reproduction.section import Section

NEAR = 2.0
"""A number of ours within this many points of accuracy agrees with the paper's."""


@dataclass(frozen=True)
class Part:
    """What the page shows for one item."""

    name: str
    title: str
    section: Section | None
    """The text, tables and pictures, or None if nothing was run."""
    cells: int
    """Number of cells of the item, with or without a result."""
    gaps: Sequence[tuple[str, int, str]]
    """(reason, number of cells, their names) for the cells without a result."""
    published: int
    """Number of accuracies that the paper prints for this item."""
    differences: Sequence[float]
    """Our accuracy minus the paper's, for every published number that we measured too."""

    @property
    def near(self) -> int:
        """Number of our accuracies that agree with the paper's."""
        return sum(abs(d) <= NEAR for d in self.differences)

    @property
    def above(self) -> int:
        """Number of our accuracies that are higher than the paper's."""
        return sum(d > NEAR for d in self.differences)

    @property
    def below(self) -> int:
        """Number of our accuracies that are lower than the paper's."""
        return sum(d < -NEAR for d in self.differences)

    @property
    def missing(self) -> int:
        """Number of cells without a result."""
        return sum(count for _, count, _ in self.gaps)


@dataclass(frozen=True)
class Reproduction:
    """The whole page, before it becomes HTML or Markdown."""

    parts: Sequence[Part]
    command: str
    """The command that writes this page."""
    quick: bool
    version: str
    """The version of lovasz that writes the page."""
    versions: Sequence[str]
    """The versions of lovasz that measured the cells."""
    seconds: float
    """Total time that the cells took, if run one after the other."""

    def total(self, of: str) -> int:
        """The sum over all parts of the attribute ``of``."""
        return sum(getattr(part, of) for part in self.parts)

    @property
    def compared(self) -> int:
        """Number of published accuracies that we measured too."""
        return sum(len(part.differences) for part in self.parts)

    @property
    def missing(self) -> int:
        """Number of cells without a result."""
        return sum(part.missing for part in self.parts)

    @property
    def time(self) -> str:
        """Total time of the cells, in words."""
        for unit, name in ((3600, "hours"), (60, "minutes")):
            if self.seconds >= 1.5 * unit:
                return f"{self.seconds / unit:.1f} {name}"
        return f"{self.seconds:.0f} seconds"
