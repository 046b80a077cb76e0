"""Splits of the labelled nodes."""

import numpy as np
import pytest

from lovasz.base.errors import LovaszError
from lovasz.classify.splits import Split, halve_validation, random_splits

NOTHING = np.empty(0, dtype=np.int64)


def split(train, validation, test=NOTHING):
    return Split(*(np.asarray(part, dtype=np.int64) for part in (train, validation, test)))


def test_every_part_of_a_split_gets_a_node_of_a_class_of_three():
    y = np.array([0] * 3 + [1] * 3)
    for split in random_splits(y, (0.6, 0.2, 0.2), 4, seed=0, by_class=True):
        assert [np.bincount(y[part]).tolist() for part in split] == [[1, 1]] * 3


def test_halves_are_halves_of_the_validation_nodes():
    whole = [split(range(50), range(50, 81)), split(range(30, 80), range(80, 110))]
    cut = halve_validation(whole, 20, seed=3)
    for before, after in zip(whole, cut, strict=True):
        assert np.array_equal(before.train, after.train)
        assert sorted([*after.validation, *after.test]) == before.validation.tolist()
        assert len(after.validation) - len(after.test) in (0, 1)
    few = [split(range(5), range(5, 15))] * 3
    assert halve_validation(few, 20, seed=3) == few


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
