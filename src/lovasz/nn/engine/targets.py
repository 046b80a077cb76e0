"""The classes that the output of many runs is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy


@dataclass(frozen=True)
class Targets:
    """The nodes of each run whose output counts, and their classes."""

    rows: np.ndarray
    """The nodes of all runs, sorted; logits have one row per node of these."""
    pairs: Tensor
    """(P,): which entries of (rows · B) count, one run after the other."""
    run: Tensor
    """(P,): the run of each pair."""
    y: Tensor
    """(P,): the class of each pair."""
    sizes: Tensor
    """(B,): the number of pairs of each run."""

    @classmethod
    def of(
        cls, sets: Sequence[np.ndarray], y: np.ndarray, n: int, *, device: Any, dtype: torch.dtype
    ) -> Targets:
        """Return the targets for one set of nodes per run in a graph of n nodes."""
        nodes = np.concatenate(sets)
        wanted = np.zeros(n, dtype=bool)
        wanted[nodes] = True
        rows = np.flatnonzero(wanted)
        sizes = [len(members) for members in sets]
        run = np.repeat(np.arange(len(sets)), sizes)
        return cls(
            rows=rows,
            pairs=torch.as_tensor(np.searchsorted(rows, nodes) * len(sets) + run, device=device),
            run=torch.as_tensor(run, device=device),
            y=torch.as_tensor(y[nodes], dtype=torch.int64, device=device),
            sizes=torch.as_tensor(sizes, dtype=dtype, device=device),
        )

    def losses(self, logits: Tensor) -> Tensor:
        """Return the (B,) mean cross-entropies; NaN for a run without nodes."""
        return self._mean_loss(self._counted(logits))

    def scores(self, logits: Tensor) -> tuple[Tensor, Tensor]:
        """Return the (B,) mean cross-entropies and the (B,) shares of right answers."""
        counted = self._counted(logits)
        right = counted.argmax(1) == self.y
        return self._mean_loss(counted), self._mean(right.to(logits.dtype))

    def _mean_loss(self, counted: Tensor) -> Tensor:
        return self._mean(cross_entropy(counted, self.y, reduction="none"))

    def _counted(self, logits: Tensor) -> Tensor:
        return logits.flatten(0, 1).index_select(0, self.pairs)

    def _mean(self, values: Tensor) -> Tensor:
        return torch.zeros_like(self.sizes).index_add(0, self.run, values) / self.sizes
