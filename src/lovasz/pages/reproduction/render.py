"""The reproduction page as HTML and as Markdown, from the same parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from xml.etree import ElementTree

from markupsafe import Markup

from lovasz.base.text import pluralize
from lovasz.pages.reproduction.contents import NEAR, Part, Reproduction
from lovasz.pages.reproduction.section import Entry, Picture, Table
from lovasz.pages.style import FONTS, draw_svg
from lovasz.pages.template import environment

TITLE = "Lovász Convolutional Networks, rerun"
PHONE = 440
"""Pictures wider than this are scrolled on a phone, where their text would be too small."""


def draw_pictures(page: Reproduction) -> dict[str, Markup]:
    """Draw every picture: its name on the page -> SVG that follows the page's theme."""
    return {
        f"{part.name}-{picture.name}": draw_svg(
            picture.paint,
            name=f"{part.name}-{picture.name}",
            label=picture.label,
            width=picture.width,
            height=picture.height,
        )
        for part, picture in _pictures(page)
    }


def _pictures(page: Reproduction) -> Iterator[tuple[Part, Picture]]:
    for part in page.parts:
        for picture in part.section.pictures if part.section else ():
            yield part, picture


def stand_alone(svg: Markup) -> str:
    """The picture as a file of its own, with dark lines on a white background."""
    root = ElementTree.fromstring(svg)
    _, _, width, height = root.attrib["viewBox"].split()
    root.attrib |= {"xmlns": "http://www.w3.org/2000/svg", "width": width, "height": height}
    root.insert(0, ElementTree.Element("rect", width=width, height=height, fill="#fff"))
    for element in root.iter():
        if style := element.get("style"):
            for themed, plain in (
                ("currentColor", "#1b1f24"), ("var(--faint)", "#9aa2ab"), ("var(--paper)", "#fff")
            ):  # fmt: skip
                style = style.replace(themed, plain)
            element.set("style", style)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def render_html(page: Reproduction, pictures: Mapping[str, Markup]) -> str:
    """The page as one HTML document that loads no other file."""
    return (
        environment()
        .get_template("pages/reproduction/reproduction.html")
        .render(
            title=TITLE + (" (quick)" if page.quick else ""),
            fonts=FONTS,
            page=page,
            near=f"{NEAR:g}",
            pictures=pictures,
            numeric=numeric,
            entry=_entry,
            phone=PHONE,
        )
    )


def _entry(value: Entry | str) -> Entry:
    return value if isinstance(value, Entry) else Entry(value)


def numeric(table: Table) -> list[bool]:
    """For each column, whether it holds numbers and is aligned to the right."""
    return [
        column > 0
        and all(
            re.match(r"[-+−–<≤≥≈]?\s?\d|[-–]$|not run$|$", _entry(row[column]).text)
            for row in table.rows
        )
        for column in range(len(table.columns))
    ]


def render_markdown(page: Reproduction) -> str:
    """The page as Markdown, with the same content as the HTML."""
    return "\n\n".join(_paragraphs(page)) + "\n"


def _paragraphs(page: Reproduction) -> Iterator[str]:
    yield f"# {TITLE}"
    if page.quick:
        yield (
            "> **A quick run.** It has few rows, few splits and one setting. It shows that the "
            "code works, and proves nothing."
        )
    yield (
        f"The paper publishes {page.total('published')} accuracies, and {page.compared} of them "
        f"were measured again. Of our numbers, {page.total('near')} are within {NEAR:g} points of "
        f"the paper’s, {page.total('above')} are higher and {page.total('below')} are lower."
    )
    yield _markdown_table(
        ["part", "cells run", "published", "ours", f"within {NEAR:g}", "above", "below"],
        [
            [
                f"[{_plain(part.title)}](#{part.name})",
                f"{part.cells - part.missing} of {part.cells}",
                *map(str, _counts(part)),
            ]
            for part in page.parts
        ],
    )
    yield f"Written by lovasz {page.version} with `{page.command}`. The cells took {page.time}."
    yield (
        "In the tables, our highest number of a row is **bold** and the paper’s highest is in "
        "*italics*."
    )
    for part in page.parts:
        yield from _markdown_part(part)


def _counts(part: Part) -> Sequence[int | str]:
    if not part.published:
        return ["–"] * 5
    return (part.published, len(part.differences), part.near, part.above, part.below)


def _markdown_part(part: Part) -> Iterator[str]:
    yield f'<a id="{part.name}"></a>\n\n## {_plain(part.title)}'
    if part.section is None:
        yield f"Nothing was run (`lovasz reproduce {part.name}`)."
    else:
        yield from map(_plain, part.section.verdict)
        for picture in part.section.pictures:
            yield f"![{_plain(picture.label)}](figures/{part.name}-{picture.name}.svg)"
            yield _plain(picture.caption)
        for table in part.section.tables:
            yield f"**{_plain(table.caption)}**"
            rows = [[_markdown_entry(_entry(value)) for value in row] for row in table.rows]
            yield _markdown_table([_plain(c) for c in table.columns], rows, numeric(table))
        yield "### How it was run"
        yield from map(_plain, part.section.protocol)
    for reason, count, which in part.gaps:
        yield _plain(f"{pluralize(count, 'cell')} without a result ({reason}): {which}.")


def _markdown_entry(entry: Entry) -> str:
    ours, paper = _plain(entry.text), _plain(entry.paper)
    if entry.ours_best:
        ours = f"**{ours}**"
    if entry.paper_best and paper:
        paper = f"*{paper}*"
    elif entry.paper_best:
        ours = f"*{ours}*"
    return f"{ours} / {paper}" if paper else ours


def _markdown_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool] | None = None
) -> str:
    right = right or [k > 0 for k in range(len(columns))]
    rule = ["---:" if side else "---" for side in right]
    return "\n".join("| " + " | ".join(line) + " |" for line in (columns, rule, *rows))


def _plain(text: str) -> str:
    """Escape text so that Markdown shows it unchanged."""
    return re.sub(r"([\\`*_\[\]<>|])", r"\\\1", " ".join(text.split()))
