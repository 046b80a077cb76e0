"""Links of pages that are also read in the repository, made to work on the site.

A page may link to a file outside ``docs/``. If a page of the site shows that file, the link goes
to the page; any other file can be downloaded. ``<a id="…"></a>`` becomes a target of MyST, so
that links to it are checked.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "benchmarks/README.md": "benchmarks.md",
    "results/reproduction.md": "reproduction.md",
    "docs/decisions": "decisions/README.md",
    "docs/decisions/": "decisions/README.md",
    "examples": "gallery/index.rst",
}
"""Files of the repository and the pages that show them."""
LINK = re.compile(r"(\[[^\]]*\]\()([^)#:\s]+)(#[^)\s]*)?(\))")
ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
INCLUDE = re.compile(r"```\{include\} (\S+)\n(?:[^`]*)```\n")


def translate(app: Any, docname: str, source: list[str]) -> None:
    """Rewrite the links of one page, and of the file that it includes."""
    if Path(app.env.doc2path(docname)).suffix != ".md":
        return
    docs = Path(app.srcdir)
    page = Path(app.env.doc2path(docname)).parent
    text = source[0]
    if (included := INCLUDE.search(text)) is not None:
        path = (page / included.group(1)).resolve()
        app.env.note_dependency(str(path))
        content = move_links(path.read_text(encoding="utf-8"), path.parent, page, docs)
        text = text[: included.start()] + content + text[included.end() :]
    else:
        text = move_links(text, page, page, docs)
    source[0] = ANCHOR.sub(r"(\1)=", text)


def move_links(text: str, here: Path, page: Path, docs: Path) -> str:
    """Links that are right in the folder ``here``, rewritten for a page in ``page``."""

    def move(match: re.Match[str]) -> str:
        before, target, anchor, after = match.groups()
        path = (here / target).resolve()
        inside = os.path.relpath(path, docs.parent)
        if inside in PAGES:
            path = docs / PAGES[inside]
        elif inside.startswith("examples/") and path.suffix == ".py":
            path = docs / "gallery" / f"{path.stem}.rst"
        elif not path.exists():
            return match.group()
        return before + os.path.relpath(path, page) + (anchor or "") + after

    return LINK.sub(move, text)


def setup(app: Any) -> dict[str, Any]:
    """Register the rewriting of sources."""
    app.connect("source-read", translate)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
