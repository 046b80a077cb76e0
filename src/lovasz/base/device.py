"""Threads of the BLAS behind numpy and scipy, and of torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import Any

from lovasz.base.errors import LovaszError

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


def pick_device(device: str) -> torch.device:
    """``"auto"`` is a GPU if there is one; else any name torch knows."""
    import torch

    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    reason = "known are auto, cpu, cuda, mps and xpu"
    if device.partition(":")[0] in ("cpu", "cuda", "mps", "xpu"):
        try:
            picked = torch.device(device)
            torch.empty(1, device=picked).cpu()
            return picked
        except (RuntimeError, AssertionError, NotImplementedError) as problem:
            reason = str(problem).partition("\n")[0][:100]
    raise LovaszError(f"device {device!r} cannot be used here ({reason}); use 'cpu'")


def torch_device(device: str) -> str:
    """The device behind "auto", or the one named if it is there."""
    if device == "cpu":
        return device
    return str(pick_device(device))
