"""The charts of a report page."""

from dataclasses import replace

import numpy as np
import pytest
from tests.pages.report_samples import LCN

from lovasz.pages.report.accuracy_charts import accuracy_range


@pytest.mark.parametrize("value", [0.0, 0.003, 0.5, 0.997, 1.0])
def test_the_axis_of_accuracies_stays_within_the_possible(value):
    low, high = accuracy_range([replace(LCN, accuracy=np.full(4, value))], 35.0)
    assert 0 <= low <= 100 * value <= high <= 100
    assert low < high
    low, high = accuracy_range([replace(LCN, accuracy=np.array([0.0, 1.0]))], 35.0)
    assert (low, high) == (0, 100)


def test_a_baseline_better_than_the_methods_is_on_the_axis():
    low, high = accuracy_range([replace(LCN, accuracy=np.array([0.2, 0.4]))], 50.0)
    assert low < 50 < high
