"""Measuring cells: on this machine's cores or on a cluster, each saved as soon as it is done."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from lovasz.base.errors import LovaszError
from lovasz.base.progress import progress
from lovasz.reproduce.engine.cells import Cell, Context, Item, Store

Measured = tuple[Cell, dict[str, Any] | str, float]
"""A cell, its result or what went wrong, seconds."""
DIED = "its process was ended from outside, most likely for want of memory"


@dataclass(frozen=True)
class Summary:
    """What became of the cells of a run."""

    measured: tuple[Cell, ...]
    kept: tuple[Cell, ...]
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
    here, so the cluster needs no folder in common, but every worker needs the data. A cell that
    fails does not stop the others.
    """
    cells = [cell for item in items for cell in item.cells(store.quick)]
    _check(cells, only, jobs, backend)
    cells = [cell for cell in cells if not only or cell.method in only]
    kept = [cell for cell in cells if resume and store.read(cell) is not None]
    # On a cluster the data is with the workers; whether they have it, they say.
    names = {name for cell in cells for name in cell.data} if backend == "local" else set()
    absent = {name for name in names if _absent(name)}
    missing = [(c, name) for c in cells for name in c.data if name in absent and c not in kept]
    left_out = {cell for cell, _ in missing} | set(kept)
    # The longest first: no core is left waiting for a long one at the end.
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
            f"{store.folder} holds results of full size, which quick ones would replace; "
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
    """The cells, as they are done."""
    if backend == "dask":
        yield from _on_cluster(cells, work, context, scheduler)
    elif jobs == 1:
        yield from (measure(work[cell.item], cell, context) for cell in cells)
    elif cells:
        yield from _on_cores(cells, work, context, jobs)


def measure(
    work: Callable[[Cell, Context], dict[str, Any]], cell: Cell, context: Context
) -> Measured:
    """Measure one cell; what goes wrong is returned, so that other cells go on."""
    started = time.monotonic()
    result: dict[str, Any] | str
    try:
        # As it will be read again; what JSON cannot hold is an error of this cell alone.
        result = json.loads(json.dumps(work(cell, context)))
    except Exception as problem:  # whatever it is, it belongs to this cell
        said = " ".join(str(problem).split())
        result = said if isinstance(problem, LovaszError) else f"{type(problem).__name__}: {said}"
    return cell, result, time.monotonic() - started


def _measure_apart(
    work: Callable[[Cell, Context], dict[str, Any]], cell: Cell, context: Context
) -> Measured:
    """:func:`measure` in a process that shares its machine with others like it."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # what torch, not yet loaded, will go by
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    outcome = measure(work, cell, context)
    if "torch" in sys.modules and sys.modules["torch"].cuda.is_initialized():
        sys.modules["torch"].cuda.empty_cache()  # the GPU is shared too
    return outcome


def _on_cores(
    cells: Sequence[Cell], work: Mapping[str, Any], context: Context, jobs: int
) -> Generator[Measured, None, None]:
    """In processes of one thread each: threads that wait for each other cost more."""
    from joblib import parallel_config

    left = list(cells)
    with parallel_config("loky", inner_max_num_threads=1), warnings.catch_warnings():
        # joblib replaces processes that have grown; it is no news to the user.
        warnings.filterwarnings("ignore", message="A worker stopped while some jobs")
        _start_processes(jobs)
        try:
            with closing(_dispatch(cells, work, context, n_jobs=jobs)) as results:
                for outcome in results:
                    left.remove(outcome[0])
                    yield outcome
        except BrokenExecutor:
            # All that was under way is lost and nobody knows whose fault it was. One at a time,
            # a cell that needs much memory has all there is, and one that dies is known.
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
        except Exception as problem:  # of the cluster: cells return theirs
            raise LovaszError(
                f"the cluster at {scheduler} failed ({type(problem).__name__}: {problem}); "
                "what is done is kept; mend it and resume"
            ) from None


def _dispatch(
    cells: Sequence[Cell], work: Mapping[str, Any], context: Context, **settings: Any
) -> Generator[Measured, None, None]:
    """Through joblib's backend of the moment, as they are done."""
    from joblib import Parallel, delayed

    parallel = Parallel(return_as="generator_unordered", batch_size=1, **settings)
    results = None
    try:
        with _signals_for_this_process_alone():  # joblib starts its processes here
            results = parallel(delayed(_measure_apart)(work[c.item], c, context) for c in cells)
        yield from results
    finally:
        with warnings.catch_warnings():  # that not all was waited for: an interrupt, and meant
            warnings.simplefilter("ignore")
            if results is not None:
                results.close()


@contextmanager
def _signals_for_this_process_alone() -> Iterator[None]:
    """Processes started meanwhile never see Ctrl-C, which a terminal sends to all at once.

    They would die with a traceback each; this process ends them when it ends.
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
    """Have joblib's processes running before the first cell.

    One that is interrupted while it starts prints a traceback; so wait for them. First of all
    start the two helpers that track resources: later they would unblock what is blocked here.
    """
    from joblib import Parallel, delayed
    from joblib.externals.loky.backend import resource_tracker as of_joblib

    if sys.platform != "win32":
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()
        of_joblib.ensure_running()
    with _signals_for_this_process_alone():
        Parallel(n_jobs=jobs, batch_size=1)(delayed(time.sleep)(0.05) for _ in range(jobs))


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
    from lovasz.datasets.download import locate

    return any(locate(file) is None for file in registry[name].files)
