"""Scaling keeps symmetry to the bit, and rows that are too short become zero."""

import numpy as np
from scipy import sparse

from lovasz.linalg.scaling import scale_symmetrically, unit_rows


def test_scaling_both_sides_keeps_symmetry_to_the_last_bit():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(30, 30))
    scaled = scale_symmetrically(sparse.csr_array(A + A.T), rng.random(30)).toarray()
    assert np.array_equal(scaled, scaled.T)


def test_short_rows_become_zero():
    rows = np.array([[3.0, 4.0], [1e-13, 0.0], [0.0, 0.0]])
    assert unit_rows(rows).tolist() == [[0.6, 0.8], [0, 0], [0, 0]]
    assert unit_rows(rows, least=0.0).tolist() == [[0.6, 0.8], [1, 0], [0, 0]]
