"""Logistic regression: the optimum it promises, and what its answers do not depend on."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import log_softmax, softmax

from lovasz.classify import logistic
from lovasz.classify.logistic import Logistic
from lovasz.classify.ridge import Ridge

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1, 2], 20)
TABLE = 2 * np.eye(3)[Y] @ RNG.standard_normal((3, 5)) + RNG.standard_normal((60, 5))
KNOWN = np.arange(0, 60, 2)


def fit(table, codes=None):
    codes = Y[KNOWN] if codes is None else codes
    return Logistic.of(table, KNOWN, codes, 3)


def shares(model, table):
    return softmax(model(table), axis=1)


@pytest.mark.parametrize("penalty", [3.0, 0.02])
def test_the_gradient_vanishes_at_the_fit(penalty, monkeypatch):
    monkeypatch.setattr(logistic, "TOLERANCE", 0.0)
    phi, hot = TABLE[KNOWN], np.eye(3)[Y[KNOWN]]
    B = logistic.fit(phi, hot, penalty, np.zeros((5, 3)))
    gradient = phi.T @ (softmax(phi @ B, axis=1) - hot) + penalty * B
    assert np.abs(gradient).max() < 1e-4 * np.abs(phi.T @ hot).max()


def test_it_agrees_with_scikit_learn(monkeypatch):
    linear_model = pytest.importorskip("sklearn.linear_model")
    monkeypatch.setattr(logistic, "PENALTIES", (0.1,))
    monkeypatch.setattr(logistic, "TOLERANCE", 1e-12)
    monkeypatch.setattr(logistic, "CONSTANT", 1e3)  # so that the shift costs nothing, as there
    variance = TABLE.var(axis=0).sum()
    theirs = linear_model.LogisticRegression(C=1 / (0.1 * variance), tol=1e-8, max_iter=10_000)
    theirs.fit(TABLE[KNOWN], Y[KNOWN])
    np.testing.assert_allclose(shares(fit(TABLE), TABLE), theirs.predict_proba(TABLE), atol=1e-3)


def test_the_surprise_is_that_of_labels_which_were_left_out(monkeypatch):
    monkeypatch.setattr(logistic, "PENALTIES", (0.1,))
    phi, hot = np.column_stack([TABLE[KNOWN], np.full(30, 10.0)]), np.eye(3)[Y[KNOWN]]
    _, surprise = logistic.choose_penalty(phi, hot)
    said = []
    for group in range(5):  # the labels are sorted, so groups take every fifth one
        out = np.arange(30) % 5 == group
        B = logistic.fit(phi[~out], hot[~out], 0.1, np.zeros((6, 3)))
        said += list((log_softmax(phi[out] @ B, axis=1) * hot[out]).sum(axis=1))
    assert surprise == pytest.approx(-np.mean(said), rel=1e-3)


def test_it_does_not_depend_on_the_unit_of_the_table():
    found = fit(TABLE)
    assert (found(TABLE).argmax(1) == Y).mean() > 0.8
    other = fit(1000 * TABLE)
    np.testing.assert_allclose(shares(other, 1000 * TABLE), shares(found, TABLE), atol=1e-6)


def test_renaming_the_classes_renames_the_answers():
    renamed = np.array([2, 0, 1])
    found, other = fit(TABLE), fit(TABLE, renamed[Y[KNOWN]])
    np.testing.assert_allclose(shares(other, TABLE)[:, renamed], shares(found, TABLE), atol=0.05)


def test_sparse_tables_are_answered_as_dense_ones():
    thin = sparse.csr_array(np.where(np.abs(TABLE) > 1, TABLE, 0))
    np.testing.assert_allclose(
        shares(fit(thin), thin), shares(fit(thin.toarray()), thin.toarray()), atol=1e-6
    )


def test_ordered_classes_on_a_line_have_a_middle_unlike_in_ridge_regression_on_them():
    x = np.linspace(0, 1, 120)[:, None]
    codes = np.minimum((4 * x[:, 0]).astype(int), 3)
    known = np.arange(0, 120, 3)
    model = Logistic.of(x, known, codes[known], 4)
    assert (model(x).argmax(1) == codes).mean() > 0.9
    slope = np.linalg.lstsq(np.column_stack([x, np.ones(120)]), np.eye(4)[codes], rcond=None)[0]
    assert set((np.column_stack([x, np.ones(120)]) @ slope).argmax(1)) == {0, 3}
    assert Ridge.of(x, known, codes[known], 4).surprise > 0  # curved similarities see the middle


def test_many_labels_are_judged_in_part(monkeypatch):
    monkeypatch.setattr(logistic, "ENOUGH", 10)
    fits = []
    original = logistic.fit
    monkeypatch.setattr(logistic, "fit", lambda *given: fits.append(1) or original(*given))
    monkeypatch.setattr(logistic, "PENALTIES", (0.1,))
    assert (fit(TABLE)(TABLE).argmax(1) == Y).mean() > 0.8
    assert len(fits) == 3  # two groups of six labels, and all labels


@pytest.mark.parametrize("labels", [1, 2, 3])
def test_a_few_labels_of_one_class_each_are_enough(labels):
    model = Logistic.of(TABLE, np.arange(0, 20 * labels, 20), np.arange(labels), 3)
    assert np.isfinite(model(TABLE)).all() and np.isfinite(model.surprise)


def test_a_table_that_says_nothing_gives_the_shares_of_the_classes():
    codes = np.array([0] * 20 + [1] * 10)
    found = Logistic.of(np.zeros((60, 2)), KNOWN, codes, 2)
    np.testing.assert_allclose(shares(found, np.zeros((3, 2)))[:, 0], 2 / 3, atol=0.01)
