"""Training on splits and on partitions of their labels."""

import numpy as np
import pytest

from lovasz.classify import candidates as auto
from lovasz.classify.splits import random_splits
from lovasz.datasets.dataset import Dataset
from lovasz.graphs.families import planted_partition
from lovasz.reproduce.engine.cells import Cell, Context, Item, Store
from lovasz.reproduce.engine.run import run
from lovasz.reproduce.items.kernels import findings, row_results, rows, trials

ROW = "mnist-500-1v2"


def test_auto_without_features_is_the_mean_of_its_candidates(monkeypatch):
    monkeypatch.setattr(rows, "BLOCK_NODES", 150)
    trials.train_on_parts.cache_clear()
    row, quick = "sbm 2 classes .6/.4", Context(quick=True, device="cpu")
    found = {m: trials.measure(Cell("kernels", row, m), quick) for m in (*rows.PLAIN, "auto")}
    trials.train_on_parts.cache_clear()
    auto_, gcn = found["auto"], found["gcn"]
    shares = [auto_[f"share of {m}"] for m in rows.PLAIN]
    assert np.sum(shares, axis=0) == pytest.approx(1, abs=1e-3)
    assert auto_["train_seconds"] == pytest.approx(
        np.sum([found[m]["train_seconds"] for m in rows.PLAIN], axis=0), abs=0.05
    )
    assert len(gcn["test"]) == len(gcn["mean"]) == len(auto_["test"]) == 2
    assert np.mean(auto_["test"]) > 60


def test_parts_of_the_labels_keep_to_the_split():
    y = np.arange(200) % 2
    split = random_splits(y, (0.1, 0.2, 0.7), 1, seed=0)[0]
    labelled = {*split.train, *split.validation}
    parts = trials.draw_parts(split, seed=0)
    assert len(parts) == auto.FOLDS
    for part in parts:
        assert [len(nodes) for nodes in part] == [20, 20, 20]
        assert {*part.train, *part.validation, *part.test} == labelled


def stand_in(name, *, n, classes, seed):
    """A graph of another density each seed, so that none can pass for another."""
    planted = planted_partition(90, len(classes), 0.4 + 0.05 * seed, 0.1, seed=seed)
    return Dataset(name, planted.graph, None, planted.y, tuple(map(str, classes)), {})


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr("lovasz.datasets.load", stand_in)
    for module in (trials, row_results):
        monkeypatch.setattr(module, "RUNS", 2)
    monkeypatch.setattr(trials, "COMMON", {"hidden": 8, "epochs": 4, "patience": 4})
    trials.train_on_parts.cache_clear()
    yield
    trials.train_on_parts.cache_clear()


def five():
    return [cell for cell in rows.cells(False) if cell.row == ROW]


def without_data(cells):
    return [Cell("kernels", c.row, c.method, part=c.part, cost=c.cost) for c in cells]


def test_one_process_comes_to_auto_when_its_candidates_are_trained(small, tmp_path):
    trained = []

    def measure(cell, context):
        before = trials.train_on_parts.cache_info().misses
        found = trials.measure(cell, context)
        trained.append((cell, trials.train_on_parts.cache_info().misses - before))
        return found

    cells = [c for c in five() if c.part in (0, 1) and c.method != "lcn"]
    item = Item("kernels", "", lambda quick: without_data(cells), measure, findings.section)
    run([item], Store(tmp_path), device="cpu")
    assert len(trained) == len(cells)
    assert all(count == (0 if cell.method == "auto" else 1) for cell, count in trained)


def test_graphs_of_a_row_are_measured_apart_and_read_as_one(small, tmp_path):
    cells = without_data(five())
    item = Item("kernels", "", lambda quick: cells, trials.measure, findings.section)
    summary = run([item], Store(tmp_path), device="cpu")
    assert not summary.failed and len(summary.measured) == 30
    results = Store(tmp_path).results(item)
    for method in rows.methods_of(ROW):
        found = results[ROW, method]
        assert len(found["train_seconds"]) == 5
        assert all(len(v) == 10 for key, v in found.items() if key != "train_seconds")
        trials.train_on_parts.cache_clear()
        again = trials.measure(Cell("kernels", ROW, method, part=3), Context(False, "cpu"))
        assert found["test"][6:8] == again["test"]
    said = findings.section(results)
    assert any(row[0] == ROW for table in said.tables for row in table.rows)
    assert not any("only their first graphs" in text for text in said.protocol)


def test_graphs_have_their_own_images_splits_and_seeds(small):
    graphs = [trials.load_bare(ROW, k, Context(False, "cpu")) for k in range(5)]
    assert len({g.graph.m for g in graphs}) == 5
    for chosen in (lambda g: g.splits[0], lambda g: g.parts[0][0], lambda g: g.parts[1][0]):
        assert len({tuple(chosen(g).train) for g in graphs}) == 5
    assert [g.first for g in graphs] == [0, 2, 4, 6, 8]
