"""What several commands print."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lovasz.base.rounding import format_down, format_up


def command_line() -> str:
    """The command as the user typed it, for the pages to quote."""
    return shlex.join(["lovasz", *sys.argv[1:]])


def name_graph(path: str) -> str:
    """The short name of a graph: its file name, or "standard input"."""
    return "standard input" if path == "-" else Path(path).name


def watch(
    update: Callable[..., None], silent: Callable[[], bool] = lambda: False
) -> Callable[[float, float], None]:
    """Return a callback that shows the current bounds on ϑ of the core until ``silent()``."""

    def show(lower: float, upper: float) -> None:
        if not silent():
            low, high = format_down(lower, 6), format_up(upper, 6)
            update(0, f"core: {low} ≤ ϑ ≤ {high}, gap {(upper - lower) / upper:.0e}")

    return show


def show_labelling(job: Any, out: Path, as_json: bool) -> None:
    """Print what ``demo`` or ``classify`` found, as tables or as JSON."""
    from lovasz.workflows.labelling import standard_deviation

    files = {name: str(out / name) for name in ("predictions.csv", "report.html", "model")}
    if as_json:
        print(json.dumps(job.summary() | {"files": files}))
        return
    for note in job.page.notes:
        print(f"note: {note}", file=sys.stderr)
    if job.methods:
        print(f"{'method':<24}{'accuracy':>9}{'sd':>7}{'min':>8}{'max':>8}")
        for method in job.methods:
            a = 100 * method.accuracy
            print(
                f"{method.name:<24}{a.mean():9.1f}{standard_deviation(a):7.1f}{a.min():8.1f}{a.max():8.1f}"
            )
        print(f"test accuracy in %, {len(job.methods[0].accuracy)} splits\n")
    else:
        print(f"{job.page.protocol}\n")
    if job.page.tried:
        print(f"{'tried, by labels kept from it':<40}{'accuracy':>9}{'log-loss':>10}{'share':>7}")
        for name, trial in job.page.tried.items():
            share = 100 * job.page.shares[name]
            print(f"{name:<40}{100 * trial.accuracy:9.1f}{trial.surprise:10.3f}{share:6.0f}%")
        print()
    if job.page.expectation:
        print(f"expect  {job.page.expectation}")
    print(f"labels  {files['predictions.csv']}")
    print(f"model   {files['model']}")
    print(f"page    {files['report.html']}")
