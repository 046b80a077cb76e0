"""Features that callers pass: what is refused in one line."""

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.classify.features import (
    check_features,
    scale_table,
    stored_by_content,
    suggest_scale,
)

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


MIXED = np.zeros((60, 8))
MIXED[:, 0] = np.random.default_rng(0).uniform(20, 80, 60)  # an age, beside a city of seven
MIXED[np.arange(60), 1 + np.arange(60) % 7] = 1


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("factor", [1.0, 1e-4])
def test_measurements_beside_categories_are_scaled_by_columns(make, factor):
    table = MIXED * np.r_[factor, np.ones(7)]
    assert suggest_scale(make(table)) == "columns"
    counts = np.where(MIXED > 0, 1.0, 0.0)  # the same, as a bag of words with a common word
    assert suggest_scale(make(counts)) == "rows"


@pytest.mark.parametrize("factor", [1e200, 1e-200, 5e-324])
def test_tables_of_huge_and_tiny_numbers_are_scaled_like_others(factor):
    table = np.random.default_rng(0).integers(1, 9, (20, 3)).astype(float)
    scaled = scale_table(table * factor, None, "columns")
    np.testing.assert_allclose(scaled, scale_table(table, None, "columns"), rtol=1e-9)


@pytest.mark.parametrize("filled", [0.1, 0.9])
def test_without_a_scale_the_storage_follows_the_content(filled):
    table = np.where(np.random.default_rng(0).random((30, 5)) < filled, 2.0, 0.0)
    stored = [stored_by_content(make(table)) for make in (np.asarray, sparse.csr_array)]
    assert sparse.issparse(stored[0]) == sparse.issparse(stored[1]) == (filled < 0.5)


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
        ({0: [1], 1: [2, 3], 2: [3]}, r"with \[2, 3\] for node 1; give rows of numbers of equal"),
        ({0: 1, 1: 2, 2: 3}, "with 1 for node 0; give rows"),
        ({0: [1], 1: "b", 2: "c"}, "with 'b' for node 1; give rows"),
        ({0: [1], 1: [1], 2: {1}}, r"with \{1\} for node 2; give rows"),
        ({0: {"age": 3}, 1: {}, 2: {}}, r"with \{'age': 3\} for node 0; give rows"),
        ({0: [1], 1: np.array(2), 2: [3]}, r"with array\(2\) for node 1; give rows"),
        ({0: [1], 1: [[1]], 2: [3]}, r"with \[\[1\]\] for node 1; give rows"),
        ({0: [[1], [2, 3]], 1: [1], 2: [3]}, r"with \[\[1\], \[2, 3\]\] for node 0; give rows"),
        (dict.fromkeys(ROWS, sparse.csr_array([[1, 0]])), "with <.* for node 0; give rows"),
        (dict.fromkeys(ROWS, sparse.coo_array(np.ones(3))), "with <.* for node 0; give rows"),
    ],
)
def test_a_dict_that_has_not_one_row_per_node_is_one_line(rows, words):
    with pytest.raises(LovaszError, match=words) as problem:
        check_features(rows, ROWS)
    assert "\n" not in str(problem.value)


def test_counts_with_stop_words_are_scaled_by_columns():
    words = np.random.default_rng(0).poisson(0.2, (60, 30))
    assert suggest_scale(words) == "rows"
    assert suggest_scale(np.c_[words, np.full((60, 2), 20)]) == "columns"


def test_a_number_that_cannot_be_used_is_named_by_its_node_and_column():
    frame = pd.DataFrame({"age": [1.0, 2], "size": [3, np.inf]}, index=["bob", "ann"])
    with pytest.raises(LovaszError, match=r"beyond 3e38 \(node 'ann', column 'size'\); fill"):
        check_features(frame, ("ann", "bob"))
    with pytest.raises(LovaszError, match=r"\(node 1, column 2\)"):
        check_features(sparse.csr_array(([np.nan], ([1], [2])), shape=(3, 3)), ROWS)
