"""The rows: their cells and splits."""

import numpy as np

from lovasz.reproduce.items.kernels import rows
from lovasz.reproduce.items.uci_mnist import MNIST


def test_splits_of_a_class_do_not_overlap():
    y = np.repeat(np.arange(3), 80)
    split = rows.split_per_class(y, seed=1)
    assert [len(part) for part in split] == [60, 90, 90]
    assert len(np.unique(np.concatenate(split))) == 240
    assert np.bincount(y[split.train]).tolist() == [20, 20, 20]


def test_a_row_of_mnist_is_five_graphs_and_others_one():
    parts = {row: {c.part for c in rows.cells(False) if c.row == row} for row in rows.BARE}
    assert {row: parts[row] for row in MNIST} == {row: {*range(5)} for row in MNIST}
    assert all(parts[row] == {None} for row in parts if row not in MNIST)
    assert sum(c.row == "mnist-500-1v2" for c in rows.cells(False)) == 5 * len(
        rows.methods_of("mnist-500-1v2")
    )
