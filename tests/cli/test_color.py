"""``lovasz color`` as a user meets it."""

import csv
import io
import json

import pytest

import lovasz
from lovasz.graphs.families import gnp


@pytest.fixture(autouse=True)
def graphs(tmp_path):
    (tmp_path / "c5.csv").write_text("a,b\nb,c\nc,d\nd,e\ne,a\n")
    (tmp_path / "loop.csv").write_text("a,a\na,b\n")


def test_csv_on_stdout_and_the_proof_on_stderr(run):
    code, out, err = run("color", "c5.csv")
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    colors = {row["node"]: row["color"] for row in rows}
    assert list(colors) == list("abcde") and set(colors.values()) == {"0", "1", "2"}
    assert all(colors[a] != colors[b] for a, b in zip("abcde", "bcdea", strict=True))
    assert "3 colours, proven optimal" in err


@pytest.mark.parametrize("flag", ["--cliques", "--complement"])
def test_cliques(run, flag):
    code, out, err = run("color", "c5.csv", flag, "--json")
    found = json.loads(out)
    assert code == 0 and found["kind"] == "clique cover" and found["size"] == found["lower"] == 3
    assert found["nodes"] == list("abcde") and len(found["colors"]) == 5 and found["optimal"]
    assert not err


def test_a_folder_with_a_page(run, tmp_path):
    lovasz.write_graph(gnp(60, 0.8, seed=0), "dense.csv")
    for name in ("c5.csv", "dense.csv"):
        code, out, err = run("color", name, "--out", "found", "--time-limit", "5")
        assert code == 0, err
        page = (tmp_path / "found" / "color.html").read_text()
        assert "What is proven" in page and "<svg" in page
        assert (tmp_path / "found" / "colors.csv").read_text().startswith("node,color\n")
        assert "color.html" in out


def test_notes_and_errors_are_one_line(run):
    assert "dropped 1 self-loop" in run("color", "loop.csv")[2]
    code, out, err = run("color", "nowhere.col")
    assert code == 1 and not out and err.startswith("lovasz: nowhere.col: no such file")
    assert run("color", "c5.csv", "--effort", "-1")[0] == 2


def test_no_time_is_still_a_colouring(run):
    lovasz.write_graph(gnp(80, 0.5, seed=0), "g.csv")
    found = json.loads(run("color", "g.csv", "--json", "--time-limit", "0")[1])
    assert 1 <= found["lower"] <= found["size"] == found["upper"] <= 80
