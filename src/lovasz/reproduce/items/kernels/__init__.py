"""Beyond the paper: kernels and propagations that validation chooses, beside other networks.

Every network tries the same four settings on every split of a row, and each split keeps the
setting that does best on its validation nodes. ``auto`` chooses among its candidates the one whose
calibrated probabilities give the validation labels the highest likelihood
(:mod:`lovasz.classify.calibration`), so it tries ``len(AUTO)`` times as many settings as a single
network. It is compared with ``baseline``, the same choice among GCN, GAT, APPNP and GPRGNN.

If the split is ours to draw and labels are few (UCI, MNIST, block models), a run also has ``FOLDS``
random partitions of its labels into three parts, as LCNClassifier makes them: one to learn from,
one to stop by and one to judge by (:mod:`lovasz.classify.blend`). The judging nodes choose the
setting of every network. A single network is then trained and stopped on the split itself.
``auto`` answers with the weighted mean of its candidates on all partitions, as LCNClassifier does,
and ``mean`` is the accuracy that a single kernel reaches with this mean over partitions.

A row of MNIST consists of five graphs, drawn as in :mod:`lovasz.reproduce.items.uci_mnist`. Each
graph is one cell with ``RUNS`` splits, and the page shows them as one row of fifty runs.
"""

from __future__ import annotations

from lovasz.reproduce.engine.cells import Item
from lovasz.reproduce.items.kernels.findings import TITLE, section
from lovasz.reproduce.items.kernels.rows import cells
from lovasz.reproduce.items.kernels.trials import measure

__all__ = ["ITEM", "cells", "measure", "section"]

ITEM = Item("kernels", TITLE, cells, measure, section)
