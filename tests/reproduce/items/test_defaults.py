"""The item "defaults": its cells, tasks, methods, rule and page."""

import sys

import numpy as np
import pytest
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.graphs.families import planted_partition
from lovasz.reproduce.engine.cells import Cell, Context
from lovasz.reproduce.items import defaults
from lovasz.reproduce.items.defaults import default_findings, rivals, rule, task_rows, trust
from lovasz.reproduce.items.defaults.pattern_rows import PATTERNS
from lovasz.reproduce.items.defaults.task_rows import Task

QUICK = Context(quick=True, device="cpu")
BLOCKS = "3 blocks .7/.6"


def test_methods_fit_their_rows():
    every = {(cell.row, cell.method): cell for cell in defaults.cells(False)}
    assert ("wine 2 %", "forest") in every and ("cora", "forest") not in every
    assert (BLOCKS, "bayes") in every and ("social 5 %", "bayes") not in every
    assert (BLOCKS, "logistic") not in every and ("3 blocks with features", "svm") in every
    assert every["heart 20 %", "auto"].data == ("heart",) and every["wine 2 %", "auto"].data == ()
    assert every["cora, labels only", "gcn"].data == ("cora",)
    assert ("mines on a board", "svm") in every and ("mines on a board", "bayes") not in every
    assert ("hubs and leaves", "mlp") not in every and ("karate", "c-and-s") not in every
    assert {(c.row, c.method) for c in defaults.cells(True)} <= every.keys()
    assert {cell.method for cell in every.values()} == default_findings.NAMES.keys()


@pytest.mark.parametrize("row", task_rows.DRAWN)
def test_tasks_are_the_same_for_all_methods(row):
    first, again = (task_rows.load_task(row, 1, quick=True) for _ in range(2))
    assert np.array_equal(first.train, again.train) and first.graph.m == again.graph.m
    assert set(first.y[first.train]) == set(first.y)
    assert len(first.train) + len(first.test) == first.graph.n
    other = task_rows.load_task(row, 0, quick=True)
    assert not np.array_equal(first.train, other.train)


def test_classes_of_patterns_are_what_their_rows_say():
    mines, counts, hubs = (draw(0, True) for draw, _ in PATTERNS.values())
    sizes = np.asarray(mines.graph.adjacency.sum(axis=1)).ravel()
    assert sorted(set(sizes)) == [3, 5, 8]  # corners, sides, and cells inside of the board
    seen = mines.features[:, 9] == 0
    around = mines.graph.adjacency @ mines.y
    assert np.array_equal(mines.features[seen].argmax(axis=1), around[seen])
    marked = counts.graph.adjacency @ counts.features[:, 0]
    assert np.array_equal(counts.y, (marked >= 2).astype(int) + (marked >= 4))
    order = np.argsort(np.asarray(hubs.graph.adjacency.sum(axis=1)).ravel(), kind="stable")
    assert (np.diff(hubs.y[order]) >= 0).all() and set(hubs.y) == {0, 1, 2, 3}


@pytest.mark.data
def test_validation_nodes_are_given_where_the_row_says_so():
    task = task_rows.load_task("cora", 0, quick=False)
    assert len(task.train) == 140 and len(task.validation) == 500 and len(task.test) == 1000
    bare = task_rows.load_task("cora, labels only", 0, quick=False)
    assert bare.validation is None and np.array_equal(bare.train, task.train)
    large = task_rows.load_task("amazon-photo", 0, quick=False)
    assert len(large.train) == 20 * large.classes and large.validation is None


@pytest.mark.parametrize("method", [m for m in task_rows.methods_of(BLOCKS) if m != "auto"])
def test_methods_label_a_block_model(method):
    found = defaults.measure(Cell("defaults", BLOCKS, method), QUICK)
    assert len(found["test"]) == len(found["macro_f1"]) == len(found["seconds"]) == 2
    assert np.mean(found["test"]) > 60
    if method == "auto-fast":
        assert len(found["shares"]) == 2 and found["low"][0] <= found["high"][0]


def featured():
    """A graph with features that tell the classes, a little."""
    graph, y, _ = planted_partition(90, 3, 0.3, 0.05, seed=0)
    X = np.eye(3)[y] + 0.3 * np.random.default_rng(0).standard_normal((90, 3))
    nodes = np.arange(90)
    return Task(graph, X, y, nodes[::3], None, np.setdiff1d(nodes, nodes[::3]))


@pytest.mark.parametrize("method", ["logistic", "svm", "mlp", "c-and-s", "gat", "forest", "knn"])
def test_methods_learn_from_features(method):
    pytest.importorskip("sklearn")
    task = featured()
    P = rivals.answer(method, task, 0, QUICK)
    assert P.shape == (90, 3) and np.allclose(P.sum(axis=1), 1)
    assert (P.argmax(axis=1) == task.y)[task.test].mean() > 0.7


def test_a_machine_takes_sparse_features_with_long_indices():
    pytest.importorskip("sklearn")
    task = featured()
    X = sparse.csr_array(np.eye(30)[task.y])
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    counts = Task(task.graph, X, task.y, task.train, None, task.test)
    P = rivals.answer("svm", counts, 0, QUICK)
    assert (P.argmax(axis=1) == task.y)[task.test].all()


def test_labels_spread_on_tables():
    pytest.importorskip("sklearn")
    task = featured()
    table = Task(None, task.features, task.y, task.train, None, task.test)
    P = rivals.answer("label-spreading", table, 0, QUICK)
    assert (P.argmax(axis=1) == task.y)[task.test].mean() > 0.7


def test_correct_and_smooth_helps_weak_features():
    pytest.importorskip("sklearn")
    task = featured()
    noisy = task.features + np.random.default_rng(1).standard_normal((90, 3))
    weak = Task(task.graph, noisy, task.y, task.train, None, task.test)
    right = {
        m: (rivals.answer(m, weak, 0, QUICK).argmax(1) == weak.y)[weak.test].mean()
        for m in ("logistic", "c-and-s")
    }
    assert right["c-and-s"] > right["logistic"]


def test_scikit_learn_may_be_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(LovaszError, match="logistic needs scikit-learn"):
        rivals.answer("logistic", featured(), 0, QUICK)
    with pytest.raises(LovaszError, match="the table 'wine' needs scikit-learn"):
        task_rows.load_task("wine 2 %", 0, quick=True)
    assert rivals.answer("label-spreading", featured(), 0, QUICK).shape == (90, 3)


def test_one_label_per_class_is_enough_for_a_network():
    task = featured()
    few = Task(task.graph, task.features, task.y, np.array([0, 30, 60]), None, task.test)
    assert rivals.answer("gcn", few, 0, QUICK).shape == (90, 3)


def cell(*test, seconds=1.0):
    return {
        "test": list(test), "macro_f1": list(test), "error": [2.0] * len(test),
        "seconds": [seconds] * len(test), "cores": [16],
    }  # fmt: skip


def auto(*test, seconds=4.0):
    count = len(test)
    return cell(*test, seconds=seconds) | {
        "expected": list(test), "low": [80.0] * count, "high": [90.0] * count,
        "shares": [{"ls": 1.0}] * count,
    }  # fmt: skip


def test_the_rule_compares_runs_in_pairs():
    results = {(BLOCKS, "gcn"): cell(80, 90), (BLOCKS, "spectral"): cell(82, 92)}
    assert rule.compare(results, BLOCKS) is None
    results[BLOCKS, "auto"] = auto(81, 91)
    found = rule.compare(results, BLOCKS)
    assert found == ("spectral", -1.0, 0.0) and found.behind  # always one point below
    results[BLOCKS, "auto"] = auto(79, 93)  # differences -3 and 1
    found = rule.compare(results, BLOCKS)
    assert found.lead == -1 and found.error == 2 and not found.behind and not found.ahead
    results[BLOCKS, "auto"] = auto(90, 99)
    assert rule.compare(results, BLOCKS).ahead
    results[BLOCKS, "bayes"] = cell(95, 99)
    assert rule.compare(results, BLOCKS).rival == "spectral"  # Bayes is no rival
    assert rule.below_ceiling(results, BLOCKS) == 2.5


def test_the_page_counts_and_names_exceptions():
    results = {
        (BLOCKS, "auto"): auto(85, 87),
        (BLOCKS, "auto-fast"): auto(84, 86, seconds=1.0),
        (BLOCKS, "spectral"): cell(80, 82, seconds=0.25),
        (BLOCKS, "bayes"): cell(90, 92),
        ("cora", "auto"): auto(79, 80),
        ("cora", "gcn"): cell(82, 82),
        ("wine 2 %", "svm"): cell(90, 90),
    }
    section = defaults.section(results)
    said = " ".join(section.verdict)
    assert "on 1 of 2 rows: it is ahead by more than that on 1" in said
    assert "behind on cora by 2.5 ± 0.5 points (GCN)" in said
    assert "within 2 points of Bayes on 0 of 1 block model." in said
    assert f"further below on {BLOCKS} by 5.0" in said
    assert "in 3 of 4 fits (75.0 %; the goal is 93 %)" in said
    assert "takes 25 % of the time" in said and "1.0 points lower" in said
    assert "spectral + LR 0.25 s" in said
    assert any("16 cores" in text for text in section.protocol)
    assert len(section.tables) == 5
    kinds = [row[:2] for row in section.tables[-1].rows]
    assert [kind for kind, _ in kinds[:2]] == ["dense blocks", "citations with validation nodes"]
    assert kinds[-1] == ["all 2 kinds", "3 of 4 (75.0 %; goal: 93 %)"]
    for table in section.tables:
        assert all(len(row) == len(table.columns) for row in table.rows)
    blocks = dict(zip(section.tables[0].columns, section.tables[0].rows[0], strict=True))
    assert blocks["auto"].text == "86.0 ± 1.4, 4.0 s" and blocks["auto"].mark == "ours"
    assert blocks["Bayes"].mark == "" and blocks["LR"] == "–" and blocks["GAT"] == "not run"


def test_rows_that_were_not_run_are_named_unless_they_are_most():
    rows = (*task_rows.DRAWN, *task_rows.GRAPHS, *task_rows.TABLES)
    results = {(row, "auto"): auto(85, 87) for row in rows if row != "squirrel"}
    assert (
        "auto was not run on these rows of the list: squirrel." in defaults.section(results).verdict
    )
    few = {(BLOCKS, "auto"): auto(85, 87)}
    assert not any("was not run" in text for text in defaults.section(few).verdict)


def test_every_row_has_a_kind_and_there_are_200_fits_with_an_interval():
    rows = (*task_rows.DRAWN, *task_rows.GRAPHS, *task_rows.TABLES)
    kinds = [row for named in trust.KINDS_OF_DATA.values() for row in named]
    assert sorted(kinds) == sorted(rows) and len(trust.KINDS_OF_DATA) >= 10
    too_few = {row for row in rows if row.endswith(" 2 %") and row != "digits 2 %"}
    fits = {row: task_rows.runs_of_row(row, quick=False) for row in rows}
    assert sum(fits[row] for row in rows if row not in too_few) >= 200
