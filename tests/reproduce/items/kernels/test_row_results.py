"""Rows of several graphs are compared on the graphs that all networks share."""

import numpy as np
import pytest

from lovasz.reproduce.items.kernels import findings, row_results, rows

ROW = "mnist-500-1v2"


def test_the_standard_error_of_five_graphs_is_that_of_their_means():
    graphs = np.array([90.0, 92.0, 94.0, 96.0, 98.0])
    runs = np.repeat(graphs, row_results.RUNS).tolist()  # ten times the same says no more than once
    error = graphs.std(ddof=1) / np.sqrt(5)
    assert row_results.standard_error(ROW, runs) == pytest.approx(error)
    assert row_results.standard_error("heart", runs) < error / 2
    ten = np.arange(10.0)
    assert row_results.standard_error(ROW, ten) == row_results.standard_error("heart", ten) > 0
    rivals = {"gcn": (np.array(runs) + 0.9 * error).tolist()}
    assert row_results.describe_deficit(ROW, runs, rivals) == ""
    rivals = {"gcn": (np.array(runs) + 1.1 * error).tolist()}
    assert "GCN" in row_results.describe_deficit(ROW, runs, rivals)


def cell_of(graphs, seconds):
    runs = np.repeat(np.asarray(graphs, dtype=float), row_results.RUNS).tolist()
    keys = ("test", "macro_f1", "expected", "low", "high", "raw_error", "error", "seconds")
    shares = {"shares": [{"ls": 1.0}] * len(runs)}
    return dict.fromkeys(keys, runs) | shares | {"train_seconds": seconds}


def test_networks_are_compared_on_the_graphs_they_share():
    results = {(ROW, m): cell_of([80, 90], [1.0, 2.0]) for m in rows.methods_of(ROW)}
    results[ROW, "gcn"] = cell_of([80], 1.0)  # as cells were when a row was one graph
    results["heart", "gcn"] = cell_of([70], 1.0)
    said = findings.section(results)
    assert any(f"{ROW} (1)" in text for text in said.protocol)
    (row,) = [row for row in said.tables[0].rows if row[0] == ROW]
    assert row[1].text == "80.0 ± 0.0" and row[-1] == "1 / 1"
    shared = row_results.on_shared_graphs(results)
    assert len(shared[ROW, "auto"]["test"]) == row_results.RUNS
    assert shared["heart", "gcn"] is results["heart", "gcn"]
