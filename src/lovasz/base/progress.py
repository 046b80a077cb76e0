"""Progress on stderr: a line for what takes long, silence when nobody watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

Callback = Callable[[int, str], None]
"""Called as work goes on: steps done, and a word on how it goes."""

PATIENCE = 2.0
"""Seconds before anything is shown."""


def shift(callback: Callback, by: int, name: str = "") -> Callback:
    """The callback of a part of the work that starts when ``by`` steps are done."""
    return lambda done, note: callback(by + done, f"{name}: {note}" if name else note)


@contextmanager
def progress(what: str, total: float | None) -> Iterator[Callable[..., None]]:
    """Yield ``update(done, note)``; a bar, or the time gone by where the total is unknown.

    It shows on a terminal only, not before it takes two seconds, and leaves no trace.
    """
    bar = _bar(total) if sys.stderr.isatty() else None
    if bar is None:
        yield lambda done, note="": None
        return
    task = bar.add_task(what, total=total, note="")
    timer = Timer(PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda done, note="": bar.update(task, completed=done, note=note)
    finally:
        timer.cancel()
        timer.join()  # it may be about to start what is to be stopped
        bar.stop()


def _bar(total: float | None) -> Any:
    """The line to show; None for a terminal that cannot move its cursor."""
    from rich import progress as rich
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_interactive:
        return None
    # Names of files are no markup.
    what = rich.TextColumn("{task.description}", markup=False)
    note = rich.TextColumn("{task.fields[note]}", markup=False)
    if total is None:
        return rich.Progress(
            rich.SpinnerColumn(), what, rich.TimeElapsedColumn(), note,
            console=console, transient=True,
        )  # fmt: skip
    percent = rich.TextColumn("{task.percentage:>3.0f}%")
    return rich.Progress(
        what, rich.BarColumn(), percent, rich.TimeRemainingColumn(), note,
        console=console, transient=True,
    )  # fmt: skip
