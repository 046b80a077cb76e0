"""Evidence and suggestions of a report: for whom, how many, and what the page says of them."""

import numpy as np
import pytest

import lovasz
from lovasz import LCNClassifier
from lovasz.classify.problem import Problem
from lovasz.graphs.families import planted_partition
from lovasz.pages.report import render_report
from lovasz.workflows import advice
from lovasz.workflows.advice import (
    collect_evidence,
    doubtful_rows,
    explaining_code,
    suggest_labels,
    sure_rows,
    word_forecast,
)
from lovasz.workflows.reporting import make_report

BLOCKS = planted_partition(90, 3, 0.3, 0.05, seed=0)
CODES = np.where(np.arange(90) % 3 == 0, BLOCKS.y, -1)


@pytest.fixture(scope="module")
def problem():
    return Problem(BLOCKS.graph, np.array(["a", "b", "<b>c</b>"]), CODES)


@pytest.fixture(scope="module")
def fitted(problem):
    return LCNClassifier(random_state=0, epochs=10, fast=True).fit_problem(problem)


def test_the_surest_rows_are_unlabelled_and_shared_by_the_classes(fitted):
    P = fitted.predict_proba()
    rows = sure_rows(CODES, P)
    assert len(rows) == advice.SURE == len({*rows}) and (CODES[rows] < 0).all()
    counts = np.bincount(P[rows].argmax(axis=1), minlength=3)
    assert counts.min() >= advice.SURE // 3
    for code in range(3):
        answered = np.flatnonzero((CODES < 0) & (P.argmax(axis=1) == code))
        best = np.sort(P[answered].max(axis=1))[::-1][: counts[code]]
        chosen = [row for row in rows if P[row].argmax() == code]
        np.testing.assert_allclose(P[chosen].max(axis=1), best)


def test_the_rows_in_doubt_are_those_of_the_page(fitted, problem):
    P = fitted.predict_proba()
    rows = doubtful_rows(CODES, P)
    rest = np.setdiff1d(np.flatnonzero(CODES < 0), rows)
    assert P[rows].max(axis=1).max() <= P[rest].max(axis=1).min()
    assert len(rows) == advice.DOUBTFUL


def test_evidence_is_that_of_the_classifier_and_starts_with_the_nodes_asked_for(
    fitted, problem, monkeypatch
):
    monkeypatch.setattr(advice, "FAST_SECONDS", 1e9)
    found = collect_evidence(problem, fitted, [7, 4])
    assert [*found][:2] == [7, 4]
    assert {*doubtful_rows(CODES, fitted.predict_proba())} <= {*found}
    one = max(fitted.explain(7, top=3).evidence, key=lambda piece: abs(piece.effect))
    number = f"{one.effect:+.2f} ".replace("-", "\N{MINUS SIGN}")
    assert any(line.startswith(number) for line in found[7])


def test_evidence_ends_when_its_time_is_over(fitted, problem, monkeypatch):
    monkeypatch.setattr(advice, "FAST_SECONDS", 0.0)
    assert [*collect_evidence(problem, fitted, [7, 4])] == [7]


def test_large_graphs_are_not_held_up_in_a_hurry(fitted, problem, monkeypatch):
    monkeypatch.setattr(advice, "FAST_NODES", 89)
    page = make_report(problem, fitted, (), "", title="t", command="c")
    assert page.next_labels == () and page.evidence == {} and page.forecast == ""
    html = render_report(page)
    assert "What an answer rests on" in html and 'id="next"' not in html


def test_a_kernel_that_cannot_be_looked_into_has_no_evidence(fitted, problem, monkeypatch):
    def refuse(*args):
        raise lovasz.LovaszError("explain cannot look into it")
        yield

    monkeypatch.setattr(advice, "explanation_cards", refuse)
    assert collect_evidence(problem, fitted, [7]) == {}


def test_the_page_says_why_what_next_and_whether_to_go_on(fitted, problem):
    page = make_report(problem, fitted, (), "", title="t", command="c")
    html = render_report(page)
    assert len(page.evidence) > 0 and f"For {len(page.evidence)} nodes the pinned card" in html
    assert [one.node for one in page.next_labels] == [
        str(node) for node, _ in suggest_labels(problem, fitted)
    ]
    assert page.forecast and page.forecast in html and page.forecast == word_forecast(fitted)
    assert page.forecast.startswith("With 30 labels expect")
    assert "<b>c</b>" not in html
    assert "load(&#34;model&#34;).explain(" in html


def test_where_every_node_is_labelled_nothing_is_suggested(problem):
    full = problem.with_codes(BLOCKS.y)
    fitted = LCNClassifier("ls", random_state=0, epochs=3).fit_problem(full)
    assert suggest_labels(full, fitted) == []
    page = make_report(full, fitted, (), "", title="t", command="c")
    assert page.forecast == "" and 'id="next"' not in render_report(page)


def test_the_code_on_the_page_runs(fitted, problem, tmp_path, monkeypatch, capsys):
    fitted.save(tmp_path / "model")
    monkeypatch.chdir(tmp_path)
    exec(explaining_code(problem, {0, 1, 3}), {"lovasz": lovasz})
    assert capsys.readouterr().out == f"{fitted.explain(2)}\n"
    assert explaining_code(problem, range(90)) == ""


def test_hypergraphs_cannot_be_asked_later():
    H = lovasz.as_graph(lovasz.as_hypergraph([[0, 1, 2], [2, 3]]))
    assert explaining_code(Problem(H, np.array([0, 1]), np.array([0, -1, -1, 1])), ()) == ""
