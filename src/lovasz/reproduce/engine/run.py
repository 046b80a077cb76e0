"""Measure cells on this machine or on a cluster, and save each one when it is done."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from lovasz.base.errors import LovaszError
from lovasz.base.extras import needed_for
from lovasz.base.progress import progress
from lovasz.reproduce.engine.cells import Cell, Context, Item, Store

Measured = tuple[Cell, dict[str, Any] | str, float]
"""A cell, its result or an error message, and the seconds that it took."""
WATCH = "watch of the parent"
"""The name of the thread that ends a process whose parent is gone."""
LOOK = 1.0
"""Seconds between two looks for the parent."""
DIED = "its process was killed, most likely because memory ran out"
"""The error message of a cell whose process ended without an answer."""


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
    ``backend="dask"`` sends cells through joblib to the workers of the cluster at ``scheduler``.
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
    if jobs < 1:
        raise LovaszError(f"jobs={jobs} must be at least 1")
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


def _measure_apart(
    work: Callable[[Cell, Context], dict[str, Any]], cell: Cell, context: Context, parent: int
) -> Measured:
    """Call :func:`measure_cell` in a process that shares the machine with others like it."""
    _end_with(parent)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # torch reads it when it is imported
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    outcome = measure_cell(work, cell, context)
    if "torch" in sys.modules and sys.modules["torch"].cuda.is_initialized():
        sys.modules["torch"].cuda.empty_cache()  # other processes use the GPU too
    return outcome


def _end_with(parent: int, pause: float = 0.0) -> None:
    """Let this process end when its parent does, however that ends; then wait for a moment.

    A parent that is killed cannot end its processes. Those of a cluster have other parents.
    """
    if os.getppid() == parent and not any(t.name == WATCH for t in threading.enumerate()):
        threading.Thread(target=_watch, args=(parent,), name=WATCH, daemon=True).start()
    time.sleep(pause)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK)
    os._exit(1)


def _on_cores(
    cells: Sequence[Cell], work: Mapping[str, Any], context: Context, jobs: int
) -> Generator[Measured, None, None]:
    """Measure in processes of one thread each, because competing threads are slower."""
    from joblib import parallel_config

    left = list(cells)
    with parallel_config("loky", inner_max_num_threads=1), warnings.catch_warnings():
        # joblib warns when it replaces a process that has grown; the user need not know.
        warnings.filterwarnings("ignore", message="A worker stopped while some jobs")
        _start_processes(jobs)
        try:
            with closing(_dispatch(cells, work, context, n_jobs=jobs)) as results:
                for outcome in results:
                    left.remove(outcome[0])
                    yield outcome
        except BrokenExecutor:
            # All cells under way are lost, and which of them caused it is unknown. Run one at a
            # time, a cell has all memory to itself, and one that kills its process is identified.
            for cell in left:
                try:
                    yield from _dispatch([cell], work, context, n_jobs=2)
                except BrokenExecutor:
                    yield cell, DIED, 0.0


def _on_cluster(
    cells: Sequence[Cell], work: Mapping[str, Any], context: Context, scheduler: str | None
) -> Generator[Measured, None, None]:
    from joblib import parallel_config

    with _client(scheduler) as client, parallel_config("dask", client=client):
        try:
            with closing(_dispatch(cells, work, context, n_jobs=-1, pre_dispatch="all")) as results:
                yield from results
        except Exception as problem:  # an error of the cluster; cells return theirs as text
            raise LovaszError(
                f"the cluster at {scheduler} failed ({type(problem).__name__}: {problem}); "
                "finished cells are kept; repair the cluster and resume"
            ) from None


def _dispatch(
    cells: Sequence[Cell], work: Mapping[str, Any], context: Context, **settings: Any
) -> Generator[Measured, None, None]:
    """Yield outcomes from joblib's current backend when they are done."""
    from joblib import Parallel, delayed

    parallel = Parallel(return_as="generator_unordered", batch_size=1, **settings)
    results = None
    try:
        with _signals_blocked():  # joblib starts its processes here
            parent = os.getpid()
            results = parallel(
                delayed(_measure_apart)(work[c.item], c, context, parent) for c in cells
            )
        yield from results
    finally:
        with warnings.catch_warnings():  # joblib warns of unfinished cells after an interrupt
            warnings.simplefilter("ignore")
            if results is not None:
                results.close()


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Start processes that never see Ctrl-C, which a terminal sends to all processes at once.

    Each of them would print a traceback. This process ends them when it ends.
    """
    if sys.platform == "win32":
        yield
        return
    ours = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ours)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_processes(jobs: int) -> None:
    """Start joblib's processes and wait until they run.

    A process that is interrupted while it starts prints a traceback. The two processes that track
    resources start first, because starting them later would unblock the signals blocked here.
    """
    from joblib import Parallel, delayed
    from joblib.externals.loky.backend import resource_tracker as of_joblib

    if sys.platform != "win32":
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()
        of_joblib.ensure_running()
    with _signals_blocked():
        Parallel(n_jobs=jobs, batch_size=1)(
            delayed(_end_with)(os.getpid(), 0.05) for _ in range(jobs)
        )


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
