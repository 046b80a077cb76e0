"""Many calls of a function, each in one of several processes of a single thread.

Ctrl-C reaches this process only, and the others end with it, however it ends. A call that kills
its process, most likely because memory ran out, takes no other call along.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import closing, contextmanager
from typing import Any, TypeVar

from lovasz.base.checks import check_whole
from lovasz.base.extras import needed_for, require

T = TypeVar("T")
R = TypeVar("R")

WATCH = "watch of the parent"
"""The name of the thread that ends a process whose parent is gone."""
LOOK = 1.0
"""Seconds between two looks for the parent."""
DIED = "its process was killed, most likely because memory ran out"
"""What to say about a call without an answer."""


def check_jobs(jobs: int) -> None:
    """Raise if ``jobs`` is no number of processes, or they cannot be had."""
    check_whole(jobs, "jobs", least=1)
    if jobs > 1:
        require("joblib", what=f"jobs={jobs}")


def call_apart(
    function: Callable[[T], R], items: Iterable[T], jobs: int, *, batch: int | str = 1
) -> Generator[tuple[int, R | None], None, None]:
    """Yield the position of each item and ``function(item)``, in the order in which they are done.

    The result is None if the call killed its process. ``batch`` is the number of calls that are
    sent at once, or "auto" for as many as take half a second. Items are taken as they are needed,
    possibly by another thread. The function has to be picklable.
    """
    with needed_for("work in several processes"):
        from joblib import parallel_config

    source, waiting = enumerate(items), dict[int, T]()
    # Each process begins by looking for its parent, which may be killed before it sends a call.
    begin: Any = {"initializer": start_with, "initargs": (os.getpid(),)}
    with parallel_config("loky", inner_max_num_threads=1, **begin), warnings.catch_warnings():
        # joblib warns when it replaces a process that has grown; the user need not know.
        warnings.filterwarnings("ignore", message="A worker stopped while some jobs")
        _start_processes(jobs)
        while True:
            try:
                with closing(_sent(function, _noted(source, waiting), jobs, batch)) as results:
                    for position, result in results:
                        del waiting[position]
                        yield position, result
                return
            except BrokenExecutor:
                # All calls under way are lost, and which of them caused it is unknown. Run one at
                # a time, a call has all memory to itself, and one that kills is identified.
                for position in sorted(waiting):
                    yield position, _alone(function, waiting.pop(position))


def in_order(results: Iterable[tuple[int, R]]) -> Generator[R, None, None]:
    """Yield results, which come with their positions, in the order of these.

    >>> list(in_order([(1, "b"), (0, "a"), (2, "c")]))
    ['a', 'b', 'c']
    """
    waiting: dict[int, R] = {}
    following = 0
    for position, result in results:
        waiting[position] = result
        while following in waiting:
            yield waiting.pop(following)
            following += 1


def dispatch(calls: Iterable[Any], **settings: Any) -> Generator[Any, None, None]:
    """Yield the results of delayed calls from joblib's current backend when they are done."""
    from joblib import Parallel

    parallel = Parallel(return_as="generator_unordered", **settings)
    results = None
    try:
        with _signals_blocked():  # joblib starts its processes here
            results = parallel(calls)
        for result in results:  # noqa: UP028 - "yield from" would close it outside of what follows
            yield result
    finally:
        with warnings.catch_warnings():  # joblib warns of unfinished calls after an interrupt
            warnings.simplefilter("ignore")
            if results is not None:
                results.close()


def _noted(source: Iterator[tuple[int, T]], waiting: dict[int, T]) -> Iterator[tuple[int, T]]:
    """Note each item that is taken."""
    for position, item in source:
        waiting[position] = item
        yield position, item


def _sent(
    function: Callable[[T], R], items: Iterable[tuple[int, T]], jobs: int, batch: int | str
) -> Generator[tuple[int, R], None, None]:
    from joblib import delayed

    parent = os.getpid()
    calls = (
        delayed(call_on_one_thread)(function, position, item, parent) for position, item in items
    )
    return dispatch(calls, n_jobs=jobs, batch_size=batch)


def _alone(function: Callable[[T], R], item: T) -> R | None:
    """Call the function in a process while no other call runs."""
    try:
        return next(_sent(function, [(0, item)], 2, 1))[1]
    except BrokenExecutor:
        return None


def call_on_one_thread(
    function: Callable[[T], R], position: int, item: T, parent: int
) -> tuple[int, R]:
    """Call the function in a process that shares the machine with others like it."""
    end_with(parent)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # torch reads it when it is imported
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    result = function(item)
    if "torch" in sys.modules and sys.modules["torch"].cuda.is_initialized():
        sys.modules["torch"].cuda.empty_cache()  # other processes use the GPU too
    return position, result


def start_with(parent: int) -> None:
    """Let this new process end when its parent does, which may be gone already."""
    if os.getppid() != parent:
        os._exit(1)
    end_with(parent)


def end_with(parent: int) -> None:
    """Let this process end when its parent does, however that ends.

    A parent that is killed cannot end its processes. Those of a cluster have other parents.
    """
    if os.getppid() == parent and not any(t.name == WATCH for t in threading.enumerate()):
        threading.Thread(target=_watch, args=(parent,), name=WATCH, daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK)
    os._exit(1)


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
        Parallel(n_jobs=jobs, batch_size=1)(delayed(time.sleep)(0.05) for _ in range(jobs))
