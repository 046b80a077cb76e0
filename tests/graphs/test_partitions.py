"""Classes are numbered by size, whatever they were called."""

import numpy as np

from lovasz.graphs.partitions import number_by_size


def test_the_largest_class_is_first_and_ties_go_to_the_earlier_node():
    assert number_by_size(np.array([9, 4, 4, 2, 2])).tolist() == [2, 0, 0, 1, 1]
    assert number_by_size(np.zeros(0, dtype=np.int64)).tolist() == []
