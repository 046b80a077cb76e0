"""Progress on stderr: a bar for what takes long, silence when nobody watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Callback = Callable[[int, str], None]
"""Called as work goes on: steps done, and a word on how it goes."""


def shift(callback: Callback, by: int, name: str = "") -> Callback:
    """The callback of a part of the work that starts when ``by`` steps are done."""
    return lambda done, note: callback(by + done, f"{name}: {note}" if name else note)


@contextmanager
def progress(what: str, total: float | None) -> Iterator[Callable[..., None]]:
    """Yield ``update(done, note)``; the bar shows on a terminal only and leaves no trace."""
    if not sys.stderr.isatty():
        yield lambda done, note="": None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"),
        TimeRemainingColumn(), TextColumn("{task.fields[note]}"),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total, note="")
        yield lambda done, note="": bar.update(task, completed=done, note=note)
