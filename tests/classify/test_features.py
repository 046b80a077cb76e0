"""Features that callers pass: what is refused in one line."""

import numpy as np
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
