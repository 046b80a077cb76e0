"""lovasz communities: the table, the page, JSON, errors."""

import csv
import json

import pytest

import lovasz
from lovasz.graphs.families import planted_partition


@pytest.fixture
def planted(tmp_path):
    planted = planted_partition(90, 3, 0.4, 0.03, seed=0)
    lovasz.write_graph(planted.graph, tmp_path / "graph.csv")
    (tmp_path / "labels.csv").write_text("node,class\n0,<b>\n40,y\n80,z\n")
    return planted


def test_the_table_on_stdout(run, planted):
    code, out, err = run("communities", "graph.csv")
    rows = list(csv.DictReader(out.splitlines()))
    assert code == 0 and err == ""
    assert list(rows[0]) == ["node", "community", "confidence"]
    assert len(rows) == 90 and {row["community"] for row in rows} == {"0", "1", "2"}
    by_node = {int(row["node"]): row["community"] for row in rows}
    assert len({(y, by_node[i]) for i, y in enumerate(planted.y.tolist())}) == 3
    assert all(0 <= float(row["confidence"]) <= 1 for row in rows)


def test_the_page_and_the_table_in_a_folder(run, planted, tmp_path):
    code, out, _ = run(
        "communities", "graph.csv", "--labels", "labels.csv", "--k", "4", "--out", "found"
    )
    assert code == 0 and "4 communities of 90 nodes" in out
    folder = tmp_path / "found"
    assert sorted(p.name for p in folder.iterdir()) == ["communities.csv", "communities.html"]
    page = (folder / "communities.html").read_text()
    assert page.count("<svg") >= 3 and "grown from 3 labelled nodes" in page
    assert "&lt;b&gt;" in page and "<b>\n" not in page
    assert "http" not in page.replace("http://www.w3.org", "").replace("http-equiv", "")
    with open(folder / "communities.csv", newline="") as file:
        rows = {row["node"]: row["community"] for row in csv.DictReader(file)}
    assert (rows["0"], rows["40"], rows["80"]) == ("<b>", "y", "z")
    assert set(rows.values()) == {"<b>", "y", "z", "community 3"}


def test_a_page_for_graphs_of_all_kinds(run, tmp_path):
    dense = planted_partition(80, 2, 0.9, 0.4, seed=0).graph
    lovasz.write_graph(dense, tmp_path / "dense.csv")
    (tmp_path / "pieces.csv").write_text("a,b\nb,c\nc,a\nd,e\n")
    (tmp_path / "edgeless.col").write_text("p edge 4 0\n")
    for name in ("dense.csv", "pieces.csv", "edgeless.col"):
        code, _, err = run("communities", name, "--out", f"out-{name}")
        assert code == 0, err
        assert "<svg" in (tmp_path / f"out-{name}" / "communities.html").read_text()


def test_json(run, planted):
    code, out, _ = run("communities", "graph.csv", "--json", "--no-refine", "--k", "3")
    answer = json.loads(out)
    assert code == 0
    assert answer["nodes"] == 90 and answer["k"] == 3 and answer["files"] == {}
    assert sorted(len(c["nodes"]) for c in answer["communities"]) == [30, 30, 30]
    assert len(answer["confidence"]) == 90 and answer["eigenvalues"][0] > answer["cut"] > 1


def test_errors_take_one_line(run, planted, tmp_path):
    (tmp_path / "strange.csv").write_text("nobody,a\n")
    for words in (("--k", "91"), ("--labels", "strange.csv")):
        code, out, err = run("communities", "graph.csv", *words)
        assert code == 1 and out == "" and err.count("\n") == 1
        assert err.startswith("lovasz: strange.csv: 1 labelled node") or words[0] != "--labels"
    assert run("communities", "graph.csv", "--k", "0")[0] == 2


def test_a_time_limit_is_said_to_have_cut_the_search_short(run, planted, tmp_path):
    code, out, err = run(
        "communities", "graph.csv", "--time-limit", "0", "--json", "--out", "found"
    )
    assert code == 0 and err == "note: time limit: allow more time_limit\n"
    assert json.loads(out)["status"].startswith("time limit")
    assert (
        "A time limit cut the search short."
        in (tmp_path / "found" / "communities.html").read_text()
    )
    assert run("communities", "graph.csv", "--time-limit", "1000")[2] == ""
