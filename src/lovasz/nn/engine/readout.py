"""Which rows of the output a phase of training looks at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lovasz.nn.engine.inputs import as_index
from lovasz.nn.engine.loop import Phases, Split
from lovasz.nn.engine.targets import Targets


@dataclass(frozen=True)
class Readout:
    """The nodes whose output is wanted."""

    targets: Targets
    rows: Tensor | None
    """None for all nodes."""

    @classmethod
    def of(cls, targets: Targets, n: int, device: Any) -> Readout:
        """Of ``targets`` in a graph of n nodes."""
        return cls(targets, as_index(None if len(targets.rows) == n else targets.rows, device))


def readouts(
    y: np.ndarray, splits: Sequence[Split], n: int, placed: dict[str, Any]
) -> Phases[Readout]:
    """Of the training, the validation and all nodes."""

    def phase(sets: list[np.ndarray]) -> Readout:
        return Readout.of(Targets.of(sets, y, n, **placed), n, placed["device"])

    return Phases.of(splits, n, phase)


def times(H: Tensor, W: Tensor) -> Tensor:
    """(n, B, in) by (in, B, out), run by run."""
    return torch.einsum("nbi,ibo->nbo", H, W)
