"""The command as a user meets it: files out, exit codes, one-line errors."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import lovasz
from lovasz.graphs.families import planted_partition


@pytest.fixture
def inputs(tmp_path):
    """A graph of two communities with names, a third of them labelled."""
    planted = planted_partition(60, 2, 0.5, 0.05, seed=0)
    names = [f"node {i}" for i in range(60)]
    with open(tmp_path / "graph.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["source", "target"])
        rows.writerows([names[i], names[j]] for i, j in zip(*planted.graph.edges(), strict=True))
    with open(tmp_path / "labels.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["node", "class"])
        rows.writerows([names[i], "ab"[planted.y[i]]] for i in range(0, 60, 3))
    with open(tmp_path / "features.csv", "w", newline="") as file:
        csv.writer(file).writerows([names[i], i, i % 7] for i in range(60))
    return planted


CLASSIFY = ("classify", "graph.csv", "--labels", "labels.csv", "--epochs", "30")


def test_classify_writes_labels_page_and_model(run, inputs, tmp_path):
    code, out, err = run(*CLASSIFY, "--out", "results")
    assert code == 0, err
    assert "LCN" in out and "GCN" in out and "results/report.html" in out
    folder = tmp_path / "results"
    assert sorted(p.name for p in folder.iterdir()) == ["model", "predictions.csv", "report.html"]
    with open(folder / "predictions.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["node", "class", "probability"]
    assert sorted(row["node"] for row in rows) == sorted(f"node {i}" for i in range(60))
    right = [row["class"] == "ab"[inputs.y[int(row["node"][5:])]] for row in rows]
    assert np.mean(right) > 0.9
    assert all(0.5 <= float(row["probability"]) <= 1 for row in rows)
    model = lovasz.LCNClassifier.load(folder / "model")
    assert model.predict().tolist() == [row["class"] for row in rows]
    assert "<svg" in (folder / "report.html").read_text()


def test_classify_twice_gives_the_same_files(run, inputs, tmp_path):
    for out in ("one", "two"):
        assert run(*CLASSIFY, "--seed", "5", "--out", out)[0] == 0
    first, second = (tmp_path / out / "predictions.csv" for out in ("one", "two"))
    assert first.read_bytes() == second.read_bytes()


def test_classify_as_json(run, inputs):
    code, out, _ = run(*CLASSIFY, "--json", "--splits", "3", "--features", "features.csv")
    answer = json.loads(out)
    assert code == 0
    assert answer["nodes"] == 60 and answer["labelled"] == 20 and answer["classes"] == ["a", "b"]
    assert [m["name"] for m in answer["methods"]] == ["LCN", "GCN"]
    for method in answer["methods"]:
        assert len(method["splits"]) == 3
        assert method["accuracy"] == pytest.approx(np.mean(method["splits"]), abs=1e-5)


def test_classify_from_stdin_with_a_kernel_option(run, inputs, monkeypatch, tmp_path):
    import io

    class Stdin:
        buffer = io.BytesIO((tmp_path / "graph.csv").read_bytes())

    monkeypatch.setattr(sys, "stdin", Stdin)
    code, out, err = run(
        "classify", "-", "--labels", "labels.csv", "--epochs", "5", "--json",
        "--kernel", "ls", "--kernel-option", "weights=normalized",
    )  # fmt: skip
    assert code == 0, err
    assert json.loads(out)["methods"][0]["name"] == "LCN (ls)"


def test_too_few_labels_for_a_comparison_are_said_to_be(run, inputs, tmp_path):
    (tmp_path / "labels.csv").write_text("node 0,a\nnode 59,b\n")
    code, out, err = run(*CLASSIFY)
    assert code == 0
    assert "no accuracy is claimed" in out
    assert "fewer than five given labels: a (1), b (1)" in err


def test_unreachable_nodes_are_called_guesses(run, inputs, tmp_path):
    with open(tmp_path / "graph.csv", "a") as file:
        file.write("island 1,island 2\n")
    code, _, err = run(*CLASSIFY)
    assert code == 0
    assert "2 of 62 nodes are guesses" in err


def test_demo_beats_gcn_by_twenty_points(run, tmp_path):
    code, out, err = run("demo", "--json")
    assert code == 0, err
    answer = json.loads(out)
    lcn, gcn = answer["methods"]
    assert len(lcn["splits"]) == 10 and answer["nodes"] == 500
    assert lcn["accuracy"] - gcn["accuracy"] > 0.20
    assert (tmp_path / "lovasz-demo" / "report.html").exists()
    # The same run says what becomes of the lead when the sample is even.
    assert any("drawn evenly" in note and "without L2" in note for note in answer["notes"])


@pytest.mark.parametrize("suffix", ["npz", "mtx", "csv"])
def test_kernel_to_a_file(run, inputs, tmp_path, suffix):
    code, out, _ = run("kernel", "graph.csv", "--kernel", "gcn", "--out", f"K.{suffix}")
    assert code == 0 and f"K.{suffix}" in out
    graph = lovasz.as_graph(tmp_path / "graph.csv")
    expected = lovasz.kernel(graph, "gcn").toarray()
    path = tmp_path / f"K.{suffix}"
    if suffix == "npz":
        found = sparse.load_npz(path).toarray()
    elif suffix == "mtx":
        from scipy.io import mmread

        found = mmread(path).toarray()
    else:
        found = np.zeros((60, 60))
        for row in list(csv.reader(path.open()))[1:]:
            found[graph.positions[row[0]], graph.positions[row[1]]] = float(row[2])
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_kernel_to_stdout_and_as_json(run, inputs):
    _, out, _ = run("kernel", "graph.csv")
    assert out.startswith("node,node,value")
    _, out, _ = run("kernel", "graph.csv", "--json")
    answer = json.loads(out)
    assert answer["nodes"] == 60 and answer["diagonal"] == [1.0, 1.0]


def test_data_list(run):
    code, out, _ = run("data", "list")
    assert code == 0 and "cora" in out and "2,708" in out
    rows = json.loads(run("data", "list", "--json")[1])
    assert {"cora", "amazon-photo", "sonar", "mnist"} <= {row["name"] for row in rows}
    assert all(row["licence"] and row["citation"] for row in rows)


def test_version_and_help(run):
    assert run("--version")[1].strip() == f"lovasz {lovasz.__version__}"
    code, out, _ = run("classify", "--help")
    assert code == 0 and "--labels" in out


BAD = {
    "missing graph": (("classify", "nowhere.csv", "--labels", "labels.csv"), "nowhere.csv"),
    "missing labels": (("classify", "graph.csv", "--labels", "nowhere.csv"), "nowhere.csv"),
    "empty graph": (("classify", "empty.csv", "--labels", "labels.csv"), "empty.csv"),
    "empty labels": (("classify", "graph.csv", "--labels", "empty.csv"), "empty.csv"),
    "malformed line": (("classify", "broken.csv", "--labels", "labels.csv"), "broken.csv line 3"),
    "unknown nodes": (("classify", "graph.csv", "--labels", "strangers.csv"), "2 labelled nodes"),
    "one class": (("classify", "graph.csv", "--labels", "single.csv"), "single.csv: all 2 labels"),
    "no labels": (("classify", "graph.csv", "--labels", "none.csv"), "none.csv"),
    "feature rows": ((*CLASSIFY, "--features", "short.csv"), "short.csv"),
    "feature nan": ((*CLASSIFY, "--features", "nan.csv"), "nan.csv"),
    "unknown kernel": ((*CLASSIFY, "--kernel", "lsx"), "unknown kernel 'lsx'; known: lovasz, ls"),
    "bad option": ((*CLASSIFY, "-k", "ls", "--kernel-option", "weights"), "NAME=VALUE"),
    "weighted": (("classify", "weighted.csv", "--labels", "labels.csv"), "--weights keep|drop"),
    "directed": (("classify", "directed.gml", "--labels", "labels.csv"), "--symmetrize"),
    "bad device": ((*CLASSIFY, "--device", "abacus"), "'abacus'"),
    "not writable": ((*CLASSIFY, "--out", "graph.csv/results"), "graph.csv/results"),
    "kernel file": (("kernel", "graph.csv", "--out", "K.docx"), "K.docx"),
    "unknown data": (("data", "fetch", "atlantis"), "atlantis"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_exit_1_and_nothing_written(run, inputs, tmp_path, case):
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "none.csv").write_text("node,class\nnode 1,\n")
    (tmp_path / "broken.csv").write_text("a,b\nb,c\nd\n")
    (tmp_path / "strangers.csv").write_text("node 0,a\nnode 1,b\nx,a\ny,b\n")
    (tmp_path / "single.csv").write_text("node 0,a\nnode 1,a\n")
    (tmp_path / "short.csv").write_text("node 0,1\n")
    (tmp_path / "nan.csv").write_text("".join(f"node {i},nan\n" for i in range(60)))
    (tmp_path / "weighted.csv").write_text("source,target,weight\na,b,0.5\n")
    (tmp_path / "directed.gml").write_text(
        "graph [ directed 1 node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]"
    )
    before = sorted(tmp_path.rglob("*"))
    words, expected = BAD[case]
    code, out, err = run(*words)
    assert code == 1
    assert err.startswith("lovasz: ") and err.count("\n") == 1, err
    assert expected in err
    assert out == ""
    assert sorted(tmp_path.rglob("*")) == before


def test_a_wrong_call_exits_2(run):
    assert run("classify")[0] == 2
    assert run("classify", "g.csv", "--labels", "l.csv", "--epochs", "many")[0] == 2


def test_interrupt_leaves_nothing_behind(inputs, tmp_path):
    """Ctrl-C in the middle of training."""
    process = subprocess.Popen(
        [sys.executable, "-m", "lovasz", *CLASSIFY[:-1], "1000000", "--out", "results"],
        cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": str(Path(lovasz.__file__).parents[1])},
    )  # fmt: skip
    while not (tmp_path / "results").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err.strip() == "lovasz: interrupted; nothing was written"
    assert out == "" and not (tmp_path / "results").exists()


def test_importing_lovasz_loads_nothing_heavy():
    code = "import sys, lovasz; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": str(Path(lovasz.__file__).parents[1])},
    ).stdout.split()  # fmt: skip
    heavy = {"torch", "sklearn", "matplotlib", "scipy", "numpy", "networkx", "pandas", "rich"}
    assert not heavy & set(loaded)


def test_every_public_name_is_there():
    for name in lovasz.__all__:
        assert getattr(lovasz, name) is not None
    assert set(dir(lovasz)) == set(lovasz.__all__)
    with pytest.raises(AttributeError, match="no attribute 'thetta'"):
        _ = lovasz.thetta
