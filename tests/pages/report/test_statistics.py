"""The numbers on a report page."""

from dataclasses import replace

import numpy as np
import pytest
from tests.pages.report_samples import GCN, LCN

from lovasz.pages.report.statistics import compare_paired, merge_others, word_verdict


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


def folds(name, wrong=()):
    """A method on 40 nodes in two folds that is wrong at some of them."""
    truth = np.zeros(40, dtype=int)
    predicted = np.isin(np.arange(40), wrong).astype(int)
    accuracy = (predicted == truth).reshape(2, 20).mean(axis=1)
    return replace(LCN, name=name, accuracy=accuracy, truth=truth, predicted=predicted, folds=True)


def test_a_difference_within_two_standard_errors_of_the_nodes_is_too_close_to_call():
    ours, theirs = folds("LCN", [0, 1, 2]), folds("GCN", [2, 3, 4, 5])
    close = compare_paired(ours, theirs)
    assert close.nodes == 40 and close.difference == pytest.approx(2.5)
    gap = np.isin(np.arange(40), [3, 4, 5]) * 1.0 - np.isin(np.arange(40), [0, 1])
    assert close.spread == pytest.approx(100 * gap.std(ddof=1) / np.sqrt(40))
    assert word_verdict(close).startswith(
        "Too close to call: LCN is 2.5 points above GCN on the 40"
    )
    assert compare_paired(ours, ours).outcome == "close"
    for more in range(1, 4):  # nodes at which only one of them is right
        assert compare_paired(ours, folds("GCN", range(3 + more))).outcome == "close"


def test_a_difference_beyond_it_is_called():
    ours, theirs = folds("LCN"), folds("GCN", range(6))
    ahead, behind = compare_paired(ours, theirs), compare_paired(theirs, ours)
    assert (ahead.outcome, behind.outcome) == ("ahead", "behind")
    assert "LCN is 15.0 points more accurate than GCN on the 40 labels" in word_verdict(ahead)
    assert "For this graph LCN is the better choice." in word_verdict(behind)
