"""Measuring cells: on this machine's cores or on a cluster, each saved as soon as it is done."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from lovasz.errors import LovaszError
from lovasz.experiments.cell import Cell, Context, Item, Store
from lovasz.progress import progress


@dataclass(frozen=True)
class Summary:
    """What became of the cells of a run."""

    measured: int
    kept: int
    """Were there already (``resume``)."""
    missing: tuple[tuple[Cell, str], ...]
    """Left out, and the dataset that is not here."""
    failed: tuple[tuple[Cell, str], ...]
    """And why."""


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

    ``resume`` skips cells that are there. ``only`` names the methods to run. ``backend="dask"``
    sends cells to the workers of the cluster at ``scheduler`` through joblib; results come back
    here, so the cluster needs no folder in common. A cell that fails does not stop the others.
    """
    context = Context(quick=store.quick, device=device)
    cells = [cell for item in items for cell in item.cells(store.quick)]
    cells = [cell for cell in cells if not only or cell.method in only]
    kept = {cell for cell in cells if resume and store.read(cell) is not None}
    absent = {name: _absent(name) for cell in cells for name in cell.data}
    missing = [(c, name) for c in cells for name in c.data if absent[name] and c not in kept]
    left_out = {cell for cell, _ in missing} | kept
    todo = [cell for cell in cells if cell not in left_out]
    # The longest first: no core is left waiting for a long one at the end.
    todo.sort(key=lambda cell: -cell.cost)
    failed, spent = [], 0.0
    with (
        progress("Reproducing", sum(cell.cost for cell in todo)) as update,
        _workers(backend, scheduler, jobs) as parallel,
    ):
        for number, (cell, result, seconds) in enumerate(_measured(parallel, todo, items, context)):
            if isinstance(result, str):
                failed.append((cell, result))
            else:
                store.write(cell, result, seconds)
            spent += cell.cost
            update(spent, f"{number + 1} of {len(todo)} cells: {cell.item} {cell.row}")
    measured = len(todo) - len(failed)
    return Summary(measured, len(kept), tuple(missing), tuple(failed))


def _measured(
    parallel: Any, cells: Sequence[Cell], items: Sequence[Item], context: Context
) -> Iterator[tuple[Cell, dict[str, Any] | str, float]]:
    """(cell, result or what went wrong, seconds), as they come."""
    if parallel is None:
        yield from (measure(cell, context) for cell in cells)
        return
    from joblib import delayed

    yield from parallel(delayed(measure)(cell, context) for cell in cells)


def measure(cell: Cell, context: Context) -> tuple[Cell, dict[str, Any] | str, float]:
    """Measure one cell; what goes wrong is returned, so that other cells go on."""
    from lovasz.experiments import find

    started = time.monotonic()
    result: dict[str, Any] | str
    try:
        result = find(cell.item).measure(cell, context)
    except Exception as problem:  # whatever it is, it belongs to this cell
        result = f"{type(problem).__name__}: {problem}"
    return cell, result, time.monotonic() - started


@contextmanager
def _workers(backend: str, scheduler: str | None, jobs: int) -> Iterator[Any]:
    """joblib's pool of processes, or of a cluster's workers; None for this process alone."""
    if backend not in ("local", "dask"):
        raise LovaszError(f"backend={backend!r} is not known; use 'local' or 'dask'")
    if jobs < 1:
        raise LovaszError(f"jobs={jobs} must be at least 1")
    if backend == "local" and jobs == 1:
        yield None
        return
    from joblib import Parallel, parallel_config

    settings: Any = nullcontext()
    if backend == "dask":
        settings = parallel_config("dask", client=_client(scheduler))
        jobs = -1
    else:
        # One thread a process: cells are many, and threads that wait for each other cost more.
        settings = parallel_config("loky", inner_max_num_threads=1)
    with settings:
        yield Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)


def _client(scheduler: str | None) -> Any:
    if scheduler is None:
        raise LovaszError(
            "backend 'dask' needs the address of a scheduler, such as tcp://host:8786"
        )
    try:
        from dask.distributed import Client
    except ImportError:
        raise LovaszError("backend 'dask' needs dask: pip install 'lovasz[dask]'") from None
    try:
        return Client(scheduler, timeout=10, set_as_default=False)
    except (OSError, ValueError) as problem:
        raise LovaszError(f"no dask scheduler answers at {scheduler} ({problem})") from None


def _absent(name: str) -> bool:
    """Whether the files of a dataset are not on this machine."""
    from lovasz.datasets import registry
    from lovasz.datasets.files import locate

    return any(locate(file) is None for file in registry[name].files)
