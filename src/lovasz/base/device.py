"""Where to compute, and with how many threads. Nothing here imports torch for the CPU."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lovasz.base.errors import LovaszError
from lovasz.base.extras import is_installed, needed_for

if TYPE_CHECKING:
    import torch

KINDS = ("cpu", "cuda", "mps", "xpu")
"""The kinds of devices whose names are accepted."""
ONE_THREAD_UP_TO = 1000
"""Order of matrices up to which one thread of the BLAS is used."""
ONE_TORCH_THREAD_UP_TO = 1_000_000
"""Number of entries of a tensor up to which one thread of torch is used."""


def check_device(device: str) -> None:
    """Raise if ``device`` names no kind of device; whether there is such a one is not asked."""
    if device != "auto" and device.partition(":")[0] not in KINDS:
        raise _unusable(device, "known are auto, cpu, cuda, mps and xpu")


def pick_device(device: str) -> torch.device:
    """Return the device of this name; ``"auto"`` is a GPU if there is one, else the CPU."""
    check_device(device)
    with needed_for(f"device {device!r}"):
        import torch

    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        picked = torch.device(device)
        torch.empty(1, device=picked).cpu()
    except (RuntimeError, AssertionError, NotImplementedError) as problem:
        raise _unusable(device, str(problem).partition("\n")[0][:100]) from None
    return picked


def _unusable(device: str, reason: str) -> LovaszError:
    return LovaszError(f"device {device!r} cannot be used here ({reason}); use 'cpu'")


def pick_device_name(device: str) -> str:
    """The name of :func:`pick_device`, found without torch where that is the CPU."""
    if device == "cpu" or (device == "auto" and not may_have_gpu()):
        return "cpu"
    return str(pick_device(device))


def may_have_gpu() -> bool:
    """Whether torch is worth asking for a GPU: it takes a second to import.

    False if torch is not installed, or no driver of a GPU that torch calls "cuda".
    """
    return "torch" in sys.modules or (has_driver() and is_installed("torch"))


@cache
def has_driver() -> bool:
    """Whether the driver of a GPU is installed that torch calls "cuda"."""
    if sys.platform == "darwin":
        return False
    if Path("/dev/kfd").exists():  # AMD; torch brings the libraries
        return True
    try:
        ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return False
    return True


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def threads_for(n: int) -> AbstractContextManager[object]:
    """Limit the BLAS to one thread if matrices have an order n of at most ONE_THREAD_UP_TO."""
    return one_thread() if n <= ONE_THREAD_UP_TO else nullcontext()


def one_thread() -> AbstractContextManager[object]:
    """Limit the BLAS behind NumPy and SciPy to one thread for a while.

    OpenBLAS threads wait for each other by spinning. On matrices of moderate size that gains
    little, and beside another busy process it costs more than everything else together.
    """
    controller = _controller()
    return nullcontext() if controller is None else controller.limit(limits=1, user_api="blas")


@contextmanager
def torch_threads(entries: int) -> Iterator[None]:
    """Let torch use one thread for a while if its largest tensors have few entries.

    Its threads wait for each other by spinning, too. Beside another busy process that costs far
    more than a second thread gains on small graphs.
    """
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1 if entries <= ONE_TORCH_THREAD_UP_TO else before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@cache
def _controller() -> Any:
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:  # it only makes things faster
        return None
    return ThreadpoolController()
