"""``lovasz theta`` of many graphs: one row each, in a file that a further call can go on with."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from lovasz.base.rounding import format_down, format_up
from lovasz.base.text import pluralize
from lovasz.cli.failure import complain
from lovasz.cli.output import name_graph, tell_notes
from lovasz.cli.signals import Interrupted, Request

if TYPE_CHECKING:
    from lovasz.graphs.source import Source
    from lovasz.number.batch import ThetaOptions
    from lovasz.workflows.graph_batch import GraphJob, GraphRow

STDOUT = "-"
"""The name of the CSV file that is standard output."""
HEAD = f"{'graph':<24}{'n':>7}{'m':>9}{'ϑ ≥':>15}{'ϑ ≤':>15}{'α':>9}{'cover':>9}{'s':>8}  method"
"""The head of the table for people."""


def bound_many(
    graphs: Sequence[str],
    options: ThetaOptions,
    *,
    symmetrize: bool,
    table: str | None,
    resume: bool,
    processes: int,
    as_json: bool,
    stdin: Source | None = None,
) -> None:
    """Solve every graph of the files; write the rows into ``table``, or print them."""
    from lovasz.base.processes import check_jobs
    from lovasz.base.progress import progress
    from lovasz.workflows.batch_table import BatchTable
    from lovasz.workflows.graph_batch import list_jobs

    check_jobs(processes)
    path = None if table in (None, STDOUT) else Path(str(table))
    if resume and path is None:
        raise typer.BadParameter("--resume needs --csv FILE, the table to go on with")
    jobs = list_jobs(graphs, options, symmetrize=symmetrize, stdin=stdin)
    rows: list[GraphRow] = []
    with nullcontext() if path is None else BatchTable(path, jobs, resume=resume) as file:
        left = [job for job in jobs if file is None or job.place not in file.done]
        show = _printer(csv=table == STDOUT, silent=path is not None or as_json)
        # Between processes an exception harms nothing; inside compiled code it might.
        request = Request()
        alone = request.awaited(lambda: None) if processes == 1 else nullcontext()
        solved = _solved(left, options, symmetrize, processes, request, sort=path is None)
        try:
            with progress(name_graph(graphs[0]), len(left)) as update, alone, closing(solved):
                for row in solved:
                    if file is not None:
                        file.add(row)
                    show(row)
                    rows.append(row)
                    update(len(rows), f"{len(rows):,} of {len(left):,} graphs")
            if file is not None:
                file.sort()
        except Interrupted:
            request.made = True
    if request.made and len(rows) < len(left):
        _tell_interrupted(len(left) - len(rows), path)
    if as_json:
        print(json.dumps([row.as_dict() for row in rows], allow_nan=False))
    failed = sum(bool(row.error) for row in rows)
    if path is not None and len(rows) == len(left):
        print(f"table  {path}, {pluralize(len(jobs), 'graph')}, {failed:,} failed")
    if failed or len(rows) < len(left):
        raise typer.Exit(1)


def _solved(
    jobs: Sequence[GraphJob],
    options: ThetaOptions,
    symmetrize: bool,
    processes: int,
    stop: Callable[[], bool],
    *,
    sort: bool,
) -> Generator[GraphRow, None, None]:
    """Yield the rows as they are done, or sorted; failures and notes are lines on stderr."""
    from lovasz.base.processes import in_order
    from lovasz.workflows.graph_batch import bound_graphs

    found = bound_graphs(jobs, options, symmetrize=symmetrize, processes=processes, stop=stop)
    with closing(found) as results:
        for row in in_order(results) if sort else (row for _, row in results):
            if row.error:
                complain(_naming(row))
            where = "" if row.line is None else f" line {row.line}"
            tell_notes(row, name=f"{name_graph(row.file)}{where}")
            yield row


def _naming(row: GraphRow) -> str:
    """The error with the name of the graph in front, unless it is there already."""
    if row.line is not None:
        return f"{row.file} line {row.line}: {row.error}"
    return row.error if row.error.startswith(row.file) else f"{row.file}: {row.error}"


def _tell_interrupted(missing: int, path: Path | None) -> None:
    kept = f"; the others are in {path}, go on with --resume" if path else ""
    complain(f"interrupted with {pluralize(missing, 'graph')} left{kept}")


def _printer(*, csv: bool, silent: bool) -> Callable[[GraphRow], None]:
    """Return a function that prints a row on stdout; failed ones are only in the CSV."""
    if silent:
        return lambda row: None
    if csv:
        from lovasz.base.tables import write_table
        from lovasz.workflows.graph_batch import COLUMNS

        write_table(sys.stdout, [COLUMNS])
        return lambda row: write_table(sys.stdout, [row.cells()])
    print(HEAD)
    return _print_line


def _print_line(row: GraphRow) -> None:
    """Print a line of the table; the bounds are rounded outwards, so they stay proven."""
    if row.error:
        return
    name = name_graph(row.file) + (f":{row.line}" if row.line is not None else "")
    lower, upper = format_down(row.lower or 0.0, 7), format_up(row.upper or 0.0, 7)
    alpha, cover = (
        f"{low}" if low == high else f"{low}–{high}"
        for low, high in ((row.alpha_lower, row.alpha_upper), (row.cover_lower, row.cover_upper))
    )
    state = "" if row.status == "optimal" else f"; {row.status}"
    print(
        f"{name:<24}{row.n:>7,}{row.m:>9,}{lower:>15}{upper:>15}{alpha:>9}{cover:>9}"
        f"{row.seconds:>8.3f}  {row.method}{state}",
        flush=True,
    )
