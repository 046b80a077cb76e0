"""Hints to the processor change nothing."""

import numpy as np

from lovasz.base.compiled import compiled
from lovasz.base.prefetch import LINE, fetch_line, fetch_soon


@compiled
def _sum_of_rows(D, order):
    total, size = 0.0, D.shape[1] * D.itemsize
    for k in range(len(order)):
        if k + 2 < len(order):
            fetch_soon(D.ctypes.data + size * order[k + 2], size)
        total += D[order[k]].sum()
    return total


def test_a_loop_with_hints_returns_the_same():
    D = np.arange(300.0).reshape(30, 10)
    order = np.random.default_rng(0).permutation(30)
    assert _sum_of_rows.plain(D, order) == _sum_of_rows.fast(D, order) == D.sum()


def test_the_plain_form_does_nothing():
    assert fetch_line.plain(0) is None and fetch_soon.plain(0, 3 * LINE) is None
