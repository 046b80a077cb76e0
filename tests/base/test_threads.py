"""Loops that are shared out among threads."""

import os
import time

import numpy as np
import pytest

from lovasz.base import threads


def add_one(out, begin, end):
    out[begin:end] += 1


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize(("begin", "end"), [(0, 100), (3, 4), (5, 5), (2, 9)])
def test_every_row_is_done_once(monkeypatch, count, begin, end):
    monkeypatch.setattr(threads, "thread_count", lambda: count)
    out = np.zeros(100)
    threads.in_bands(add_one, threads.WORTH_SHARING, begin, end, out)
    assert (out[begin:end] == 1).all() and out.sum() == end - begin


def test_results_come_in_the_order_of_the_rows(monkeypatch):
    monkeypatch.setattr(threads, "thread_count", lambda: 3)
    found = threads.in_bands(lambda a, b: (a, b), threads.WORTH_SHARING, 2, 50)
    assert [a for a, _ in found] == [2, *(b for _, b in found[:-1])] and found[-1][1] == 50


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own(monkeypatch):
    monkeypatch.setattr(threads, "thread_count", lambda: 2)
    out = np.zeros(10)
    threads.in_bands(add_one, threads.WORTH_SHARING, 0, 10, out)
    child = os.fork()
    if not child:
        threads.in_bands(add_one, threads.WORTH_SHARING, 0, 10, out)
        os._exit(0 if (out == 2).all() else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_no_thread_writes_after_an_error(monkeypatch):
    monkeypatch.setattr(threads, "thread_count", lambda: 2)
    out = np.zeros(8)

    def slow(out, begin, end):
        if begin == 0:
            raise KeyboardInterrupt
        time.sleep(0.02)
        out[begin:end] += 1

    with pytest.raises(KeyboardInterrupt):
        threads.in_bands(slow, threads.WORTH_SHARING, 0, 8, out)
    after = out.copy()
    time.sleep(0.1)
    assert (out == after).all()


def test_an_error_in_a_thread_is_raised(monkeypatch):
    monkeypatch.setattr(threads, "thread_count", lambda: 2)

    def fail(begin, end):
        raise ValueError("here")

    with pytest.raises(ValueError, match="here"):
        threads.in_bands(fail, threads.WORTH_SHARING, 0, 10)


@pytest.mark.parametrize(("said", "most"), [("1", 1), ("0", None), ("many", None), ("4,2", None)])
def test_the_environment_limits_the_number_of_threads(monkeypatch, said, most):
    for name in threads.LIMITS:
        monkeypatch.delenv(name, raising=False)
    cores = threads.thread_count()
    assert 1 <= cores <= (os.cpu_count() or 1)
    monkeypatch.setenv("OMP_NUM_THREADS", said)
    assert threads.thread_count() == (most or cores)
