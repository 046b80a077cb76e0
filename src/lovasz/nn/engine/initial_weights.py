"""Initial weights and random streams of the runs, each drawn from the seed of its run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor


def initial_weights(
    widths: Sequence[int],
    seeds: Sequence[int],
    *,
    device: torch.device | str,
    dtype: torch.dtype,
) -> list[Tensor]:
    """Glorot's uniform weights for these widths, one (in, B, out) tensor per layer."""
    return glorot(pairwise(widths), seeds, device=device, dtype=dtype)


def glorot(
    shapes: Iterable[tuple[int, int]],
    seeds: Sequence[int],
    *,
    device: torch.device | str,
    dtype: torch.dtype,
) -> list[Tensor]:
    """Uniform weights, one (in, B, out) tensor per shape (in, out).

    They are drawn on the CPU, so that they are the same on every device.
    """
    streams = [torch.Generator().manual_seed(stream_seed(seed, 0)) for seed in seeds]
    weights = []
    for a, b in shapes:
        drawn = [
            torch.nn.init.xavier_uniform_(torch.empty(a, b, dtype=dtype), generator=stream)
            for stream in streams
        ]
        weights.append(torch.stack(drawn, dim=1).to(device).requires_grad_())
    return weights


def zero_biases(
    widths: Sequence[int], runs: int, *, device: torch.device | str, dtype: torch.dtype
) -> list[Tensor]:
    """Return one (1, B, width) tensor of zeros per layer."""
    return [
        torch.zeros(1, runs, width, device=device, dtype=dtype).requires_grad_() for width in widths
    ]


def stream_seed(seed: int, stream: int) -> int:
    """Return a seed for one of the random streams of a run; streams of a seed are independent."""
    return int(np.random.SeedSequence([seed, stream]).generate_state(1, np.uint64)[0] >> 1)
