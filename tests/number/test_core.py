"""What the search for ϑ of a core does when a shared GPU is full."""

import pytest
import torch

from lovasz.number.core import _within_memory


def fail(problem):
    def solve():
        raise problem

    return solve


def test_memory_that_another_process_took_ends_one_solver_not_the_search():
    assert _within_memory(lambda: "pair", "cuda") == "pair"
    assert _within_memory(fail(torch.OutOfMemoryError("CUDA out of memory")), "cuda:0") is None
    with pytest.raises(RuntimeError, match="launch failure"):
        _within_memory(fail(RuntimeError("launch failure")), "cuda")
    with pytest.raises(torch.OutOfMemoryError):
        _within_memory(fail(torch.OutOfMemoryError("not on a GPU")), "cpu")
