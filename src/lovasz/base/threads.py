"""Compiled loops over many rows, shared out among threads.

A compiled function lets other threads run meanwhile (:mod:`.compiled`). To share a loop out takes a
few ten-thousandths of a second, so short loops have one thread.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from lovasz.base.device import count_cores

T = TypeVar("T")

LIMITS = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS")
"""Environment variables that limit the number of threads."""
WORTH_SHARING = 4_000_000
"""Number of multiplications from which a loop is shared out; they take about a millisecond."""
SCATTERED = 10
"""Multiplications of rows that take as long as one with a number that lies anywhere in memory."""
PER_THREAD = 4
"""Number of bands of rows per thread, so that a thread that is held up leaves work to others."""


def thread_count() -> int:
    """The number of threads to use: the cores of this process, or fewer if the user says so."""
    said = [os.environ.get(name, "") for name in LIMITS]
    return min([count_cores(), *(int(v) for v in said if v.isdecimal() and int(v))])


def in_bands(function: Callable[..., T], work: float, begin: int, end: int, *args: Any) -> list[T]:
    """The results of ``function(*args, a, b)`` for bands a to b of the rows ``begin`` to ``end``.

    ``work`` is the number of multiplications. Calls must not depend on each other; then what they
    write is the same for any number of threads.

    >>> squares = np.zeros(4)
    >>> def square(out, a, b):
    ...     out[a:b] = np.arange(a, b) ** 2
    >>> in_bands(square, 4, 1, 4, squares)
    [None]
    >>> squares.tolist()
    [0.0, 1.0, 4.0, 9.0]
    """
    threads = thread_count() if work >= WORTH_SHARING else 1
    if threads == 1:
        return [function(*args, begin, end)]
    cuts = np.linspace(begin, end, threads * PER_THREAD + 1).astype(int).tolist()
    pool = _pool(threads, os.getpid())
    tasks = [pool.submit(function, *args, a, b) for a, b in pairwise(cuts)]
    try:
        return [task.result() for task in tasks]
    finally:
        wait(tasks)  # after an error or Ctrl-C the arrays must not change any more


@cache
def _pool(threads: int, process: int) -> ThreadPoolExecutor:
    """Threads that wait for work; a process that was forked has its own."""
    return ThreadPoolExecutor(threads, thread_name_prefix="lovasz")
