"""Kernel ridge regression in closed form: what it promises about left-out rows and about scale."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import log_softmax

from lovasz.classify import ridge
from lovasz.classify.ridge import Ridge, choose_penalty

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1, 2], 20)
TABLE = 2 * np.eye(3)[Y] @ RNG.standard_normal((3, 5)) + RNG.standard_normal((60, 5))
KNOWN = np.arange(0, 60, 2)


def fit(table, codes=None):
    codes = Y[KNOWN] if codes is None else codes
    return Ridge.of(table, KNOWN, codes, 3)


def test_leaving_a_row_out_in_closed_form_is_fitting_without_it(monkeypatch):
    monkeypatch.setattr(ridge, "PENALTIES", (0.1,))
    monkeypatch.setattr(ridge, "SHARPNESS", (2.0,))
    phi = np.column_stack([RNG.standard_normal((12, 4)), np.full(12, ridge.CONSTANT)])
    codes = np.arange(12) % 3
    _, surprise = choose_penalty(phi, codes, 3)
    said = []
    for row in range(12):
        rest = np.arange(12) != row
        B, _ = choose_penalty(phi[rest], codes[rest], 3)  # includes the factor for logits
        said.append(log_softmax(phi[row] @ B)[codes[row]])
    assert surprise == pytest.approx(-np.mean(said), rel=1e-9)


def test_it_learns_and_does_not_depend_on_the_unit_of_the_table():
    found = fit(TABLE)
    assert (found(TABLE).argmax(1) == Y).mean() > 0.8
    np.testing.assert_allclose(fit(1000 * TABLE)(1000 * TABLE), found(TABLE))


def test_similarities_do_not_depend_on_where_the_table_lies():
    moved = TABLE + 7
    np.testing.assert_allclose(fit(moved)(moved), fit(TABLE)(TABLE), atol=1e-6)


def test_renaming_the_classes_renames_the_answers():
    renamed = np.array([2, 0, 1])
    found = fit(TABLE)
    other = fit(TABLE, renamed[Y[KNOWN]])
    np.testing.assert_allclose(other(TABLE)[:, renamed], found(TABLE), atol=1e-9)
    assert other.surprise == pytest.approx(found.surprise)


def test_the_order_of_the_labelled_rows_does_not_matter():
    order = RNG.permutation(len(KNOWN))
    other = Ridge.of(TABLE, KNOWN[order], Y[KNOWN][order], 3)
    np.testing.assert_allclose(other(TABLE), fit(TABLE)(TABLE), atol=1e-8)


def test_many_labels_are_compared_with_some_of_them(monkeypatch):
    monkeypatch.setattr(ridge, "LANDMARKS", 10)
    monkeypatch.setattr(ridge, "BAND", 7)
    found = fit(TABLE)
    assert len(found.landmarks) == 10 and (found(TABLE).argmax(1) == Y).mean() > 0.7


def test_a_table_that_says_nothing_gives_the_shares_of_the_classes():
    codes = np.array([0] * 20 + [1] * 10)
    found = Ridge.of(np.zeros((60, 2)), KNOWN, codes, 2)
    logits = found(np.zeros((3, 2)))
    assert np.isfinite(logits).all() and (logits.argmax(1) == 0).all()
    assert np.ptp(logits, axis=0).max() == 0


def test_equal_rows_have_no_variance_of_rounding():
    rows = np.full((7, 3), 0.1)
    assert ridge.total_variance(rows[:, :0]) == 1
    assert ridge.total_variance(sparse.csr_array(rows)) == 1


def test_sparse_tables_have_the_answers_of_dense_ones():
    table = np.where(np.abs(TABLE) > 0.7, TABLE, 0.0)
    dense = fit(table)
    thin = fit(sparse.csr_array(table))
    np.testing.assert_allclose(thin(sparse.csr_array(table)), dense(table), atol=1e-6)
    assert thin.surprise == pytest.approx(dense.surprise)
