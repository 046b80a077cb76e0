"""``lovasz label``: what it refuses, and what ``lovasz classify`` makes of its project."""

import json
import sys

import pytest

import lovasz
from lovasz.app import launch
from lovasz.app.project import Project


@pytest.fixture
def served(monkeypatch):
    """Catch the project that would be served."""
    caught = []
    monkeypatch.setattr(launch, "serve", lambda project, *args, **rest: caught.append(project))
    return caught


def test_a_missing_extra_is_one_line_that_names_it(run, inputs, tmp_path, monkeypatch):
    before = sorted(tmp_path.iterdir())
    monkeypatch.setitem(sys.modules, "starlette", None)
    code, out, err = run("label", "graph.csv")
    assert code == 1 and out == "" and err.count("\n") == 1
    assert 'lovasz label needs starlette; pip install "lovasz[app]"' in err
    assert sorted(tmp_path.iterdir()) == before


BAD = {
    "no graph": (("nowhere.csv",), "nowhere.csv"),
    "bad features": (("graph.csv", "--features", "labels.csv"), "labels.csv"),
    "unknown node": (("graph.csv", "--labels", "strangers.csv"), "strangers.csv: 1 labelled node"),
    "no folder": (("graph.csv", "--project", "no/where.lovasz"), "there is no directory"),
    "another file": (("graph.csv", "--project", "labels.csv"), "no project"),
    "another graph": (("other.csv", "--project", "graph.lovasz"), "another graph"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_and_nothing_is_written(run, inputs, tmp_path, case, served):
    (tmp_path / "strangers.csv").write_text("nobody,a\n")
    (tmp_path / "other.csv").write_text("a,b\nb,c\n")
    Project(tmp_path / "graph.lovasz", lovasz.as_graph(tmp_path / "graph.csv")).close()
    before = sorted(tmp_path.iterdir())
    words, expected = BAD[case]
    code, out, err = run("label", *words)
    assert code == 1 and out == "" and err.count("\n") == 1, err
    assert expected in err
    assert sorted(tmp_path.iterdir()) == before and served == []


def test_a_graph_from_stdin_without_a_project_file_is_a_wrong_call(run, served):
    code, out, err = run("label", "-")
    assert code == 2 and out == "" and "--project" in err and err.count("\n") == 1
    assert served == []


def test_labels_to_start_with_are_read_once(run, inputs, tmp_path, served):
    assert run("label", "graph.csv", "--labels", "labels.csv", "--no-browser")[0] == 0
    served[0].label(0, "other")
    served[0].close()
    assert run("label", "graph.csv", "--labels", "labels.csv", "--no-browser")[0] == 0
    assert served[1].state.labels[0] == "other" and len(served[1].state.labels) == 20
    served[1].close()


def test_classify_takes_the_project(run, inputs, tmp_path):
    graph = lovasz.as_graph(tmp_path / "graph.csv")
    project = Project(tmp_path / "graph.lovasz", graph)
    names = {f"node {i}": "ab"[inputs.y[i]] for i in range(0, 60, 3)}
    project.label_all({graph.positions[node]: name for node, name in names.items()})
    project.close()
    words = ("graph.csv", "-k", "ls", "--epochs", "20", "--splits", "0", "--json")
    code, from_project, err = run("classify", *words, "--labels", "graph.lovasz")
    assert code == 0, err
    _, from_file, _ = run("classify", *words, "--labels", "labels.csv")
    assert json.loads(from_project) == json.loads(from_file)


def test_classify_refuses_the_project_of_another_graph(run, inputs, tmp_path):
    Project(tmp_path / "other.lovasz", lovasz.as_graph([("a", "b")])).close()
    code, _, err = run("classify", "graph.csv", "--labels", "other.lovasz")
    assert code == 1 and err.count("\n") == 1 and "another graph" in err
