"""Columns with heavy tails: which are squashed, and that nothing else depends on it."""

import numpy as np
import pytest

from lovasz import LCNClassifier
from lovasz.classify.features import Scaling, scale_features, scale_table
from lovasz.classify.tails import Tails

RNG = np.random.default_rng(0)
NORMAL = RNG.standard_normal(400)
INCOME = np.exp(1.5 * NORMAL)


def test_one_sided_and_two_sided_tails_are_squashed_and_others_are_not():
    table = np.column_stack([NORMAL, INCOME, -INCOME, NORMAL * INCOME, RNG.random(400)])
    tails = Tails.of(table)
    assert tails.columns.tolist() == [1, 2, 3]
    z = scale_table(table, None, "columns")
    assert np.abs(z[:, 1:4]).max() < 6 < np.abs((INCOME - INCOME.mean()) / INCOME.std()).max()
    assert (np.argsort(z[:, 1]) == np.argsort(INCOME)).all()  # the order of rows is kept
    np.testing.assert_allclose(z[:, 1], -z[:, 2], atol=1e-9)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_the_unit_of_a_column_does_not_matter(unit):
    column = INCOME[:, None]
    np.testing.assert_allclose(
        scale_table(unit * column, None, "columns"), scale_table(column, None, "columns"), rtol=1e-9
    )


def test_columns_of_mostly_one_value_stay_as_they_are():
    rare = np.where(RNG.random(400) < 0.02, 50 * RNG.random(400), 0)
    assert not len(Tails.of(rare[:, None]).columns)
    assert not len(Tails.of(np.zeros((5, 2))).columns)
    assert not len(Tails.of(np.r_[np.full(399, 0.1), 0.1 + 1e-17][:, None]).columns)


def test_later_rows_are_squashed_like_the_first():
    table = np.column_stack([NORMAL, INCOME])
    scaling = Scaling.of(table, "columns")
    assert scaling.tails is not None and scaling.tails.columns.tolist() == [1]
    np.testing.assert_allclose(scaling(table[:7]), scale_features(table, "columns")[:7])
    np.testing.assert_allclose(scale_table(table, table[:7], "columns")[400:],
                               scale_table(table, None, "columns")[:7])  # fmt: skip


def test_classes_behind_a_heavy_tail_are_found_and_a_saved_model_knows_the_scale(tmp_path):
    y = (NORMAL > 0).astype(int)
    table = np.exp(3 * NORMAL[:, None] + 0.5 * RNG.standard_normal((400, 3)))
    known = np.where(np.arange(400) % 10 == 0, y, -1)
    graph = [(v, (v + 1) % 400) for v in range(400)]
    clf = LCNClassifier(fast=True, random_state=0).fit(graph, known, features=table)
    assert (clf.predict() == y).mean() > 0.9
    clf.save(tmp_path / "model")
    again = LCNClassifier.load(tmp_path / "model")
    bigger = [*graph, (0, 400)]
    rows = np.vstack([table, table[:1]])
    np.testing.assert_allclose(
        again.predict_proba(graph=bigger, features=rows),
        clf.predict_proba(graph=bigger, features=rows), atol=1e-9,
    )  # fmt: skip
