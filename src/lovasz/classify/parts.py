"""Which labels each run of a candidate learns from, which judge it, and which runs answer.

Without validation nodes the labels are dealt into folds. A run per fold learns from the other
folds and is judged by its own, so every label judges once and no network judges what taught it.
Further runs learn from all labels, and they answer: no label is thrown away. With validation nodes,
all runs learn from the other labels, and each is judged by a share of these nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lovasz.classify.splits import Split

Run = tuple[np.ndarray, np.ndarray]
"""The nodes that a run learns from, and those that judge it."""


@dataclass(frozen=True)
class Parts:
    """The runs of every candidate."""

    runs: Sequence[Run]
    """One pair of nodes to learn from and nodes to be judged by per run."""
    answering: Sequence[int]
    """The numbers of the runs whose answers count in the end."""

    @property
    def judges(self) -> np.ndarray:
        """The nodes that judge some run, ascending."""
        return np.unique(np.concatenate([judges for _, judges in self.runs]))

    @property
    def taught(self) -> np.ndarray:
        """The nodes that the runs whose answers count have learned from, the same for all."""
        return self.runs[self.answering[0]][0]

    def held_out(self, logits: np.ndarray) -> np.ndarray:
        """Return (judges, classes): the mean logits of each judge over the runs that it judges.

        ``logits`` is (runs, n, classes).
        """
        judges = self.judges
        total = np.zeros((len(judges), logits.shape[2]))
        count = np.zeros((len(judges), 1))
        for (_, nodes), values in zip(self.runs, logits, strict=True):
            rows = np.searchsorted(judges, nodes)
            total[rows] += values[nodes]
            count[rows] += 1
        return np.asarray(total / np.maximum(count, 1))

    def answers(self, logits: np.ndarray) -> np.ndarray:
        """Return the (answering runs, n, classes) logits of the runs whose answers count."""
        return logits[list(self.answering)]


def deal_folds(codes: np.ndarray, *, folds: int, answering: int, seed: int) -> Parts:
    """Deal the labels (codes ≥ 0) into folds, class by class, and add runs on all labels.

    A class with a single label has it in every training set: held out, nothing could be learned
    about the class.

    >>> parts = deal_folds(np.array([0, 0, 0, 1, 1, 1, 2, -1]), folds=3, answering=1, seed=0)
    >>> [len(judges) for _, judges in parts.runs], parts.judges.tolist()
    ([2, 2, 2, 0], [0, 1, 2, 3, 4, 5])
    """
    rng = np.random.default_rng(seed)
    fold = np.full(len(codes), -1)
    dealt = 0
    for code in np.unique(codes[codes >= 0]):
        members = np.flatnonzero(codes == code)
        if len(members) > 1:
            fold[rng.permutation(members)] = (np.arange(len(members)) + dealt) % folds
            dealt += len(members)
    labelled = np.flatnonzero(codes >= 0)
    nothing = np.empty(0, dtype=np.int64)
    runs = [
        (np.flatnonzero((codes >= 0) & (fold != number)), np.flatnonzero(fold == number))
        for number in range(folds)
    ]
    return Parts([*runs, *[(labelled, nothing)] * answering], range(folds, folds + answering))


def share_validation(split: Split, codes: np.ndarray, *, runs: int, seed: int) -> Parts:
    """Let several runs learn from one split, each judged by its share of the validation nodes.

    The nodes are dealt class by class. The epoch of a run is chosen by the nodes of the other runs
    (:attr:`lovasz.nn.Settings.shared_epoch`), so no node judges a network that it has chosen.

    >>> split = Split(np.array([0, 1]), np.array([2, 3, 4, 5]), np.array([], dtype=int))
    >>> parts = share_validation(split, np.array([0, 1, 0, 0, 1, 1]), runs=2, seed=0)
    >>> [judges.tolist() for _, judges in parts.runs], list(parts.answering)
    ([[2, 4], [3, 5]], [0, 1])
    """
    rng = np.random.default_rng(seed)
    mixed = rng.permutation(split.validation)
    dealt = mixed[np.argsort(codes[mixed], kind="stable")]
    judges = [np.sort(dealt[number::runs]) for number in range(runs)]
    return Parts([(split.train, nodes) for nodes in judges], range(runs))
