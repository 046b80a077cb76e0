"""``lovasz reproduce``."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lovasz.base.errors import LovaszError
from lovasz.cli.completion import complete_item
from lovasz.cli.failure import complain, wrong_call
from lovasz.cli.options import Device
from lovasz.cli.output import command_line
from lovasz.cli.signals import Interrupted

if TYPE_CHECKING:
    from lovasz.reproduce.engine.cells import Cell, Item, Store
    from lovasz.reproduce.engine.run import Summary

# The default of --out.
FOLDER = Path("lovasz-reproduction")


class Backend(StrEnum):
    """The values of ``--backend``."""

    local = "local"
    dask = "dask"


def reproduce(
    items: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ITEM...|all]",
            help="Tables and figures; all of them by default.",
            autocompletion=complete_item,
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Few rows and splits, in minutes; proves nothing.")
    ] = False,
    out: Annotated[Path, typer.Option(help="Folder for the results and the page.")] = FOLDER,
    resume: Annotated[
        bool, typer.Option("--resume", help="Keep the cells that are in the folder.")
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Processes; by default one per core, or a single one with a GPU."),
    ] = None,
    backend: Annotated[
        Backend, typer.Option(help="Where cells are measured: this machine or a dask cluster.")
    ] = Backend.local,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Address of the dask scheduler, such as tcp://host:8786."
        ),
    ] = None,
    device: Device = "auto",
    method: Annotated[
        list[str] | None, typer.Option(help="Run this method only; may be repeated.")
    ] = None,
    page_only: Annotated[
        bool,
        typer.Option("--page-only", help="Only write the page, from existing results."),
    ] = False,
) -> None:
    """Run the tables and figures of the LCN paper again, beside the published numbers.

    Items, in the paper's order: theta-sandwich, bipartite, sbm, embeddings, uci-mnist,
    mnist-multiclass, citation, caveman, hypergraph. Beyond the paper: hypergraph-real, kernels,
    defaults. Each is made of cells, one method on one row; every cell is saved as JSON as soon as
    it is done. Ctrl-C loses the cells under way only.

    Writes reproduction.html (one file, works offline), reproduction.md and figures/ to the folder.

    Cells whose data set is not on this machine are left out, and the exit code stays 0; a cell
    that fails makes it 1. On a cluster every worker needs lovasz and the data.

    Example: `lovasz reproduce caveman uci-mnist --quick`; `lovasz reproduce all --resume`, which
    continues after Ctrl-C; `lovasz reproduce --backend dask --scheduler tcp://host:8786`
    """
    from lovasz.base.files import staged
    from lovasz.reproduce.engine.cells import Store
    from lovasz.reproduce.engine.page import FILES
    from lovasz.reproduce.engine.run import run

    if scheduler is not None and backend is Backend.local:
        raise typer.BadParameter(f"--scheduler {scheduler} needs --backend dask; add that")
    if scheduler is None and backend is Backend.dask:
        raise typer.BadParameter("--backend dask needs --scheduler ADDRESS, the dask scheduler's")
    wanted = _wanted(items or [])
    store = Store(out, quick=quick)
    with staged(out, *FILES):
        pass  # if the folder cannot be written, this fails before any work is done
    summary = None
    try:
        if not page_only:
            summary = run(
                wanted, store, resume=resume, jobs=jobs or _cores(device, backend),
                backend=backend.value, scheduler=scheduler, device=device, only=method or [],
            )  # fmt: skip
        page = _write(store, _with_results(wanted, out), out, summary)
    except Interrupted:
        _tell_interrupted(wanted, store)
        raise typer.Exit(1) from None
    _show(wanted, store, summary)
    print(f"page  {page}")
    if summary is not None and summary.failed:
        raise typer.Exit(1)


def _wanted(names: Sequence[str]) -> list[Item]:
    """The named items, once each, in the order of the paper."""
    from lovasz.reproduce import ITEMS, find

    for name in names:
        if name != "all":
            with wrong_call():
                find(name)
    every = not names or "all" in names
    return [find(name) for name in ITEMS if every or name in names]


def _with_results(wanted: Sequence[Item], out: Path) -> list[Item]:
    """The items of the page, including those of earlier runs into the same folder."""
    from lovasz.reproduce import ITEMS, find

    named = {item.name for item in wanted}
    return [find(name) for name in ITEMS if name in named or (out / name).is_dir()]


def _cores(device: str, backend: Backend) -> int:
    """The number of processes: one per core, but a single one if they would share a GPU."""
    if backend is Backend.dask:
        return 1  # the cluster knows its workers
    import torch

    if device.startswith("cuda") or (device == "auto" and torch.cuda.is_available()):
        return 1
    from joblib import cpu_count

    return int(cpu_count())


def _tell_interrupted(wanted: Sequence[Item], store: Store) -> None:
    kept = sum(len(store.measured(item)) for item in wanted)
    cells = f"{kept} cell{'s are' if kept != 1 else ' is'} kept in {store.folder}"
    complain(f"interrupted; {cells}; go on with --resume")


def _write(store: Store, wanted: Sequence[Item], out: Path, summary: Summary | None) -> Path:
    from lovasz.reproduce.engine.page import write_page

    try:
        return write_page(
            store,
            wanted,
            out,
            command=command_line(),
            reasons=_reasons(summary),
        )
    except ImportError as problem:  # a machine for measuring may lack what only the page needs
        raise LovaszError(
            f"the results are in {out}, but the page needs {problem.name}; install it, or write "
            "the page elsewhere with --page-only"
        ) from None


def _reasons(summary: Summary | None) -> dict[Cell, str]:
    if summary is None:
        return {}
    absent = {cell: f"the data set {name} is not there" for cell, name in summary.missing}
    return absent | {cell: f"failed: {why}" for cell, why in summary.failed}


def _show(wanted: Sequence[Item], store: Store, summary: Summary | None) -> None:
    """Print one line per item, and on stderr what failed and what to do about missing data."""
    if summary is None:
        print(f"{'item':<20}{'cells':>8}{'results':>9}")
        for item in wanted:
            cells = len(item.cells(store.quick))
            print(f"{item.name:<20}{cells:>8}{len(store.measured(item)):>9}")
        return
    groups = (
        summary.measured,
        summary.kept,
        {cell for cell, _ in summary.missing},
        [cell for cell, _ in summary.failed],
    )
    print(f"{'item':<20}{'measured':>9}{'kept':>8}{'missing':>9}{'failed':>8}")
    for item in wanted:
        numbers = [sum(cell.item == item.name for cell in group) for group in groups]
        print(f"{item.name:<20}{numbers[0]:>9}{numbers[1]:>8}{numbers[2]:>9}{numbers[3]:>8}")
    for cell, why in summary.failed:
        part = "" if cell.part is None else f" {cell.part}"
        complain(f"{cell.item} {cell.row} {cell.method}{part} failed: {why}")
    for name in dict.fromkeys(name for _, name in summary.missing):
        cells = sum(other == name for _, other in summary.missing)
        complain(_remedy(name, cells))


def _remedy(name: str, cells: int) -> str:
    from lovasz.datasets import registry

    left = f"{cells} cell{'s' if cells != 1 else ''} left out: the data set {name} is not here"
    if all(file.url for file in registry[name].files):
        return f"{left}; `lovasz data fetch {name}` downloads it, then go on with --resume"
    return f"{left} and at no public address; set LOVASZ_DATA to a folder that holds it"
