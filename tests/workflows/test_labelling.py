"""The job of ``lovasz classify``: what it says in words, in JSON and in files."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from typer.testing import CliRunner

import lovasz
from lovasz import LCNClassifier
from lovasz.classify import problem
from lovasz.classify.candidates import candidates_for
from lovasz.classify.problem import Problem, make_problem
from lovasz.classify.schedule import cost
from lovasz.cli import app
from lovasz.cli.output import show_labelling
from lovasz.graphs.families import planted_partition
from lovasz.graphs.formats.hyperedges import write_hypergraph
from lovasz.graphs.hypergraph import hypergraph as random_hypergraph
from lovasz.pages.report import render_report
from lovasz.workflows.labelling import count_epochs, label_graph

BLOCKS = planted_partition(120, 2, 0.2, 0.05, seed=0)
RNG = np.random.default_rng(0)
X = sparse.csr_array(np.eye(2)[BLOCKS.y] + RNG.standard_normal((120, 2)))


@pytest.fixture(scope="module")
def job():
    codes = np.where(np.arange(120) % 2 == 0, BLOCKS.y, -1)
    labelling = make_problem(BLOCKS.graph, np.array([0, 1]), codes, X, "auto")
    built, steps = [], []
    with pytest.MonkeyPatch.context() as patch:
        real = problem.make_kernel
        patch.setattr(
            problem, "make_kernel", lambda *a, **o: built.append((*a[1:], o)) or real(*a, **o)
        )
        classifier = LCNClassifier(random_state=0, epochs=15)
        found = label_graph(
            labelling, classifier, splits=2, title="t", command="c",
            callback=lambda done, note: steps.append(done),
        )  # fmt: skip
    return found, built, steps, labelling


def test_fit_comparison_and_page_build_every_kernel_once(job):
    _, built, *_ = job
    assert sorted(map(str, built)) == sorted(
        ["('ls', {})", "('gcn', {})", "('ls', {'weights': 'normalized'})"]
    )


def test_the_job_says_it_in_words_and_in_json(job):
    page, said = render_report(job[0].page), job[0].summary()
    assert "What was tried" in page and "gcn, ppr, consistent" in page
    share, (low, high) = said["expected_accuracy"], said["expected_range"]
    assert f"Expect {100 * share:.0f} % of the answers for unlabelled nodes to be right" in page
    assert f"(95 % interval {100 * low:.0f} to {100 * high:.0f} %)" in page
    assert low <= share <= high
    tried = json.loads(json.dumps(said))["tried"]
    assert tried.keys() == candidates_for(job[3]).keys() == said["shares"].keys()
    assert 0 <= said["macro_f1"] <= 1
    for name, part in said["shares"].items():
        assert (f"{name} ({100 * part:.0f} %)" in page) == (part >= 0.05)


def test_the_progress_knows_the_end(job):
    found, _, steps, labelling = job
    total = count_epochs(found.classifier, labelling, comparing=True)
    assert total == round(15 * sum(map(cost, found.classifier.tried_)))
    assert steps == sorted(steps) and steps[-1] == total


def test_the_comparison_is_that_of_the_blend_with_one_of_its_candidates(job):
    classifier = job[0].classifier
    lcn, gcn = job[0].methods
    assert (lcn.name, gcn.name) == ("lovasz", "GCN") and lcn.folds and len(lcn.accuracy) == 5
    np.testing.assert_array_equal(lcn.predicted, classifier.blend_.held_out.argmax(1))
    assert gcn.mean == pytest.approx(classifier.tried_["gcn"].accuracy, abs=1e-6)
    assert len(lcn.truth) == 60  # every label judges once
    assert "Nothing was trained again for the comparison." in job[0].page.protocol


@pytest.mark.parametrize(("fast", "rival"), [(False, "GCN"), (True, "label spreading")])
def test_auto_trains_nothing_after_the_fit(monkeypatch, fast, rival):
    def refuse(*args, **kwargs):
        raise AssertionError("trained again")

    monkeypatch.setattr("lovasz.workflows.labelling.train_and_choose", refuse)
    codes = np.where(np.arange(120) % 2 == 0, BLOCKS.y, -1)
    labelling = Problem(BLOCKS.graph, np.array([0, 1]), codes)
    classifier = LCNClassifier(random_state=0, epochs=5, fast=fast)
    found = label_graph(labelling, classifier, title="t", command="c")
    assert [m.name for m in found.methods] == ["lovasz", rival]
    assert f"compared with GCN but with {rival}" in found.page.protocol or not fast
    said, settings = found.summary(), found.page.settings
    assert said["kernel"] == settings["kernel"] == "auto"
    assert said["network"] == found.classifier.network_ and fast == (said["network"] is None)
    share = "none, because of --fast" if fast else "(the largest share among networks)"
    assert settings["network"].endswith(share) and "LCN" not in found.page.protocol


def test_too_few_labels_to_claim_an_accuracy_show_none_of_the_candidates_either(capsys):
    codes = np.full(120, -1)
    codes[:12] = BLOCKS.y[:12]
    classifier = LCNClassifier(random_state=0, fast=True)
    found = label_graph(
        Problem(BLOCKS.graph, np.array([0, 1]), codes), classifier, title="t", command="c"
    )
    assert not found.page.measured
    assert all(np.isfinite(trial.accuracy) for trial in classifier.tried_.values())
    show_labelling(found, Path("out"), as_json=False)
    html, out = render_report(found.page), capsys.readouterr().out
    for text in (html[html.index("What was tried</h3>") :], out[out.index("tried, by") :]):
        assert "log-loss" in text.lower() and "accuracy" not in text.lower()
    assert "No accuracy was measured." in html


def test_without_a_comparison_an_expectation_is_not_contradicted():
    codes = np.where(np.arange(120) % 2 == 0, BLOCKS.y, -1)
    found = label_graph(
        Problem(BLOCKS.graph, np.array([0, 1]), codes), LCNClassifier("ls", epochs=5),
        validation=np.arange(0, 60, 2), splits=0, title="t", command="c",
    )  # fmt: skip
    html = render_report(found.page)
    assert "No comparison was asked for." in html and "Expect " in html
    assert "accuracy was measured" not in html and "none was measured" not in html


def test_validation_nodes_judge_and_are_not_learned_from():
    codes = np.where(np.arange(120) % 2 == 0, BLOCKS.y, -1)
    judges = np.flatnonzero(codes >= 0)[::2]
    for kernel in ("auto", "ls"):
        classifier = LCNClassifier(kernel, random_state=0, epochs=5, fast=True)
        found = label_graph(
            Problem(BLOCKS.graph, np.array([0, 1]), codes), classifier,
            validation=judges, splits=2, title="t", command="c",
        )  # fmt: skip
        np.testing.assert_array_equal(classifier.blend_.judges, judges)
        assert all(not np.isin(judges, train).any() for train, _ in classifier.parts_.runs)
        if kernel == "auto":
            assert len(found.methods[0].accuracy) == len(classifier.parts_.runs)
            assert "The 30 validation nodes" in found.page.protocol
        else:  # the splits are of the other labels
            assert "2 random splits of the 30 given labels" in found.page.protocol


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
    clf = LCNClassifier(epochs=10)
    plain, hyper = (
        Problem(graph, np.array([0, 1]), np.arange(graph.n) % 2)
        for graph in (lovasz.as_graph([(k, k + 1) for k in range(40)]), H.expansion())
    )
    more, less = (count_epochs(clf, p, comparing=True) for p in (hyper, plain))
    assert more >= less + 10 and "ls hyperedges" in candidates_for(hyper)


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
