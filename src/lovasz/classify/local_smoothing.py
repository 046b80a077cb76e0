"""What Correct and Smooth answers at one node if pieces of the evidence are removed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lovasz.classify.calibration import Calibration
from lovasz.classify.local_answers import LocalAnswer, LocalWalks, Removals


@dataclass(frozen=True)
class LocalSmoothed:
    """Answers of another candidate, corrected and smoothed.

    What is smoothed at other nodes, and the correction of the node itself, are held fixed.
    """

    walks: LocalWalks
    """The walks that smooth, with what is smoothed as H."""
    base: LocalAnswer
    """The other candidate."""
    calibration: Calibration
    """How its logits become probabilities."""
    taught: np.ndarray
    """The labelled nodes, at which the label is smoothed and not what the other candidate says."""

    def logits(self, node: int, removals: Removals) -> np.ndarray:
        """Walk with every removal, and ask the other candidate about the node with each."""
        own, found = self.walks.collect(node, removals)
        if node not in self.taught:
            said = self.calibration(self.base.logits(node, removals))
            nothing = Removals.of([np.empty((0, 2))], [False])
            found += own[:, :, None] * (said - self.calibration(self.base.logits(node, nothing)))
        return self.walks.finish(found)
