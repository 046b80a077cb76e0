"""The page of a reproduction: every table and figure beside the published numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import lovasz
from lovasz.experiments.cell import Cell, Item, Store
from lovasz.experiments.section import Section
from lovasz.experiments.summary import NOT_RUN, title_of
from lovasz.files import staged

NEAR = 2.0
"""Points of accuracy up to which we call a number the paper's."""
FILES = ("reproduction.html", "reproduction.md")


@dataclass(frozen=True)
class Part:
    """What the page has of one item."""

    name: str
    title: str
    section: Section | None
    """None: nothing was run."""
    cells: int
    missing: Sequence[tuple[Cell, str]]
    """And why."""
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

    @cached_property
    def gaps(self) -> list[tuple[str, int, str]]:
        """(reason, cells, which), of what is missing."""
        by_reason: dict[str, list[Cell]] = {}
        for cell, reason in self.missing:
            by_reason.setdefault(reason, []).append(cell)
        return [(reason, len(cells), _named(cells)) for reason, cells in by_reason.items()]


def _named(cells: Sequence[Cell]) -> str:
    """The rows of cells by method; a row of several parts once."""
    methods: dict[str, dict[str, None]] = {}
    for cell in cells:
        methods.setdefault(title_of(cell.method), {})[cell.row] = None
    return "; ".join(f"{method}: {', '.join(rows)}" for method, rows in methods.items())


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
        return sum(len(part.missing) for part in self.parts)

    @property
    def time(self) -> str:
        """What the cells took, in words."""
        for unit, name in ((3600, "hours"), (60, "minutes")):
            if self.seconds >= 1.5 * unit:
                return f"{self.seconds / unit:.1f} {name}"
        return f"{self.seconds:.0f} seconds"


def write_page(
    store: Store,
    items: Sequence[Item],
    folder: Path,
    *,
    command: str,
    reasons: Mapping[Cell, str] | None = None,
) -> Path:
    """Write reproduction.html, which needs nothing else, and reproduction.md with its figures.

    Both say the same. ``reasons`` tells why cells have no result, where that is known. The path
    of the HTML.
    """
    from lovasz.experiments.render import draw_pictures, render_html, render_markdown, stand_alone

    page = gather(store, items, command=command, reasons=reasons or {})
    pictures = draw_pictures(page)
    figures = {f"figures/{name}.svg": stand_alone(svg) for name, svg in pictures.items()}
    texts = dict(
        zip(FILES, (render_html(page, pictures), render_markdown(page)), strict=True), **figures
    )
    with staged(folder, *texts) as temporary:
        for name, text in texts.items():
            path = temporary / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return folder / FILES[0]


def gather(
    store: Store, items: Sequence[Item], *, command: str, reasons: Mapping[Cell, str]
) -> Reproduction:
    """What there is to say of ``items`` from the results in ``store``."""
    known = [store.about(cell) for item in items for cell in item.cells(store.quick)]
    found = [about for about in known if about is not None]
    return Reproduction(
        [_part(store, item, reasons) for item in items],
        command,
        store.quick,
        lovasz.__version__,
        sorted({version for version, _ in found}),
        sum(seconds for _, seconds in found),
    )


def _part(store: Store, item: Item, reasons: Mapping[Cell, str]) -> Part:
    cells = item.cells(store.quick)
    measured = set(store.measured(item))
    results = store.results(item)
    differences = [
        ours[0] - paper
        for (row, method), paper in item.published.items()
        if (ours := item.headline(results, row, method)) is not None
    ]
    return Part(
        item.name,
        item.title,
        item.section(results) if results else None,
        len(cells),
        [(c, reasons.get(c, NOT_RUN)) for c in cells if c not in measured],
        len(item.published),
        differences,
    )
