"""The job of ``lovasz classify``: what it says in words, in JSON and in files."""

import csv
import json

import numpy as np
import pytest
from scipy import sparse
from typer.testing import CliRunner

import lovasz
from lovasz import LCNClassifier
from lovasz.classify import candidates, problem
from lovasz.classify.features import prepare_features
from lovasz.classify.problem import Problem
from lovasz.cli import app
from lovasz.graphs.families import planted_partition
from lovasz.graphs.formats.hyperedges import write_hypergraph
from lovasz.graphs.hypergraph import hypergraph as random_hypergraph
from lovasz.pages.report import render_report
from lovasz.workflows.labelling import count_networks, label_graph

BLOCKS = planted_partition(120, 2, 0.2, 0.05, seed=0)
RNG = np.random.default_rng(0)
X = sparse.csr_array(np.eye(2)[BLOCKS.y] + RNG.standard_normal((120, 2)))


@pytest.fixture(scope="module")
def job():
    codes = np.where(np.arange(120) % 2 == 0, BLOCKS.y, -1)
    features = prepare_features(X, BLOCKS.graph.nodes, "auto")
    labelling = Problem(BLOCKS.graph, np.array([0, 1]), codes, features)
    built = []
    with pytest.MonkeyPatch.context() as patch:
        real = problem.make_kernel
        patch.setattr(
            problem, "make_kernel", lambda *a, **o: built.append((*a[1:], o)) or real(*a, **o)
        )
        classifier = LCNClassifier(random_state=0, epochs=15)
        found = label_graph(labelling, classifier, splits=2, title="t", command="c")
    return found, built


def test_fit_comparison_and_page_build_every_kernel_once(job):
    _, built = job
    assert built == [("ls", {}), ("gcn", {}), ("ls", {"weights": "normalized"})]


def test_the_job_says_it_in_words_and_in_json(job):
    page, said = render_report(job[0].page), job[0].summary()
    assert "What was tried" in page and "gcn, ppr, consistent" in page
    share, (low, high) = said["expected_accuracy"], said["expected_range"]
    assert f"{100 * share:.0f} % of the labelled nodes that were held out" in page
    assert f"(95 % interval {100 * low:.0f} to {100 * high:.0f} %)" in page
    assert low <= share <= high
    assert json.loads(json.dumps(said))["tried"].keys() == candidates.CANDIDATES.keys()


@pytest.fixture(scope="module")
def labelled():
    """A hypergraph of two classes whose nodes are in an order of their own, one of them alone."""
    edges, y = random_hypergraph(n=40, size=6, homogeneous=30, heterogeneous=2, seed=1)
    order = np.random.default_rng(0).permutation(41)
    nodes = [f"n{row}" for row in order]
    H = lovasz.as_hypergraph([[f"n{row}" for row in edge] for edge in edges], nodes=nodes)
    truth = {f"n{row}": ("left", "right")[code] for row, code in enumerate(y)}
    return H, truth


def test_auto_has_one_more_kernel_on_hypergraphs(labelled):
    H, _ = labelled
    clf = LCNClassifier()
    plain, hyper = (
        Problem(graph, np.array([0, 1]), np.full(graph.n, -1))
        for graph in (lovasz.as_graph([(0, 1)]), H.expansion())
    )
    assert count_networks(clf, hyper) == count_networks(clf, plain) + 1


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
