"""Training on splits and on partitions of their labels."""

from types import SimpleNamespace

import numpy as np
import pytest

from lovasz.classify.splits import random_splits
from lovasz.datasets.dataset import Dataset
from lovasz.graphs.families import planted_partition
from lovasz.reproduce.engine.cells import Cell, Context, Item, Store
from lovasz.reproduce.engine.run import run
from lovasz.reproduce.items.kernels import findings, row_results, rows, trials

ROW = "mnist-500-1v2"


@pytest.fixture
def fitted(monkeypatch):
    """How LCNClassifier is called; it answers with its training labels' commonest class."""
    calls = []

    class StandIn:
        expected_accuracy_, expected_range_ = 0.5, (0.25, 0.75)
        blend_ = SimpleNamespace(shares={"ls": 1.0, "gcn": 0.0})

        def __init__(self, **given):
            self.given = given

        def fit(self, graph, y, features=None, **more):
            calls.append((self.given, y, features, more))
            self.y, self.classes_ = y, np.unique(y[y >= 0])

        def predict_proba(self):
            counts = np.bincount(self.y[self.y >= 0])[self.classes_]
            return np.tile(counts / counts.sum(), (len(self.y), 1))

    monkeypatch.setattr("lovasz.classify.LCNClassifier", StandIn)
    return calls


def test_auto_is_the_classifier_with_its_defaults(fitted, monkeypatch):
    monkeypatch.setattr(rows, "BLOCK_NODES", 100)
    row, quick = "sbm 2 classes .6/.4", Context(quick=True, device="cpu")
    found = trials.measure(Cell("kernels", row, "auto"), quick)
    assert [given for given, *_ in fitted] == [
        {"random_state": seed, "device": "cpu"} for seed in (0, 1)
    ]
    for _, y, features, more in fitted:
        assert (y >= 0).sum() == 30 and features is None and not more
    assert found["low"] == [25.0] * 2 and found["shares"] == [{"ls": 1.0}] * 2
    assert len(found["train_seconds"]) == 1 and len(found["seconds"]) == 2


@pytest.mark.data
def test_auto_is_given_all_validation_nodes(fitted):
    found = trials.measure(Cell("kernels", "texas", "auto"), Context(quick=True, device="cpu"))
    assert len(found["test"]) == len(fitted) == 2
    data = rows.load_row("texas", 2)
    for (_, y, features, more), split in zip(fitted, data.splits, strict=True):
        assert set(more["validation"]) == set(split.validation)
        trained = np.setdiff1d(np.flatnonzero(y >= 0), more["validation"])
        assert np.array_equal(trained, np.sort(split.train))
        assert features.shape == data.features.shape and features.max() == 1


def test_parts_of_the_labels_keep_to_the_split():
    y = np.arange(200) % 2
    split = random_splits(y, (0.1, 0.2, 0.7), 1, seed=0)[0]
    labelled = {*split.train, *split.validation}
    parts = trials.draw_parts(split, seed=0)
    assert len(parts) == trials.PARTITIONS
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


def five():
    return [cell for cell in rows.cells(False) if cell.row == ROW]


def without_data(cells):
    return [Cell("kernels", c.row, c.method, part=c.part, cost=c.cost) for c in cells]


def test_graphs_of_a_row_are_measured_apart_and_read_as_one(small, fitted, tmp_path):
    cells = without_data(five())
    item = Item("kernels", "", lambda quick: cells, trials.measure, findings.section)
    summary = run([item], Store(tmp_path), device="cpu")
    assert not summary.failed and len(summary.measured) == 30
    results = Store(tmp_path).results(item)
    for method in rows.methods_of(ROW):
        found = results[ROW, method]
        per_graph = {"train_seconds", "device"} & found.keys()
        assert all(len(found[key]) == 5 for key in per_graph)
        assert all(len(v) == 10 for key, v in found.items() if key not in per_graph)
        again = trials.measure(Cell("kernels", ROW, method, part=3), Context(False, "cpu"))
        assert found["test"][6:8] == again["test"]
    assert results[ROW, "auto"]["device"] == ["cpu"] * 5
    assert [given["random_state"] for given, *_ in fitted[:10]] == [*range(10)]
    said = findings.section(results)
    assert any(row[0] == ROW for table in said.tables for row in table.rows)
    assert not any("only their first graphs" in text for text in said.protocol)


def test_graphs_have_their_own_images_splits_and_seeds(small):
    graphs = [trials.load_bare(ROW, k, Context(False, "cpu")) for k in range(5)]
    assert len({g.graph.m for g in graphs}) == 5
    for chosen in (lambda g: g.splits[0], lambda g: g.parts[0][0], lambda g: g.parts[1][0]):
        assert len({tuple(chosen(g).train) for g in graphs}) == 5
    assert [g.first for g in graphs] == [0, 2, 4, 6, 8]
