"""Shows every ``benchmarks/*.txt`` on the page of benchmarks, as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

MARK = "<!-- every benchmarks/*.txt -->"
"""The line of a page that the tables replace."""


def add_tables(app: Any, docname: str, source: list[str]) -> None:
    """Replace the mark by one section per file."""
    if MARK not in source[0]:
        return
    folder = Path(app.srcdir).parent / "benchmarks"
    tables = []
    for path in sorted(folder.glob("*.txt")):
        app.env.note_dependency(str(path))
        title = path.stem.replace("_", " ")
        tables.append(
            f"## {title}\n\nThe output of `benchmarks/{path.stem}.py`.\n\n"
            f"```{{literalinclude}} ../benchmarks/{path.name}\n:language: text\n```\n"
        )
    source[0] = source[0].replace(MARK, "\n".join(tables))


def setup(app: Any) -> dict[str, Any]:
    """Register the replacement."""
    app.connect("source-read", add_tables)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
