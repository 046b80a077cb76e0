"""Dropout masks from raw random bits, one stream a run.

A mask is always drawn for the whole graph, of which the rows in use are taken: what a run
drops then depends on its seed alone, not on which nodes its neighbours in the batch need.

Drawing 16 random bits an entry is much cheaper than a float for each; on sparse
inputs the draw is what an epoch mostly pays for. The rate is rounded to a multiple of 2⁻¹⁶ and
the scale 1/(1 − rate) uses the rounded rate, so the expectation is exact.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


class Dropout:
    """Masks for several runs at once; run b's depend on its own seed only."""

    def __init__(self, rate: float, seeds: Sequence[int], device: torch.device | str) -> None:
        self.threshold = round(rate * 2**16)
        self.scale = 1 / (1 - self.threshold / 2**16)
        self.device = device
        self.streams = [torch.Generator(device).manual_seed(seed) for seed in seeds]

    def __bool__(self) -> bool:
        return self.threshold > 0

    def keep(self, run: int, count: int) -> Tensor:
        """``count`` booleans of one run, True with probability 1 − rate."""
        bits = torch.empty((count + 3) // 4, dtype=torch.int64, device=self.device)
        bits.random_(-(2**63), None, generator=self.streams[run])
        # int16 runs from -2¹⁵, so the lowest `threshold` values are the dropped ones.
        return bits.view(torch.int16)[:count] >= self.threshold - 2**15

    def factors(self, n: int, width: int = 1, rows: Tensor | None = None) -> Tensor:
        """(n or rows, runs, width): 0 where dropped, the scale where kept."""
        masks = [self.keep(run, n * width).view(n, width) for run in range(len(self.streams))]
        if rows is not None:
            masks = [mask.index_select(0, rows) for mask in masks]
        return torch.stack(masks, dim=1) * self.scale
