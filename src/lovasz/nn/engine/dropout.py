"""Dropout masks from raw random bits, with one random stream per run.

A mask is always drawn for the whole graph, and the rows in use are taken from it: what a run
drops then depends on its seed alone, not on the nodes that other runs of the batch need.

Drawing 16 random bits per entry is much cheaper than drawing a float, and on sparse inputs the
drawing takes most of an epoch. The rate is rounded to a multiple of 2⁻¹⁶, and the scale
1/(1 − rate) uses the rounded rate, so the expectation is exact.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from lovasz.nn.engine.settings import Rates, one_per_run


class Dropout:
    """Masks for several runs at once; those of a run depend on its own seed and rate only.

    With one seed there is one mask, whatever the number of runs.
    """

    def __init__(self, rate: Rates, seeds: Sequence[int], device: torch.device | str) -> None:
        rates = one_per_run(rate, max(1, len(seeds)), "dropout")
        self.thresholds = [round(one * 2**16) for one in rates]
        self.scales = [1 / (1 - threshold / 2**16) for threshold in self.thresholds]
        self.device = device
        self.streams = [torch.Generator(device).manual_seed(seed) for seed in seeds]
        # int16 starts at -2¹⁵, so the lowest `threshold` values are the dropped ones.
        lowest = [threshold - 2**15 for threshold in self.thresholds]
        self._lowest = torch.tensor(lowest, dtype=torch.int16, device=device)[:, None]
        self._scale = torch.tensor(self.scales, device=device)[:, None]

    def __bool__(self) -> bool:
        return any(self.thresholds)

    @property
    def shared(self) -> bool:
        """Whether there is one mask, which is that of every run."""
        return len(self.streams) == 1

    @property
    def used(self) -> list[torch.Generator]:
        """The streams that are drawn from, which are those of runs that drop anything."""
        return [s for s, t in zip(self.streams, self.thresholds, strict=False) if t]

    def masks(self, layer: int, nodes: Tensor, columns: Tensor | None, width: int) -> Dropout:
        """Return what draws the masks of a layer for the rows ``nodes``, or for (node, column).

        A stream draws them in the order of the calls, whatever they are for.
        """
        return self

    def keep(self, run: int, count: int) -> Tensor:
        """Return ``count`` booleans of one run, True with probability 1 − rate."""
        return self._keep([run], count)[0]

    def _keep(self, runs: Sequence[int], count: int) -> Tensor:
        """Return (runs, count) booleans; one kernel per run draws, one for all runs compares."""
        bits = torch.empty(len(runs), (count + 3) // 4, dtype=torch.int64, device=self.device)
        for row, run in enumerate(runs):
            if self.thresholds[run]:  # otherwise every value is kept
                bits[row].random_(-(2**63), None, generator=self.streams[run])
        return bits.view(torch.int16)[:, :count] >= self._lowest[runs[0] : runs[-1] + 1]

    def factors(self, n: int, width: int = 1, rows: Tensor | None = None) -> Tensor:
        """Return (n or rows, seeds, width) factors: 0 where dropped, the scale where kept."""
        masks = self._keep(range(len(self.streams)), n * width).unflatten(1, (n, width))
        masks = masks if rows is None else masks.index_select(1, rows)
        # One pass transposes and converts. A factor per run would be read for every few entries.
        kept = torch.empty(masks.shape[1], *masks.shape[::2], device=self.device)
        kept.copy_(masks.transpose(0, 1))
        return kept.mul_(self.scales[0] if len({*self.scales}) == 1 else self._scale)
