"""``lovasz verify`` and ``lovasz theta --certificate`` as a user meets them."""

import json

import pytest


@pytest.fixture(autouse=True)
def graphs(tmp_path):
    (tmp_path / "c5.csv").write_text("a,b\nb,c\nc,d\nd,e\ne,a\n")
    (tmp_path / "same.csv").write_text("e,a\nc,d\nd,e\nb,a\nb,c\n")
    (tmp_path / "other.csv").write_text("a,b\nb,c\nc,d\nd,e\ne,a\na,c\n")


def test_a_certificate_is_accepted_for_its_graph_and_refused_for_others(run):
    code, out, err = run("theta", "c5.csv", "--certificate", "proof.npz")
    assert code == 0 and "exactly sqrt(5)" in out, err
    for name in ("c5.csv", "same.csv"):
        code, out, err = run("verify", name, "proof.npz")
        assert code == 0, err
        bounds = "between 2.236067977 and 2.236067978"
        assert out == f"accepted: ϑ of {name} is {bounds}; it is sqrt(5)\n"
    code, out, err = run("verify", "other.csv", "proof.npz")
    assert (code, out, err) == (1, "", "lovasz: proof.npz is refused: it is of another graph\n")


def test_json(run):
    run("theta", "c5.csv", "--certificate", "proof.npz", "--complement", "--variant", "szegedy")
    told = json.loads(run("verify", "c5.csv", "proof.npz", "--json")[1])
    assert told["accepted"] and told["complement"] and told["variant"] == "szegedy"
    assert told["lower"] <= 5**0.5 <= told["upper"] and told["exact"] == "sqrt(5)"
    assert json.loads(run("theta", "c5.csv", "--json")[1])["exact"] == "sqrt(5)"


def test_what_is_no_proof_is_refused_in_one_line(run):
    for name in ("c5.csv", "missing.npz"):
        code, out, err = run("verify", "c5.csv", name)
        assert (code, out, err.count("\n")) == (1, "", 1) and name in err


def test_a_certificate_is_for_one_graph(run):
    code, _, err = run("theta", "c5.csv", "other.csv", "--certificate", "proof.npz")
    assert code != 0 and "one graph" in err
