"""Rows of ``kernels`` that are several graphs: MNIST's."""

import numpy as np
import pytest

from lovasz.datasets.dataset import Dataset
from lovasz.graphs.families import planted_partition
from lovasz.reproduce.engine.cells import Cell, Context, Item, Store
from lovasz.reproduce.engine.run import run
from lovasz.reproduce.items import kernels as beyond
from lovasz.reproduce.items import kernels_page as beyond_page

ROW = "mnist-500-1v2"


def stand_in(name, *, n, classes, seed):
    """A graph of another density each seed, so that none can pass for another."""
    planted = planted_partition(90, len(classes), 0.4 + 0.05 * seed, 0.1, seed=seed)
    return Dataset(name, planted.graph, None, planted.y, tuple(map(str, classes)), {})


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr("lovasz.datasets.load", stand_in)
    monkeypatch.setattr(beyond, "RUNS", 2)
    monkeypatch.setattr(beyond, "COMMON", {"hidden": 8, "epochs": 4, "patience": 4})
    beyond.on_parts.cache_clear()
    yield
    beyond.on_parts.cache_clear()


def five():
    return [cell for cell in beyond.cells(False) if cell.row == ROW]


def without_data(cells):
    return [Cell("kernels", c.row, c.method, part=c.part, cost=c.cost) for c in cells]


def test_a_row_of_mnist_is_five_graphs_and_others_one():
    parts = {row: {c.part for c in beyond.cells(False) if c.row == row} for row in beyond.BARE}
    assert {row: parts[row] for row in beyond.MNIST} == {row: {*range(5)} for row in beyond.MNIST}
    assert all(parts[row] == {None} for row in parts if row not in beyond.MNIST)
    assert len(five()) == 5 * len(beyond.methods_of(ROW))


def test_one_process_comes_to_auto_when_its_candidates_are_trained(small, tmp_path):
    trained = []

    def measure(cell, context):
        before = beyond.on_parts.cache_info().misses
        found = beyond.measure(cell, context)
        trained.append((cell, beyond.on_parts.cache_info().misses - before))
        return found

    cells = [c for c in five() if c.part in (0, 1) and c.method != "lcn"]
    item = Item("kernels", "", lambda quick: without_data(cells), measure, beyond.section)
    run([item], Store(tmp_path), device="cpu")
    assert len(trained) == len(cells)
    assert all(count == (0 if cell.method == "auto" else 1) for cell, count in trained)


def test_graphs_of_a_row_are_measured_apart_and_read_as_one(small, tmp_path):
    cells = without_data(five())
    item = Item("kernels", "", lambda quick: cells, beyond.measure, beyond.section)
    summary = run([item], Store(tmp_path), device="cpu")
    assert not summary.failed and len(summary.measured) == 30
    results = Store(tmp_path).results(item)
    for method in beyond.methods_of(ROW):
        found = results[ROW, method]
        assert len(found["train_seconds"]) == 5
        assert all(len(v) == 10 for key, v in found.items() if key != "train_seconds")
        beyond.on_parts.cache_clear()
        again = beyond.measure(Cell("kernels", ROW, method, part=3), Context(False, "cpu"))
        assert found["test"][6:8] == again["test"]
    said = beyond.section(results)
    assert any(row[0] == ROW for table in said.tables for row in table.rows)
    assert not any("Only the first graphs" in text for text in said.protocol)


def test_graphs_have_their_own_images_splits_and_seeds(small):
    graphs = [beyond.without_features(ROW, k, Context(False, "cpu")) for k in range(5)]
    assert len({g.graph.m for g in graphs}) == 5
    for chosen in (lambda g: g.splits[0], lambda g: g.parts[0][0], lambda g: g.parts[1][0]):
        assert len({tuple(chosen(g).train) for g in graphs}) == 5
    assert [g.first for g in graphs] == [0, 2, 4, 6, 8]


def test_the_standard_error_of_five_graphs_is_that_of_their_means():
    graphs = np.array([90.0, 92.0, 94.0, 96.0, 98.0])
    runs = np.repeat(graphs, beyond.RUNS).tolist()  # ten times the same says no more than once
    error = graphs.std(ddof=1) / np.sqrt(5)
    assert beyond_page._standard_error(ROW, runs) == pytest.approx(error)
    assert beyond_page._standard_error("heart", runs) < error / 2
    ten = np.arange(10.0)
    assert beyond_page._standard_error(ROW, ten) == beyond_page._standard_error("heart", ten) > 0
    rivals = {"gcn": (np.array(runs) + 0.9 * error).tolist()}
    assert beyond_page._behind(ROW, runs, rivals) == ""
    rivals = {"gcn": (np.array(runs) + 1.1 * error).tolist()}
    assert "GCN" in beyond_page._behind(ROW, runs, rivals)


def cell_of(graphs, seconds):
    runs = np.repeat(np.asarray(graphs, dtype=float), beyond.RUNS).tolist()
    keys = ("test", "mean", "expected", "raw_error", "error")
    shares = {f"share of {m}": [0.25] * len(runs) for m in beyond.PLAIN}
    return dict.fromkeys(keys, runs) | shares | {"train_seconds": seconds}


def test_networks_are_compared_on_the_graphs_they_share():
    results = {(ROW, m): cell_of([80, 90], [1.0, 2.0]) for m in beyond.methods_of(ROW)}
    results[ROW, "gcn"] = cell_of([80], 1.0)  # as cells were when a row was one graph
    results["heart", "gcn"] = cell_of([70], 1.0)
    said = beyond.section(results)
    assert any(f"{ROW} (1)" in text for text in said.protocol)
    (row,) = [row for row in said.tables[0].rows if row[0] == ROW]
    assert row[1].text == "80.0 ± 0.0" and row[-1] == "1 / 1"
    shared = beyond_page._shared(results)
    assert len(shared[ROW, "auto"]["test"]) == beyond.RUNS
    assert shared["heart", "gcn"] is results["heart", "gcn"]
