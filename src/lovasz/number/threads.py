"""Threads of the BLAS behind numpy and scipy."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any


def one_thread() -> AbstractContextManager[object]:
    """Keep the BLAS to one thread for a while.

    OpenBLAS threads wait for each other by spinning. On matrices of moderate size that gains
    little, and beside another busy process it costs more than everything else together.
    """
    controller = _controller()
    return nullcontext() if controller is None else controller.limit(limits=1, user_api="blas")


@cache
def _controller() -> Any:
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:  # a matter of speed alone
        return None
    return ThreadpoolController()
