"""The classifier as users get it, and its scores."""

import numpy as np
import pytest

from lovasz.classify.candidates import CANDIDATES, TRUSTED, NetworkCandidate
from lovasz.graphs.families import planted_partition
from lovasz.reproduce.engine.classifier_runs import (
    columns_of,
    digest_candidates,
    fit_classifier,
    name_dated,
    score_answers,
    score_probabilities,
    write_shares,
)


def test_the_classifier_is_fitted_and_scored():
    graph, y, _ = planted_partition(60, 2, 0.6, 0.1, seed=0)
    nodes = np.arange(60)
    train, test = nodes[nodes % 2 == 0], nodes[nodes % 2 == 1]
    found = fit_classifier(graph, y, train, test, seed=0, device="cpu", fast=True)
    assert found["test"] > 90 and found["macro_f1"] > 90 and found["seconds"] > 0
    assert found["low"] <= found["expected"] <= found["high"] <= 100
    assert sum(found["shares"].values()) == pytest.approx(1, abs=0.01)
    assert name_dated({("blocks", "auto"): columns_of([found, found])}) == ""


def test_rows_that_were_measured_with_other_candidates_are_named(monkeypatch):
    cells = {}
    for row, names in {"old": ("gcn", "ls"), "other": ("blocks", "spreading")}.items():
        shares = dict.fromkeys(names, 0.5)
        cells[row, "auto"] = {"shares": [shares], "candidates": [digest_candidates(names)]}
    cells["old", "gcn"] = {}
    assert name_dated(cells) == ""
    monkeypatch.setitem(CANDIDATES, "gcn", NetworkCandidate("gcn", changes={"lr": 0.5}))
    assert name_dated(cells).endswith("on these rows: old.")
    fast = {(row, "auto-fast"): cell for (row, _), cell in cells.items() if row == "old" and cell}
    assert name_dated(fast).startswith("Auto, fast,") and name_dated(fast).endswith("on all rows.")


def test_rows_without_a_candidate_that_was_added_since_are_named():
    names = ("similar surroundings", "linear")
    cell = {"shares": [dict.fromkeys(names, 0.5)], "candidates": [digest_candidates(names)]}
    assert name_dated({("row", "auto"): cell}).endswith("on all rows.")
    few = {"shares": [dict.fromkeys(TRUSTED, 1 / 7)], "candidates": [digest_candidates(TRUSTED)]}
    assert name_dated({("row", "auto"): few}) == ""


def test_a_class_without_labels_counts_as_missed():
    graph, y, _ = planted_partition(60, 3, 0.6, 0.1, seed=0)
    train = np.flatnonzero(y < 2)[::2]
    found = fit_classifier(graph, y, train, np.flatnonzero(y == 2), seed=0, device="cpu", fast=True)
    assert found["test"] == 0 and found["error"] > 0


def test_scores_are_in_per_cent():
    P, truth = np.array([[0.9, 0.1], [0.9, 0.1]]), np.array([0, 1])
    found = score_probabilities(P, truth)
    assert found["test"] == 50 and found["error"] == pytest.approx(40)
    assert found["macro_f1"] == pytest.approx(100 / 3, abs=1e-3)
    assert score_answers(truth, truth, 2) == {"test": 100, "macro_f1": 100, "error": None}


def test_only_the_largest_shares_are_named():
    runs = [{"a": 0.1, "b": 0.5, "c": 0.2, "d": 0.2}, {"b": 0.5, "c": 0.3, "d": 0.2}]
    assert write_shares({"shares": runs}, most=2) == "b 50 %, c 25 %"
