"""Measure cells on this machine or on a cluster, and save each one when it is done."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

from lovasz.base.errors import LovaszError
from lovasz.base.extras import needed_for
from lovasz.base.processes import DIED, call_apart, call_on_one_thread, check_jobs
from lovasz.base.progress import progress
from lovasz.reproduce.engine.cells import Cell, Context, Item, Store

Measured = tuple[Cell, dict[str, Any] | str, float]
"""A cell, its result or an error message, and the seconds that it took."""


@dataclass(frozen=True)
class Summary:
    """What happened to the cells of a run."""

    measured: tuple[Cell, ...]
    kept: tuple[Cell, ...]
    """Cells whose result was there already (``resume``)."""
    missing: tuple[tuple[Cell, str], ...]
    """Cells that were left out, each with the dataset that is not on this machine."""
    failed: tuple[tuple[Cell, str], ...]
    """Cells that failed, each with the error message."""


def run(
    items: Sequence[Item],
    store: Store,
    *,
    resume: bool = False,
    jobs: int = 1,
    backend: str = "local",
    scheduler: str | None = None,
    device: str = "auto",
    only: Sequence[str] = (),
) -> Summary:
    """Measure every cell of ``items`` and save it in ``store``.

    ``resume`` skips cells that have a result. ``only`` names the methods to run.
    ``backend="dask"`` sends cells to the workers of the cluster at ``scheduler``.
    The results come back to this process, so the cluster needs no shared folder, but every worker
    needs the data. A cell that fails does not stop the others.
    """
    cells = [cell for item in items for cell in item.cells(store.quick)]
    _check(cells, only, jobs, backend)
    cells = [cell for cell in cells if not only or cell.method in only]
    kept = [cell for cell in cells if resume and store.read(cell) is not None]
    # On a cluster the workers hold the data, and they report what is missing.
    names = {name for cell in cells for name in cell.data} if backend == "local" else set()
    absent = {name for name in names if _absent(name)}
    missing = [(c, name) for c in cells for name in c.data if name in absent and c not in kept]
    left_out = {cell for cell, _ in missing} | set(kept)
    # The longest cells go first, so that no core runs a long one alone at the end.
    todo = sorted((cell for cell in cells if cell not in left_out), key=lambda cell: -cell.cost)
    _keep_full_results(store)
    work = {item.name: item.measure for item in items}
    context = Context(quick=store.quick, device=device)
    measured, failed, spent = [], [], 0.0
    with (
        progress("Reproducing", sum(cell.cost for cell in todo)) as update,
        closing(_measured(todo, work, context, jobs, backend, scheduler)) as results,
    ):
        for number, (cell, result, seconds) in enumerate(results):
            if isinstance(result, str):
                failed.append((cell, result))
            else:
                store.write(cell, result, seconds)
                measured.append(cell)
            spent += cell.cost
            update(spent, f"{number + 1} of {len(todo)} cells: {cell.item} {cell.row}")
    return Summary(tuple(measured), tuple(kept), tuple(missing), tuple(failed))


def _check(cells: Sequence[Cell], only: Sequence[str], jobs: int, backend: str) -> None:
    if backend not in ("local", "dask"):
        raise LovaszError(f"backend={backend!r} is not known; use 'local' or 'dask'")
    check_jobs(jobs)
    known = dict.fromkeys(cell.method for cell in cells)
    for method in only:
        if method not in known:
            raise LovaszError(f"no cell has the method {method!r}; known: {', '.join(known)}")


def _keep_full_results(store: Store) -> None:
    if store.would_lose():
        raise LovaszError(
            f"{store.folder} holds results of a full run, which quick ones would replace; "
            "choose another folder"
        )


def _measured(
    cells: Sequence[Cell],
    work: Mapping[str, Callable[..., dict[str, Any]]],
    context: Context,
    jobs: int,
    backend: str,
    scheduler: str | None,
) -> Generator[Measured, None, None]:
    """Yield the outcome of each cell when it is done."""
    if backend == "dask":
        yield from _on_cluster(cells, work, context, scheduler)
    elif jobs == 1:
        yield from (measure_cell(work[cell.item], cell, context) for cell in cells)
    elif cells:
        yield from _on_cores(cells, work, context, jobs)


def measure_cell(
    work: Callable[[Cell, Context], dict[str, Any]], cell: Cell, context: Context
) -> Measured:
    """Measure one cell; an error is returned as text, so that other cells go on."""
    started = time.monotonic()
    result: dict[str, Any] | str
    try:
        # Through JSON, as it will be read; a value that JSON cannot hold fails this cell alone.
        result = json.loads(json.dumps(work(cell, context)))
    except Exception as problem:  # any error belongs to this cell
        said = " ".join(str(problem).split())
        result = said if isinstance(problem, LovaszError) else f"{type(problem).__name__}: {said}"
    return cell, result, time.monotonic() - started


def _measure_any(
    cell: Cell, work: Mapping[str, Callable[..., dict[str, Any]]], context: Context
) -> Measured:
    """Call :func:`measure_cell` with the work of the cell."""
    return measure_cell(work[cell.item], cell, context)


def _on_cores(
    cells: Sequence[Cell], work: Mapping[str, Any], context: Context, jobs: int
) -> Generator[Measured, None, None]:
    """Measure in processes of one thread each, because competing threads are slower."""
    measure = partial(_measure_any, work=work, context=context)
    with closing(call_apart(measure, cells, jobs)) as outcomes:
        for position, outcome in outcomes:
            yield (cells[position], DIED, 0.0) if outcome is None else outcome


def _on_cluster(
    cells: Sequence[Cell], work: Mapping[str, Any], context: Context, scheduler: str | None
) -> Generator[Measured, None, None]:
    measure, parent = partial(_measure_any, work=work, context=context), os.getpid()
    # Not through joblib, which measures in this process where the cluster has one core so far.
    with _client(scheduler) as client:
        from dask.distributed import as_completed

        try:
            sent = [
                client.submit(call_on_one_thread, measure, 0, cell, parent, pure=False)
                for cell in cells
            ]
            for _, (_, outcome) in as_completed(sent, loop=client.loop, with_results=True):
                yield outcome
        except Exception as problem:  # an error of the cluster; cells return theirs as text
            raise LovaszError(
                f"the cluster at {scheduler} failed ({type(problem).__name__}: {problem}); "
                "finished cells are kept; repair the cluster and resume"
            ) from None


def _client(scheduler: str | None) -> Any:
    if scheduler is None:
        raise LovaszError(
            "backend 'dask' needs the address of a scheduler, such as tcp://host:8786"
        )
    with needed_for("backend 'dask'"):
        from dask.distributed import Client
    try:
        return Client(scheduler, timeout=10, set_as_default=False)
    except (OSError, ValueError) as problem:
        raise LovaszError(f"no dask scheduler answers at {scheduler} ({problem})") from None


def _absent(name: str) -> bool:
    """Whether some file of a dataset is not on this machine."""
    from lovasz.datasets import registry
    from lovasz.datasets.download import locate

    return any(locate(file) is None for file in registry[name].files)
