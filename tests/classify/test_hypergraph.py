"""LCNClassifier and ``lovasz classify`` on hypergraphs."""

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import lovasz
from lovasz.cli import app
from lovasz.graphs.formats.hyperedges import write_hypergraph
from lovasz.graphs.hypergraph import hypergraph as random_hypergraph
from lovasz.workflows.labelling import rounds


@pytest.fixture(scope="module")
def labelled():
    """A hypergraph of two classes whose nodes are in an order of their own, one of them alone."""
    edges, y = random_hypergraph(n=40, size=6, homogeneous=30, heterogeneous=2, seed=1)
    order = np.random.default_rng(0).permutation(41)
    nodes = [f"n{row}" for row in order]
    H = lovasz.as_hypergraph([[f"n{row}" for row in edge] for edge in edges], nodes=nodes)
    truth = {f"n{row}": ("left", "right")[code] for row, code in enumerate(y)}
    return H, truth


def test_answers_are_in_the_order_of_the_hypergraph(labelled):
    H, truth = labelled
    given = {name: truth[name] for name in [*truth][:16]}
    clf = lovasz.LCNClassifier(random_state=0, device="cpu").fit(H, given)
    assert tuple(clf.nodes_) == tuple(H.nodes)
    answers = dict(zip(H.nodes, clf.predict(), strict=True))
    hidden = [name for name in truth if name not in given]
    assert np.mean([answers[name] == truth[name] for name in hidden]) > 0.8
    lone = H.nodes.index("n40")
    assert H.degrees[lone] == 0 and answers["n40"] in ("left", "right")
    assert np.isfinite(clf.predict_proba()).all()
    assert np.array_equal(clf.predict(H), clf.predict())


@pytest.mark.parametrize("weights", ["hyperedges", "hyperedges-normalized", "incidence"])
def test_hyperedge_weights_are_options_of_the_kernel(labelled, weights):
    H, truth = labelled
    clf = lovasz.LCNClassifier(
        "ls", kernel_options={"weights": weights}, epochs=5, random_state=0, device="cpu"
    ).fit(H, truth)
    assert (clf.kernel_ != lovasz.kernel(H, "ls", weights=weights)).nnz == 0


def test_auto_has_a_kernel_more_on_hypergraphs(labelled):
    H, _ = labelled
    clf = lovasz.LCNClassifier()
    plain = lovasz.as_graph([(0, 1)])
    assert rounds(clf, H.expansion(), None) == rounds(clf, plain, None) + 1


@pytest.mark.parametrize(
    ("name", "flags"), [("h.hg", []), ("h.json", []), ("h.csv", ["--hypergraph"])]
)
def test_classify_takes_hypergraph_files(labelled, tmp_path, name, flags):
    H, truth = labelled
    unweighted = lovasz.as_hypergraph(H.hyperedges(), nodes=H.nodes)
    write_hypergraph(unweighted, tmp_path / name)
    with (tmp_path / "labels.csv").open("w", newline="") as file:
        csv.writer(file).writerows(list(truth.items())[:30])
    command = ["classify", str(tmp_path / name), "--labels", str(tmp_path / "labels.csv"), *flags]
    options = ["--out", str(tmp_path / "out"), "--epochs", "20", "--splits", "2", "--json"]
    result = CliRunner().invoke(app, [*command, *options, "--device", "cpu"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["nodes"] == 41 and told["edges"] == H.expansion().m
    assert [method["name"] for method in told["methods"]][-1] == "GCN"
    assert told["notes"][0].startswith(f"The input is a hypergraph of {H.m} hyperedges")
    with (tmp_path / "out" / "predictions.csv").open() as file:
        assert [row["node"] for row in csv.DictReader(file)] == list(H.nodes)
    assert "<svg" in (tmp_path / "out" / "report.html").read_text()


def test_a_file_that_is_no_hypergraph_is_one_line(tmp_path):
    (tmp_path / "h.json").write_text('{"nodes": []}')
    (tmp_path / "labels.csv").write_text("a,x\nb,y\n")
    files = [str(tmp_path / "h.json"), "--labels", str(tmp_path / "labels.csv")]
    result = CliRunner().invoke(app, ["classify", *files])
    assert result.exit_code != 0
    assert "incidences" in str(result.exception or result.output)
