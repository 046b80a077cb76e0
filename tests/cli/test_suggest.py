"""lovasz suggest: the table, JSON, labels, errors."""

import csv
import json

import lovasz
from lovasz.app.project import Project


def test_csv_without_labels(run, inputs):
    code, out, err = run("suggest", "graph.csv", "-k", "4")
    rows = list(csv.DictReader(out.splitlines()))
    assert code == 0 and err == ""
    assert list(rows[0]) == ["node", "reason", "score"]
    assert len({row["node"] for row in rows}) == 4
    assert all(row["reason"] for row in rows)
    assert {inputs.y[int(row["node"].split()[1])] for row in rows} == {0, 1}


def test_labels_and_features(run, inputs, tmp_path):
    code, out, _ = run(
        "suggest", "graph.csv", "-k", "3", "--labels", "labels.csv", "--features", "features.csv",
        "--fast", "--epochs", "10", "--json",
    )  # fmt: skip
    answer = json.loads(out)
    assert code == 0
    names = [entry["node"] for entry in answer["suggestions"]]
    assert len({*names}) == 3
    assert all(int(name.split()[1]) % 3 for name in names)  # every third node has a label
    assert answer["forecast"]["labels"] == 20 and answer["forecast"]["advice"]


def test_labels_of_one_class_are_only_left_out(run, inputs, tmp_path):
    (tmp_path / "one.csv").write_text("node,class\nnode 0,a\nnode 1,a\n")
    (tmp_path / "barred.csv").write_text("node\nnode 2\n")
    code, out, _ = run(
        "suggest", "graph.csv", "-k", "57", "--labels", "one.csv", "--exclude", "barred.csv"
    )
    names = {row["node"] for row in csv.DictReader(out.splitlines())}
    assert code == 0 and names == {f"node {i}" for i in range(3, 60)}


def test_a_project_of_lovasz_label(run, inputs, tmp_path):
    graph = lovasz.as_graph(tmp_path / "graph.csv")
    project = Project(tmp_path / "graph.lovasz", graph)
    project.label_all({graph.positions["node 0"]: "a", graph.positions["node 1"]: "a"})
    project.close()
    code, out, _ = run("suggest", "graph.csv", "-k", "58", "--labels", "graph.lovasz")
    names = {row["node"] for row in csv.DictReader(out.splitlines())}
    assert code == 0 and names == {f"node {i}" for i in range(2, 60)}


def test_a_file(run, inputs, tmp_path):
    code, out, _ = run("suggest", "graph.csv", "--out", "next.csv")
    assert code == 0 and "10 nodes to label" in out
    with open(tmp_path / "next.csv", newline="") as file:
        assert len(list(csv.DictReader(file))) == 10


def test_errors_take_one_line(run, inputs, tmp_path):
    (tmp_path / "strange.csv").write_text("nobody,a\n")
    for words in (("-k", "61"), ("--labels", "strange.csv"), ("--exclude", "strange.csv")):
        code, out, err = run("suggest", "graph.csv", *words)
        assert code == 1 and out == "" and err.count("\n") == 1
    code, _, err = run("suggest", "graph.csv", "-k", "41", "--labels", "labels.csv")
    assert code == 1 and "40" in err
    assert run("suggest", "graph.csv", "-k", "0")[0] == 2


def test_a_small_graph_has_fewer_suggestions_than_ten_unless_asked(run, tmp_path):
    (tmp_path / "small.csv").write_text("a,b\nb,c\nc,d\nd,e\ne,f\n")
    (tmp_path / "two.csv").write_text("a,x\nf,y\n")
    (tmp_path / "all.csv").write_text("".join(f"{node},x\n" for node in "abcdef"))
    assert len(run("suggest", "small.csv")[1].splitlines()) == 1 + 6
    code, out, _ = run("suggest", "small.csv", "--labels", "two.csv", "--fast")
    assert code == 0 and {row["node"] for row in csv.DictReader(out.splitlines())} == {*"bcde"}
    code, _, err = run("suggest", "small.csv", "-k", "10")
    assert code == 1 and "ask for at most 6" in err
    for options in ((), ("-k", "2")):
        code, _, err = run("suggest", "small.csv", "--labels", "all.csv", *options)
        assert code == 1 and "nothing left to suggest: all 6 nodes are labelled or excluded" in err
