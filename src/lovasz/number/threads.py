"""Threads of the BLAS behind numpy and scipy."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[object]:
    """Keep the BLAS to one thread for a while.

    OpenBLAS threads wait for each other by spinning. On matrices of moderate size that gains
    little, and beside another busy process it costs more than everything else together.
    """
    return _controller().limit(limits=1, user_api="blas")


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
