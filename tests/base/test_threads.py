"""Loops that are shared out among threads."""

import os

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
