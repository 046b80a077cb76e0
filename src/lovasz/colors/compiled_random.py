"""Random integers inside compiled loops, from a state that is passed in."""

from __future__ import annotations

import numpy as np

from lovasz.base.compiled import compiled


def make_random_state(rng: np.random.Generator) -> np.ndarray:
    """A state for :func:`random_below`: one odd 64-bit word, hence never 0."""
    return np.array([rng.integers(1, 2**63 - 1)], dtype=np.uint64) | np.uint64(1)


@compiled
def random_below(state: np.ndarray, n: int) -> int:
    """A random integer in 0 … n−1 by xorshift64*. Numba's own generator has global state."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return np.int64((x * np.uint64(2685821657736338717)) >> np.uint64(33)) % n  # type: ignore[return-value]
