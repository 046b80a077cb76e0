"""Colours and texts of the pages, and matplotlib figures that follow the theme of a page."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Callable, Sequence
from io import StringIO
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Ten colours that are as far apart as possible in OKLab, also for protans, deutans and tritans,
# while each has a contrast of at least 2.7 with both the white and the dark page.
PALETTE = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#3aa5f0",
    "#7a3cf0",
    "#75675f",
    "#b8222f",
    "#c4149a",
    "#7878fc",
)
# After ten classes the colours repeat with another shape: matplotlib's name of the shape, and
# the same shape as an SVG path for the legend of the page.
SHAPES = (
    ("o", "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z"),
    ("s", "M-3.6,-3.6h7.2v7.2h-7.2z"),
    ("^", "M0,-4.4l4.4,8h-8.8z"),
    ("D", "M0,-4.8l4.8,4.8l-4.8,4.8l-4.8,-4.8z"),
    ("v", "M0,4.4l4.4,-8h-8.8z"),
    ("P", "M-1.6,-4.5h3.2v2.9h2.9v3.2h-2.9v2.9h-3.2v-2.9h-2.9v-3.2h2.9z"),
)
RIGHT = PALETTE[0]
"""Colour of right answers."""
WRONG = PALETTE[1]
"""Colour of wrong answers."""
NEITHER = "#868b92"
"""A grey for what is neither right nor wrong."""
METHODS = (PALETTE[0], NEITHER, PALETTE[1], PALETTE[2], PALETTE[5])
"""Colours of the compared methods, in the order of the methods."""

# The four colours below stand for colours of the page's theme, which replace them in the SVG.
# No figure uses them for anything else.
INK = "#010203"
"""Stands for the colour of text."""
FAINT = "#010204"
"""Stands for the colour of axes and edges."""
PAPER = "#010205"
"""Stands for the background of the page."""
NAME = "#010206"
"""Stands for the colour of names that are written over edges."""
_THEME = {
    INK: "currentColor",
    FAINT: "var(--faint)",
    PAPER: "var(--paper)",
    # A rim in the colour of the page keeps names legible where they cross edges.
    NAME: "currentColor; stroke: var(--paper); stroke-width: 2.4px; paint-order: stroke",
}
_RC: Any = {
    "svg.fonttype": "none",  # text stays text, which is small and in the font of the page
    "text.parse_math": False,  # a node may be called $x_1$
    "font.family": "DejaVu Sans",  # comes with matplotlib, so layouts are the same everywhere
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.frameon": False,
    "legend.labelcolor": INK,
}
FONTS = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif"
"""Fonts of a page and of its figures. For scripts that none of them has, browsers search others."""
_REVERSING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that change the direction of the text that follows them."""
_SVG = "{http://www.w3.org/2000/svg}"
"""The XML namespace of SVG, as ElementTree writes it."""
_XLINK = "{http://www.w3.org/1999/xlink}"
"""The XML namespace of links, as ElementTree writes it."""


def class_color(code: int) -> str:
    """Return the colour of a class."""
    return PALETTE[code % len(PALETTE)]


def class_marker(code: int) -> str:
    """Return matplotlib's marker of a class."""
    return SHAPES[code // len(PALETTE) % len(SHAPES)][0]


def chip(code: int) -> Markup:
    """Return a small picture of the marker of a class, for legends and tables."""
    path = SHAPES[code // len(PALETTE) % len(SHAPES)][1]
    return Markup(
        '<svg class="chip" viewBox="-6 -6 12 12" aria-hidden="true"><path d="{}" fill="{}"/></svg>'
    ).format(path, class_color(code))


def clean(text: object) -> str:
    """Return text on one line without control characters or half surrogate pairs."""
    line = str(text)
    if line.isascii() and line.isprintable():
        return line
    return "".join(
        " " if c in "\n\r\t" else "\N{REPLACEMENT CHARACTER}" if _unprintable(c) else c
        for c in line
    )


def _unprintable(character: str) -> bool:
    # Categories Cc and Cs and two others break XML or UTF-8; bidirectional overrides would reverse
    # the text that follows a name.
    broken = unicodedata.category(character) in ("Cc", "Cs") or character in "\ufffe\uffff"
    return broken or character in _REVERSING


def columns(text: str) -> int:
    """Return the width of a text in letters; a Chinese character counts as two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def clip(text: object, width: int = 60) -> Markup:
    """Return text cut to ``width`` columns as HTML, with the whole text as its title."""
    line, short = clean(text), cut_text(text, width)
    if line == short:
        return escape(line)
    return Markup('<span title="{}">{}</span>').format(line, short)


def cut_text(text: object, width: int) -> str:
    """Return text cut to ``width`` columns, with an ellipsis if something was cut."""
    line = clean(text)
    if columns(line) <= width:
        return line
    end = accumulate(map(columns, line))
    return line[: sum(1 for _ in takewhile(lambda column: column < width, end))].rstrip() + "…"


def cut_names(names: Sequence[str], width: int) -> list[str]:
    """Return names cut to ``width`` columns.

    If two of them would look the same, their common beginning is left out.
    """
    short = [cut_text(name, width) for name in names]
    if len(set(short)) == len(short):
        return short
    columns = zip(*(clean(name) for name in names), strict=False)
    shared = sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, columns))
    return [cut_text("…" + clean(name)[shared:], width) for name in names]


def draw_svg(
    paint: Callable[[Figure], None],
    *,
    name: str,
    label: str,
    width: float = 400,
    height: float = 300,
) -> Markup:
    """Run ``paint`` on a figure of ``width`` x ``height`` units and return it as inline SVG.

    The text of a figure is 10 units high. Figures are 400 units wide, so that a phone, which
    shows them 350 pixels wide, still shows text 9 pixels high. ``name`` keeps the ids of the
    figures of one page apart; screen readers read ``label`` out.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({**_RC, "svg.hashsalt": name}), warnings.catch_warnings():
        # The bundled font lacks some scripts; the browser has them.
        warnings.filterwarnings("ignore", message="Glyph")
        figure = Figure(figsize=(width / 72, height / 72), layout="constrained")
        paint(figure)
        out = StringIO()
        figure.savefig(out, format="svg", dpi=150, metadata={"Date": None})
    root = ElementTree.fromstring(out.getvalue())
    _make_inline(root, name)
    root.attrib = {
        "viewBox": root.attrib["viewBox"],
        "role": "img",
        "font-family": FONTS,
        "aria-label": label,
        "style": f"max-width:{width * 1.4:.0f}px",
    }
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _make_inline(root: ElementTree.Element, name: str) -> None:
    """Change a stand-alone SVG tree so that it can be part of a page with other figures.

    This drops what would affect the rest of the page (a style sheet for ``*``, unused ids). It
    rewrites attributes only, so that text, which users wrote, is never taken for markup.
    """
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.removeprefix(_SVG).rpartition("}")[2] in ("metadata", "style"):
                parent.remove(child)
    used = set()
    for element in root.iter():
        element.tag = element.tag.removeprefix(_SVG)
        element.attrib = {
            key.removeprefix(_XLINK): _attribute(key, value) for key, value in element.items()
        }
        for value in element.attrib.values():
            used.update(re.findall(r"^#(.+)|url\(#(.+?)\)", value))
    targets = {a or b for a, b in used}
    for element in root.iter():
        if element.get("id") in targets:
            element.set("id", f"{name}-{element.get('id')}")
        else:
            element.attrib.pop("id", None)
        for key, value in element.items():
            if value.startswith("#") and value[1:] in targets:
                element.set(key, f"#{name}-{value[1:]}")
            elif "url(#" in value:
                element.set(key, value.replace("url(#", f"url(#{name}-"))


def _attribute(key: str, value: str) -> str:
    if key in ("d", "x", "y", "transform"):  # a hundredth of a unit is finer than a pixel
        return re.sub(r"-?\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", value)
    if key == "style":
        # Older versions of matplotlib write "font", newer ones "font-family".
        value = re.sub(r"font:[^;]*?([\d.]+px)[^;]*", r"font-size: \1", value)
        value = re.sub(r"font-family:[^;]*;? ?", "", value)
        for sentinel, themed in _THEME.items():
            value = value.replace(sentinel, themed)
    return value
