"""Write the reproduction page from the saved results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import lovasz
from lovasz.base.files import staged
from lovasz.pages.reproduction.contents import Part, Reproduction
from lovasz.reproduce.engine.cells import Cell, Item, Store
from lovasz.reproduce.tables.numbers import NOT_RUN, title_of

FILES = ("reproduction.html", "reproduction.md")
"""The page in its two formats."""


def write_page(
    store: Store,
    items: Sequence[Item],
    folder: Path,
    *,
    command: str,
    reasons: Mapping[Cell, str] | None = None,
) -> Path:
    """Write reproduction.html, and reproduction.md with its figures; return the HTML's path.

    Both have the same content, and the HTML loads no other file. ``reasons`` says why cells have
    no result, where that is known.
    """
    from lovasz.pages.reproduction.render import (
        draw_pictures,
        render_html,
        render_markdown,
        stand_alone,
    )

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
    """Gather the contents of the page for ``items`` from the results in ``store``."""
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
        _gaps([(c, reasons.get(c, NOT_RUN)) for c in cells if c not in measured]),
        len(item.published),
        differences,
    )


def _gaps(missing: Sequence[tuple[Cell, str]]) -> list[tuple[str, int, str]]:
    """Group missing cells by reason: (reason, number of cells, their names)."""
    by_reason: dict[str, list[Cell]] = {}
    for cell, reason in missing:
        by_reason.setdefault(reason, []).append(cell)
    return [(reason, len(cells), _named(cells)) for reason, cells in by_reason.items()]


def _named(cells: Sequence[Cell]) -> str:
    """The rows of cells by method; a row of several graphs is named once."""
    methods: dict[str, dict[str, None]] = {}
    for cell in cells:
        methods.setdefault(title_of(cell.method), {})[cell.row] = None
    return "; ".join(f"{method}: {', '.join(rows)}" for method, rows in methods.items())
