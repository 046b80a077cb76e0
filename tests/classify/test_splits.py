"""Random splits of the labelled nodes."""

import numpy as np
import pytest

from lovasz.base.errors import LovaszError
from lovasz.classify.evaluation import Split, random_splits


def test_splits_partition_the_labelled_nodes():
    y = np.array([0, 1, 2, -1] * 25)
    for by_class in (False, True):
        for split in random_splits(y, (0.2, 0.1, 0.7), 5, seed=1, by_class=by_class):
            together = np.concatenate(split)
            assert sorted(together) == list(np.flatnonzero(y >= 0))
            assert isinstance(split, Split)
    even = random_splits(y, (0.2, 0.1, 0.7), 5, seed=1, by_class=True)
    assert all(np.bincount(y[split.train]).tolist() == [5, 5, 5] for split in even)


def test_splits_that_do_not_add_up_are_refused():
    with pytest.raises(LovaszError, match="add up to 1"):
        random_splits(np.zeros(10, dtype=int), (0.5, 0.5, 0.5), 1, seed=0)
