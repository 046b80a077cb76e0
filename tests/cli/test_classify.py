"""``lovasz classify`` as a user meets it: files out, notes, Ctrl-C."""

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
from tests.waiting import LONGEST

import lovasz

CLASSIFY = ("classify", "graph.csv", "--labels", "labels.csv", "--epochs", "30")


def test_classify_writes_labels_page_and_model(run, inputs, tmp_path):
    code, out, err = run(*CLASSIFY, "--out", "results")
    assert code == 0, err
    assert "lovasz  " in out and "GCN" in out and "results/report.html" in out
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
    assert [m["name"] for m in answer["methods"]] == ["lovasz", "GCN"]
    for method in answer["methods"]:
        assert len(method["splits"]) == 5  # folds of four labels
        assert method["accuracy"] == pytest.approx(np.mean(method["splits"]), abs=1e-5)
    assert answer["shares"].keys() == answer["tried"].keys()
    low, high = answer["expected_range"]
    assert low <= answer["expected_accuracy"] <= high and 0 <= answer["macro_f1"] <= 1


def test_a_named_kernel_is_compared_on_random_splits(run, inputs):
    code, out, _ = run(*CLASSIFY, "--json", "--splits", "3", "--kernel", "ls")
    assert code == 0
    methods = json.loads(out)["methods"]
    assert [m["name"] for m in methods] == ["LCN (ls)", "GCN"]
    assert all(len(m["splits"]) == 3 for m in methods)


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


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("a", "b", "-1"), True),
        (("a", "b", "NA"), True),
        (("0", "1", "-1"), True),
        (("1", "-1"), False),
    ],
)
def test_a_class_that_may_stand_for_no_class_is_named(run, inputs, tmp_path, names, said):
    lines = [f"node {row},{names[row % len(names)]}" for row in range(60)]
    (tmp_path / "labels.csv").write_text("\n".join(lines) + "\n")
    code, _, err = run(*CLASSIFY, "--fast")
    assert code == 0
    assert (f"'{names[-1]}' is taken for a class" in err) == said


@pytest.mark.parametrize(
    ("flags", "how"),
    [
        ((), "answered with the class shares"),
        (("--features", "features.csv"), "answered from their features"),
        (("--kernel", "ls"), "guesses"),
    ],
)
def test_unreachable_nodes_are_said_to_be(run, inputs, tmp_path, flags, how):
    with open(tmp_path / "graph.csv", "a") as file:
        file.write("island 1,island 2\n")
    with open(tmp_path / "features.csv", "a") as file:
        file.write("island 1,59,3\nisland 2,58,2\n")
    code, _, err = run(*CLASSIFY, *flags)
    assert code == 0, err
    assert f"2 nodes are in parts of the graph without a label: {how}." in err


def predictions(folder):
    with open(folder / "predictions.csv", newline="") as file:
        return {row["node"]: row for row in csv.DictReader(file)}


def test_labelled_nodes_keep_their_label(run, inputs, tmp_path):
    """One label per class, or one for a third class in the midst of another."""
    for labels in ("node 0,a\nnode 59,b\n", (tmp_path / "labels.csv").read_text() + "node 1,c\n"):
        (tmp_path / "some.csv").write_text(labels)
        code, _, err = run("classify", "graph.csv", "--labels", "some.csv", "--epochs", "20")
        assert code == 0, err
        found = predictions(tmp_path / "results")
        lines = [line for line in labels.splitlines() if line != "node,class"]
        given = [line.rsplit(",", 1) for line in lines]
        assert all(found[node]["class"] == label for node, label in given)
        assert {row["class"] for row in found.values()} == {label for _, label in given}


def test_noisy_finds_planted_wrong_labels(run, inputs, tmp_path):
    wrong = [3, 21, 39, 57]
    rows = [
        (f"node {i}", "ab"[inputs.y[i] ^ (i in wrong)]) for i in range(60) if i % 3 == 0 or i % 2
    ]
    with open(tmp_path / "labels.csv", "w", newline="") as file:
        csv.writer(file).writerows(rows)
    code, out, err = run(*CLASSIFY, "--noisy", "--json")
    assert code == 0, err
    listed = {found["node"] for found in json.loads(out)["suspicious"]}
    planted = {f"node {i}" for i in wrong}
    assert len(planted & listed) >= 3 and len(listed - planted) <= 2
    found = predictions(tmp_path / "results")
    overruled = {node for node, label in rows if found[node]["class"] != label}
    assert len(overruled & planted) >= 3 and listed <= overruled
    assert "Labels to check" in (tmp_path / "results" / "report.html").read_text()
    code, out, _ = run(*CLASSIFY)
    assert code == 0 and "given labels may be wrong" in out
    found = predictions(tmp_path / "results")
    assert all(found[node]["class"] == label for node, label in rows)


def test_validation_nodes(run, inputs, tmp_path):
    """A list of nodes, or node,class for nodes that are not in the file of labels."""
    named = [f"node {i}" for i in range(0, 60, 6)]
    others = [(f"node {i}", "ab"[inputs.y[i]]) for i in range(1, 60, 5)]
    (tmp_path / "names.csv").write_text("\n".join(["node", *named]))
    (tmp_path / "both.csv").write_text("\n".join(map(",".join, others)))
    for file, labelled in (("names.csv", 20), ("both.csv", 28)):
        code, out, err = run(*CLASSIFY, "--validation", file, "--json")
        assert code == 0, err
        answer = json.loads(out)
        assert answer["labelled"] == labelled
        assert answer["methods"] == []  # ten or twelve nodes are too few to judge by


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("node 77\n", "1 node not in the graph: 'node 77'; correct the names"),
        ("node 1\n", "1 validation node has no class ('node 1' is one); write node,class, or"),
        ("node 0,b\n", "node 'node 0' is 'b' here and 'a' in labels.csv; keep one"),
        ("node 0,a,x\n", "line 1: 'node 0,a,x' is not a node, or a node and its class"),
        ("node\n", "val.csv: no node is listed; write one node per line"),
    ],
)
def test_bad_validation_files_are_one_line(run, inputs, tmp_path, text, message):
    (tmp_path / "val.csv").write_text(text)
    code, out, err = run(*CLASSIFY, "--validation", "val.csv")
    assert code == 1 and out == ""
    assert err.startswith("lovasz: val.csv") and len(err.splitlines()) == 1
    assert message in err


def test_imbalance_is_reported_as_macro_f1(run, tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    edges = rng.integers(0, 204, (900, 2))
    (tmp_path / "graph.csv").write_text("\n".join(f"{a},{b}" for a, b in edges))
    labels = [(i, "rare" if i < 2 else "common") for i in range(102)]
    (tmp_path / "labels.csv").write_text("\n".join(f"{i},{c}" for i, c in labels))
    code, out, err = run(*CLASSIFY, "--fast")
    assert code == 0, err
    assert "Macro-F1, in which every class counts the same" in out
    assert "Macro-F1" in (tmp_path / "results" / "report.html").read_text()


def test_isolated_nodes_with_features(run, inputs, tmp_path):
    """Features tell the classes; isolated nodes are answered from theirs."""
    with open(tmp_path / "features.csv", "w", newline="") as file:
        rows = [(f"node {i}", *np.eye(2)[inputs.y[i]].tolist()) for i in range(60)]
        csv.writer(file).writerows([*rows, ("alone 0", 1.0, 0.0), ("alone 1", 0.0, 1.0)])
    with open(tmp_path / "graph.csv", "a") as file:
        file.write("alone 0,alone 0\nalone 1,alone 1\n")  # a self-loop is dropped, its node stays
    code, _, err = run(*CLASSIFY, "--features", "features.csv")
    assert code == 0, err
    found = predictions(tmp_path / "results")
    assert [found[f"alone {k}"]["class"] for k in (0, 1)] == ["a", "b"]


@pytest.mark.slow
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
    out, err = process.communicate(timeout=LONGEST)
    assert process.returncode == 1
    assert err.strip() == "lovasz: interrupted; nothing was written"
    assert out == "" and not (tmp_path / "results").exists()
