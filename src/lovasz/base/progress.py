"""Progress on stderr: one line for work that takes long, and nothing without a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

Callback = Callable[[int, str], None]
"""Called while work goes on with the number of steps done and a short note."""

PATIENCE = 2.0
"""Seconds that pass before the line is shown."""


def shift(callback: Callback, by: int, name: str = "") -> Callback:
    """Return the callback for a part of the work that starts after ``by`` steps.

    ``name`` of the part stands before its notes.
    """
    return lambda done, note: callback(by + done, f"{name}: {note}" if name else note)


@contextmanager
def progress(what: str, total: float | None) -> Iterator[Callable[..., None]]:
    """Yield ``update(done, note)``, which moves a bar, or a clock if ``total`` is None.

    The line is shown on a terminal only, after :data:`PATIENCE` seconds, and is cleared at the
    end.
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
        timer.join()  # or it might start the bar after it was stopped
        bar.stop()


def _bar(total: float | None) -> Any:
    """Return the line to show, or None if the terminal cannot move its cursor."""
    from rich import progress as rich
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_interactive:
        return None
    # The name of a file may contain brackets, which rich would read as markup.
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
