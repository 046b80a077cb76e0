"""Threads are few on small matrices, and nothing imports torch for the CPU."""

import subprocess
import sys

import pytest
from threadpoolctl import threadpool_info

from lovasz.base import device
from lovasz.base.device import ONE_THREAD_UP_TO, pick_device_name, threads_for
from lovasz.base.errors import LovaszError


def blas_threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_small_matrices_have_one_thread_and_what_was_set_comes_back():
    before = blas_threads()
    with threads_for(ONE_THREAD_UP_TO):
        assert set(blas_threads()) == {1}
    assert blas_threads() == before
    with threads_for(ONE_THREAD_UP_TO + 1):
        assert blas_threads() == before
    with pytest.raises(KeyboardInterrupt), threads_for(5):
        raise KeyboardInterrupt
    assert blas_threads() == before


def test_the_device_is_the_cpu_where_there_is_no_driver(monkeypatch):
    monkeypatch.setattr(device, "may_have_gpu", lambda: False)
    assert pick_device_name("auto") == pick_device_name("cpu") == "cpu"
    with pytest.raises(LovaszError, match="cannot be used here"):
        pick_device_name("abacus")


def test_theta_on_the_cpu_imports_no_torch():
    code = """if True:
        import sys
        from lovasz import theta
        from lovasz.graphs.families import gnp
        assert "splitting" in theta(gnp(120, 0.5, seed=0), device="cpu").method
        assert "torch" not in sys.modules
    """
    subprocess.run([sys.executable, "-c", code], check=True)
