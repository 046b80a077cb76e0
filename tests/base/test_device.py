"""Threads are few on small matrices, and as before afterwards."""

import pytest
import torch

from lovasz.base.device import ONE_TORCH_THREAD, threads_for


def test_small_matrices_have_one_thread_and_what_was_set_comes_back():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with threads_for(ONE_TORCH_THREAD):
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 2
        with threads_for(ONE_TORCH_THREAD + 1):
            assert torch.get_num_threads() == 2
        with pytest.raises(KeyboardInterrupt), threads_for(5):
            raise KeyboardInterrupt
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
