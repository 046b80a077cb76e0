"""Beyond the paper: LCNClassifier with its defaults beside single networks.

``auto`` is ``LCNClassifier()``, fitted through its public interface with its defaults
(:mod:`lovasz.reproduce.engine.classifier_runs`). Every single network tries the same four settings
on every split of a row, and each split keeps the setting that does best on its validation nodes.

If the split is ours to draw and labels are few (UCI, MNIST, block models), the setting of a single
network is chosen by random partitions of a run's labels into three parts: one to learn from, one to
stop by and one to judge by. The network is then trained and stopped on the split itself.

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
