"""``lovasz bench``: what it times, and what it says."""

import json

import pytest

from lovasz.baselines import epochs
from lovasz.baselines.epochs import Shape
from lovasz.graphs import families
from lovasz.workflows import bench


@pytest.fixture(autouse=True)
def small(monkeypatch):
    graphs = {
        "pentagon": lambda: families.cycle(5).to_graph(),
        "large": lambda: families.gnp(40, 0.5, seed=1),
    }
    monkeypatch.setattr(bench, "THETA", graphs)
    monkeypatch.setattr(bench, "PEER_NODES", 20)
    monkeypatch.setattr(bench, "EPOCHS", 6)
    monkeypatch.setattr(bench, "PER_CLASS", 4)
    monkeypatch.setattr(bench, "VALIDATION", 10)
    monkeypatch.setattr(epochs, "SHAPES", {"tiny": Shape(60, 120, 30, 5, 3)})


def test_theta_beside_scs(run):
    pytest.importorskip("scs")
    code, out, err = run("bench", "theta", "--peers", "--json")
    assert code == 0, err
    pentagon, large = json.loads(out)
    assert pentagon["lower"] <= 5**0.5 <= pentagon["upper"]
    assert pentagon["peer"] == "SCS" and pentagon["peer_error"] < 1e-4
    assert pentagon["ratio"] == pytest.approx(pentagon["peer_seconds"] / pentagon["seconds"])
    assert large["peer"] is None and large["ratio"] is None  # too large for the peer
    assert min(pentagon["seconds"], large["seconds"]) > 0


def test_training_beside_pytorch_geometric(run):
    pytest.importorskip("torch_geometric")
    code, out, err = run("bench", "train", "--peers")
    assert code == 0, err
    head, row = out.splitlines()
    assert head.split()[:2] == ["task", "graph"] and "tiny" in row and "PyG" in row and " ms" in row


def test_both_without_peers_and_a_wrong_task(run):
    pytest.importorskip("torch")
    rows = json.loads(run("bench", "--json")[1])
    assert [row["task"] for row in rows] == ["theta", "theta", "train"]
    assert all(row["peer"] is None for row in rows)
    assert run("bench", "colours")[0] == 2


def test_a_missing_peer_is_named_with_its_remedy(run, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "scs", None)
    code, out, err = run("bench", "theta", "--peers")
    assert code == 1 and not out and 'needs scs; pip install "lovasz[peers]"' in err
