"""The choice of K decides what is learned."""

import pytest


@pytest.mark.data
def test_the_central_kernel_learns_ionosphere_better_than_the_lifted_one():
    """By at least five points: 10 % to learn from, 10 splits, identity features."""
    from benchmarks.kernels import scores

    rows = scores("ionosphere", 0.1, 10, 0, ("lovasz central", "lovasz lifted"))
    (_, central, _, _), (_, lifted, _, _) = rows
    assert central >= lifted + 5
