"""Every item: its cells, its published numbers, its section whatever has been run."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from lovasz.base.errors import LovaszError
from lovasz.reproduce import ITEMS, find
from lovasz.reproduce.engine.cells import Cell, Context
from lovasz.reproduce.items import caveman


@pytest.mark.parametrize("name", ITEMS)
def test_cells_have_a_file_each_and_belong_to_their_item(name):
    item = find(name)
    for quick in (True, False):
        cells = item.cells(quick)
        assert cells
        assert {cell.item for cell in cells} == {name}
        assert len({cell.path for cell in cells}) == len(cells)


@pytest.mark.parametrize("name", ITEMS)
def test_a_section_claims_nothing_when_nothing_was_run(name):
    section = find(name).section({})
    assert section.title
    assert not any(section.verdict)
    for picture in section.pictures:
        picture.paint(Figure())


def test_unknown_items_are_named():
    with pytest.raises(LovaszError, match="did you mean 'caveman'"):
        find("cavemen")


@pytest.mark.data
def test_published_numbers_are_those_of_the_paper():
    path = Path(os.environ["LOVASZ_DATA"], "..", "paper", "published.csv")
    if not path.exists():
        pytest.skip("needs the paper's numbers beside LOVASZ_DATA")
    ours = {key: value for name in ITEMS for key, value in find(name).published.items()}
    with path.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if "draft" not in row["item"]]
    paper = {
        (row["dataset"], row["method"]): float(row["value"])
        for row in rows
        if row["metric"] == "accuracy"
    }
    assert ours == paper
    for row in rows:
        if row["metric"] in ("avg_same", "avg_diff"):
            value = caveman.PUBLISHED[row["dataset"]][2 if row["metric"] == "avg_same" else 3]
            assert value == float(row["value"])


QUICK = [
    Cell("sbm", "3 classes .6/.4 n=100", "lcn-ls"),
    Cell("sbm", "3 classes .6/.4 n=100", "gcn"),
    Cell("sbm", "3 classes .6/.4 n=100", "bayes"),
    Cell("sbm", "3 classes .6/.4 n=100", "lcn"),
    Cell("caveman", "caveman-100-5", "gcn"),
    Cell("caveman", "caveman-100-5", "lcn"),
    Cell("hypergraph", "10", "gcn"),
    Cell("hypergraph", "10", "lcn"),
    Cell("embeddings", "3 classes .6/.4", "lcn-ls"),
    Cell("embeddings", "3 classes .6/.4", "gcn"),
]


@pytest.fixture(scope="module")
def measured():
    return {
        cell: find(cell.item).measure(cell, Context(quick=True, device="cpu")) for cell in QUICK
    }


@pytest.mark.parametrize("name", sorted({cell.item for cell in QUICK}))
def test_a_section_tells_what_some_cells_show(measured, name):
    results = {(c.row, c.method): found for c, found in measured.items() if c.item == name}
    section = find(name).section(results)
    assert any(table.rows for table in section.tables)
    for table in section.tables:
        assert all(len(row) == len(table.columns) for row in table.rows)
    for picture in section.pictures:
        picture.paint(Figure())


def test_nobody_beats_bayes_by_more_than_chance(measured):
    accuracy = {
        cell.method: np.mean(next(iter(found["readings"].values()))["test"])
        for cell, found in measured.items()
        if cell.item == "sbm"
    }
    assert max(accuracy["gcn"], accuracy["lcn"], accuracy["lcn-ls"]) <= accuracy["bayes"] + 5
