"""Threads of the BLAS behind numpy and scipy, and of torch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import Any

ONE_BLAS_THREAD, ONE_TORCH_THREAD = 1000, 600  # up to this order


def one_thread() -> AbstractContextManager[object]:
    """Keep the BLAS to one thread for a while.

    OpenBLAS threads wait for each other by spinning. On matrices of moderate size that gains
    little, and beside another busy process it costs more than everything else together.
    """
    controller = _controller()
    return nullcontext() if controller is None else controller.limit(limits=1, user_api="blas")


@contextmanager
def threads_for(n: int) -> Iterator[None]:
    """Threads that suit matrices of order n: one where waiting may take longer than computing.

    So it is for torch, too, up to smaller sizes: its products are long enough for several sooner.
    """
    with one_thread() if n <= ONE_BLAS_THREAD else nullcontext():
        if n > ONE_TORCH_THREAD:  # sparse graphs of that size need no torch at all
            yield
            return
        import torch

        before = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(before)


@cache
def _controller() -> Any:
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:  # a matter of speed alone
        return None
    return ThreadpoolController()
