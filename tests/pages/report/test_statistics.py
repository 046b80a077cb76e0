"""The numbers on a report page."""

from dataclasses import replace

import numpy as np
from tests.pages.report_samples import GCN, LCN

from lovasz.pages.report.statistics import compare_paired, merge_others


def test_a_lead_on_nine_splits_of_ten_is_called_even_when_it_varies():
    base = np.full(10, 0.5)
    gain = np.array([0.3, *[0.01] * 8, -0.001])
    result = compare_paired(replace(LCN, accuracy=base + gain), replace(GCN, accuracy=base))
    assert abs(result.difference) < result.spread
    assert result.outcome == "ahead"


def test_merged_confusion_keeps_every_answer():
    counts = np.arange(25).reshape(5, 5)
    merged = merge_others(counts, [1, 3])
    np.testing.assert_array_equal(
        merged,
        [
            [6, 8, 5 + 7 + 9],
            [16, 18, 15 + 17 + 19],
            [1 + 11 + 21, 3 + 13 + 23, 0 + 2 + 4 + 10 + 12 + 14 + 20 + 22 + 24],
        ],
    )
