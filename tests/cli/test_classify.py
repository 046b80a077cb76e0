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

import lovasz

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
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err.strip() == "lovasz: interrupted; nothing was written"
    assert out == "" and not (tmp_path / "results").exists()
