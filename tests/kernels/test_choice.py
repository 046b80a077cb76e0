"""The choice of K decides what is learned."""

import pytest

from lovasz.datasets import load
from lovasz.errors import LovaszError


def test_the_central_kernel_learns_ionosphere_better_than_the_lifted_one():
    """By at least five points: 10 % to learn from, 10 splits, identity features."""
    from benchmarks.kernels import scores

    try:
        load("ionosphere")
    except LovaszError as error:
        pytest.skip(str(error))
    rows = scores("ionosphere", 0.1, 10, 0, ("lovasz central", "lovasz lifted"))
    (_, central, _, _), (_, lifted, _, _) = rows
    assert central >= lifted + 5
