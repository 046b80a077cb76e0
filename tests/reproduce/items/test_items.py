"""Every item: its cells, its published numbers, its section whatever has been run."""

import csv
import os
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from lovasz.base.errors import LovaszError
from lovasz.graphs.families import caveman as caveman_graph
from lovasz.reproduce import ITEMS, find
from lovasz.reproduce.engine.cells import Cell, Context
from lovasz.reproduce.items import caveman, citation, embeddings, sbm


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


def test_published_numbers_are_those_of_the_paper():
    data = os.environ.get("LOVASZ_DATA")
    path = Path(data or ".", "..", "paper", "published.csv")
    if data is None or not path.exists():
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


@pytest.mark.parametrize(("cliques", "size"), [(5, 4), (8, 3), (6, 7)])
def test_caveman_colours_are_cliques_and_as_few_as_can_be(cliques, size):
    graph = caveman_graph(cliques, size).graph
    colours = caveman.planted_colours(graph)
    assert colours.max() + 1 == 2 * cliques
    same = colours[:, None] == colours[None, :]
    apart = same & ~np.eye(graph.n, dtype=bool)
    assert (graph.adjacency.toarray()[apart] != 0).all()


def test_another_colouring_of_a_caveman_graph_is_as_good_and_another():
    graph = caveman_graph(7, 5).graph
    colours, linked = caveman.planted_colours(graph), graph.adjacency.toarray() != 0
    other = caveman.exchanged(graph, colours)
    assert (other != colours).sum() == 14
    assert np.unique(other).size == np.unique(colours).size
    same = (other[:, None] == other) & ~np.eye(graph.n, dtype=bool)
    assert linked[same].all()


def test_the_ceiling_of_caveman_is_what_the_labels_leave_open():
    colours = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    first, second = np.arange(0, 8, 2), np.arange(1, 8, 2)
    assert caveman.ceiling(y, colours, first, second) == 100
    assert caveman.ceiling(y, colours, first[:0], second) == 50
    # One colour of class 0 is known: of the three others two are of class 1.
    assert caveman.ceiling(y, colours, first[:1], second) == round(100 * (1 + 3 * 2 / 3) / 4, 2)


def test_halves_are_halves_of_the_colours():
    colours = np.repeat(np.arange(10), [1, 2, 3, 1, 2, 3, 1, 2, 3, 4])
    y = caveman.classes_of_colours(colours, seed=3)
    kinds = {(int(c), int(k)) for c, k in zip(colours, y, strict=True)}
    assert len(kinds) == 10
    assert sum(k for _, k in kinds) == 5


def said(module, results):
    return " ".join(module.ITEM.section(results).verdict)


def test_the_verdict_on_caveman_graphs_is_made_of_the_numbers():
    def cell(accuracy, same):
        scores = {"test": [accuracy] * 2}
        return {
            "readings": {"released": scores, "tuned": scores},
            "ceiling": {"train": [90.0] * 2, "train and validation": [95.0] * 2},
            "products": {"avg_same": 0.4, "avg_diff": 0.002},
            "products of the lifted kernel": {"avg_same": same, "avg_diff": 0.003},
            "theta": [100.0, 100.0],
        }

    row = "caveman-50-10"
    for lcn, same in ((93.0, 0.7), (85.0, 0.9)):
        text = said(caveman, {(row, "gcn"): cell(89.0, same), (row, "lcn"): cell(lcn, same)})
        assert f"LCN − GCN: (50, 10) {lcn - 89:+.1f}, in the paper +1" in text
        assert f"lifted kernel on {int(same < 0.83)} of 1 graphs" in text
        assert "within 0.000 of the paper’s" in text  # 0.002 - 1/100
        assert f"lie {min(lcn - 90, -1):+.1f} to {max(lcn - 90, -1):+.1f} points" in text
        assert "What decides" not in text
    kinds = {"gcn": 89.0, "lcn": 88.0, "lcn-same": 92.0, "lcn-other": 80.0}
    text = said(caveman, {(row, kind): cell(value, 0.7) for kind, value in kinds.items()})
    assert "central kernel: within 2 points of the paper’s LCN on 0 of 1 graphs" in text
    assert "the labels’ colouring: within 2 points of the paper’s LCN on 1 of 1 graphs" in text
    assert "What decides" in text


def test_the_verdict_on_block_models_claims_what_the_rates_show():
    def cell(*means):
        scores = (
            {"test": [m], "validation": [m], "loss": [1.0], "setting": [f"rate {m:g}"]}
            for m in means
        )
        return {"readings": dict(zip(sbm.READINGS, scores, strict=False))}

    row = "2 classes .5/.45 n=1000"
    ls = {(row, "lcn-ls"): cell(60.0, 90.0)}
    lifted = said(sbm, ls | {(row, "gcn"): cell(50.0, 95.0)})
    assert "lifts GCN in 2 classes .5/.45, where most splits choose rate 95" in lifted
    assert "lifts LCN (LS) in 2 classes .5/.45, where most splits choose rate 90" in lifted
    assert "behind in 2 classes .5/.45 at 1 of 1 sizes, by up to 5.0" in lifted
    flat = said(sbm, {(row, "lcn-ls"): cell(60.0, 60.0), (row, "gcn"): cell(50, 50)})
    assert "lifts" not in flat and "behind" not in flat
    # A kernel that was never tuned is not said to have been chosen.
    exact = cell(70.0) | {"theta": [[3.0, 3.0]]}
    some = said(sbm, ls | {(row, "lcn"): exact, (row, "gcn"): cell(50, 50)})
    assert "where both were run, on 0 of 1 points) is level with or ahead of GCN on 1 of 1" in some


def test_embeddings_that_disagree_with_the_paper_are_not_said_to_agree():
    found = {"accuracy": 40.0, "between": 0.1, "share": [1, 0], "points": [[0, 0]], "y": [0]}
    row = embeddings.ROWS[0]
    results = {(row, method): found for method in embeddings.METHODS}
    text = said(embeddings, results | {(row, "gcn"): found | {"accuracy": 50.0}})
    assert "in 0 of 1 pictures" in text and "as in the paper" not in text


def test_the_verdict_on_citations_gives_reasons_only_where_they_are_needed():
    def cell(accuracy):
        scores = {"test": [accuracy] * 2, "validation": [accuracy] * 2}
        return {"readings": {"raw": scores}, "largest": 41.3}

    behind = said(citation, {("cora", "gcn"): cell(81.0), ("cora", "lcn-ls"): cell(75.0)})
    assert "behind GCN on cora" in behind
    ahead = said(citation, {("cora", "gcn"): cell(81.0), ("cora", "lcn-ls"): cell(82.0)})
    assert "behind GCN" not in ahead
    other = said(citation, {("pubmed", "node2vec"): cell(60.0)})
    assert "pubmed 42.3 and 41.3" in other and "died" not in other and "Our accuracies" in other
    same = said(citation, {("cora", "node2vec"): cell(60.0) | {"largest": 31.9}})
    assert "On cora they are equal" in same


def test_labels_that_have_not_settled_are_no_ceiling(monkeypatch):
    from lovasz.reproduce.references import belief

    unsettled = belief.Beliefs(np.ones((100, 3)), False, 200, 0.5)
    monkeypatch.setattr(belief, "bayes_labels", lambda *_, **__: unsettled)
    with pytest.raises(LovaszError, match=r"changes by 5\.0e-01 after 200"):
        sbm.measure(Cell("sbm", "3 classes .6/.4 n=100", "bayes"), Context(quick=True))
