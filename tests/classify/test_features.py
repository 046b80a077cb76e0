"""Features that callers pass: what is refused in one line."""

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.classify.features import check_features

ROWS = range(3)


@pytest.mark.parametrize(
    ("features", "words"),
    [
        (np.ones((3, 2)) + 1j, "complex128 entries; pass real numbers"),
        (sparse.csr_array(np.eye(3) * 1j), "complex128 entries"),
        (torch.ones((3, 2), dtype=torch.complex64), "complex64 entries"),
        (torch.ones((3, 2), requires_grad=True), "features are not numbers .*requires grad"),
        ([["a"], ["b"], ["c"]], "features are not numbers"),
        (np.full((3, 2), np.nan), "NaN"),
        (np.ones(3), "one row per node"),
        (np.empty((3, 0)), r"shape \(3, 0\), without a column; give at least one number"),
        (sparse.csr_array((3, 0)), "without a column"),
    ],
)
def test_features_that_cannot_be_used_are_one_line(features, words):
    with pytest.raises(LovaszError, match=words) as problem:
        check_features(features, ROWS)
    assert "\n" not in str(problem.value)


def test_a_dict_has_the_rows_of_the_nodes_in_any_order():
    rows = {"cem": [5, 6], "ann": (1, 2), "bob": np.array([3, 4])}
    table = check_features(rows, ("ann", "bob", "cem"))
    assert table.tolist() == [[1, 2], [3, 4], [5, 6]] and table.dtype == np.float32
    assert check_features(lambda: rows, ("cem", "bob", "ann")).tolist()[0] == [5, 6]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ({0: [1], 1: [2]}, "dict with 1 node missing: 2; give one row for each node"),
        ({0: [1], 1: [2], 2: [3], "x": [4]}, "1 node outside the graph: 'x'"),
        ({0: [1], 1: [2, 3], 2: [3]}, "no rows of equal length"),
        ({0: 1, 1: 2, 2: 3}, "no rows of equal length"),
        ({0: "a", 1: "b", 2: "c"}, "no rows of equal length"),
    ],
)
def test_a_dict_that_has_not_one_row_per_node_is_one_line(rows, words):
    with pytest.raises(LovaszError, match=words):
        check_features(rows, ROWS)


def test_a_number_that_cannot_be_used_is_named_by_its_node_and_column():
    frame = pd.DataFrame({"age": [1.0, 2], "size": [3, np.inf]}, index=["bob", "ann"])
    with pytest.raises(LovaszError, match=r"beyond 3e38 \(node 'ann', column 'size'\); fill"):
        check_features(frame, ("ann", "bob"))
    with pytest.raises(LovaszError, match=r"\(node 1, column 2\)"):
        check_features(sparse.csr_array(([np.nan], ([1], [2])), shape=(3, 3)), ROWS)
