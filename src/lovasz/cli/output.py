"""What several commands print."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lovasz.base.rounding import format_down, format_up
from lovasz.base.text import printable
from lovasz.cli.failure import remark

SUSPICIOUS_SHOWN = 10
"""Number of suspicious labels that are printed; ``--json`` has all of them."""


def command_line() -> str:
    """The command as the user typed it, for the pages to quote."""
    return shlex.join(["lovasz", *sys.argv[1:]])


def name_graph(path: str) -> str:
    """The short name of a graph: its file name, or "standard input"."""
    return "standard input" if path == "-" else printable(Path(path).name)


def tell_notes(graph: Any, *, name: str | None = None) -> None:
    """Print on stderr what was changed or assumed when a graph was read; ``name`` says which."""
    for note in graph.notes:
        remark(note if name is None else f"{name}: {note}")


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
    files = {name: str(out / name) for name in ("predictions.csv", "report.html", "model")}
    if as_json:
        print(json.dumps(job.summary() | {"files": files}))
        return
    for note in job.page.notes:
        remark(note)
    _show_methods(job)
    _show_tried(job)
    if job.page.rests_on:
        print(f"shares  {printable(job.page.rests_on)}")
    if job.page.expectation:
        print(f"expect  {printable(job.page.expectation)}")
    _show_suspicious(job)
    print(f"labels  {files['predictions.csv']}")
    print(f"model   {files['model']}")
    print(f"page    {files['report.html']}")


def _show_methods(job: Any) -> None:
    """Print the comparison with GCN, or why there is none."""
    from lovasz.base.text import pluralize
    from lovasz.pages.report.statistics import compare_paired, word_verdict
    from lovasz.workflows.labelling import standard_deviation

    if not job.methods:
        print(f"{job.page.protocol}\n")
        return
    print(f"{'method':<24}{'accuracy':>9}{'sd':>7}{'min':>8}{'max':>8}")
    for method in job.methods:
        a = 100 * method.accuracy
        spread = f"{standard_deviation(a):7.1f}{a.min():8.1f}{a.max():8.1f}"
        print(f"{method.name:<24}{100 * method.mean:9.1f}{spread}")
    first, *others = job.methods
    print(f"test accuracy in %, {pluralize(len(first.accuracy), first.unit)}")
    if first.folds:
        for other in others:
            print(word_verdict(compare_paired(first, other)))
    print()


def _show_tried(job: Any) -> None:
    """Print the candidates with their shares."""
    if not job.page.tried:
        return
    heads = f"{'accuracy':>9}" if job.page.measured else ""
    print(f"{'tried, by labels kept from it':<40}{heads}{'log-loss':>10}{'share':>7}")
    for name, trial in job.page.tried.items():
        known = trial.accuracy == trial.accuracy
        accuracy = f"{f'{100 * trial.accuracy:.1f}' if known else '–':>9}" if heads else ""
        surprise = f"{trial.surprise:.3f}" if trial.surprise == trial.surprise else "–"
        share = f"{100 * job.page.shares[name]:.0f}%"
        print(f"{name:<40}{accuracy}{surprise:>10}{share:>7}")
    print()


def _show_suspicious(job: Any) -> None:
    """Print the first given labels that look wrong."""
    from lovasz.base.text import pluralize

    found, classes = job.page.suspicious, job.page.classes
    if not found:
        return
    more = f"; the first {SUSPICIOUS_SHOWN}" if len(found) > SUSPICIOUS_SHOWN else ""
    print(f"check   {pluralize(len(found), 'given label')} may be wrong{more}:")
    for label in found[:SUSPICIOUS_SHOWN]:
        said = f"{classes[label.suggested]!r} ({label.probability:.0%})"
        node, given = printable(label.node), classes[label.given]
        print(f"        {node}: given {given!r}, the model suggests {said}")
