"""The random forest among the candidates: where it is tried, and what only it finds."""

import sys

import numpy as np
import pytest
from scipy import sparse

from lovasz import LCNClassifier, LovaszError
from lovasz.classify.bench import Bench
from lovasz.classify.candidates import CANDIDATES, candidates_for
from lovasz.classify.parts import deal_folds
from lovasz.classify.problem import make_problem
from lovasz.graphs.families import planted_partition
from lovasz.nn import Settings

FOREST = CANDIDATES["forest"]
BLOCKS = planted_partition(80, 3, 0.2, 0.05, seed=0)
RNG = np.random.default_rng(0)
X = RNG.random((80, 12))


def problem_of(features, table=None):
    problem = make_problem(BLOCKS.graph, np.arange(3), BLOCKS.y, features, "auto", table)
    return problem.with_codes(np.where(np.arange(80) % 2, -1, BLOCKS.y))


def test_it_is_for_tables_and_dense_features_where_scikit_learn_is_installed(monkeypatch):
    words = sparse.csr_array((RNG.random((80, 30)) < 0.1).astype(float))
    assert FOREST.suits(problem_of(X)) and not FOREST.suits(problem_of(words))
    assert FOREST.suits(problem_of(words, table=words.toarray()))
    assert not FOREST.suits(problem_of(None))
    assert "forest" in candidates_for(problem_of(X))
    monkeypatch.setitem(sys.modules, "sklearn", None)
    assert "forest" not in candidates_for(problem_of(X))
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    with pytest.raises(LovaszError, match="scikit-learn"):
        FOREST.grow(problem_of(X), np.arange(0, 80, 2), 0)


@pytest.mark.parametrize("features", [X, sparse.csr_array(np.where(X > 0.7, X, 0))])
def test_every_part_has_its_own_forest_and_a_seed_gives_one_answer(features):
    problem = problem_of(features, table=X)
    parts = deal_folds(problem.codes, folds=3, answering=2, seed=0)
    bench = Bench(problem, parts, Settings(), 7, "cpu")
    logits = FOREST.fit(bench, None).logits
    assert logits.shape == (5, 80, 3) and np.isfinite(logits).all()
    np.testing.assert_array_equal(logits, FOREST.fit(bench, None).logits)
    np.testing.assert_array_equal(logits[3], logits[4])  # these learn from the same labels
    taught = parts.runs[3][0]
    assert (logits[3, taught].argmax(axis=1) == problem.codes[taught]).mean() > 0.95
    assert not np.array_equal(logits[0], logits[1])


def test_a_class_without_a_label_in_a_part_has_no_votes():
    problem = problem_of(X)
    model = FOREST.grow(problem, np.flatnonzero((problem.codes >= 0) & (BLOCKS.y < 2)), 0)
    assert (model(problem.features)[:, 2] == np.log(0.01)).all()


def test_rules_on_single_columns_are_found(tmp_path):
    table = RNG.random((300, 8))
    y = 2 * (table[:, 0] > 0.5) + (table[:, 1] > 0.3)
    y[table[:, 2] > 0.8] = 0
    known = np.arange(300) % 4 == 0
    clf = LCNClassifier(affinity="knn", fast=True, random_state=0)
    clf.fit(table, np.where(known, y, -1))
    assert clf.chosen_ == "forest" and (clf.predict() == y)[~known].mean() > 0.85
    assert any(one.kind == "features" for one in clf.explain(1).evidence)
    clf.save(tmp_path / "model")
    again = LCNClassifier.load(tmp_path / "model")
    new = RNG.random((5, 8))
    np.testing.assert_array_equal(again.predict_proba(new), clf.predict_proba(new))
