"""``lovasz embed`` as a user meets it."""

import csv
import gzip
import io
import json
import sys

import numpy as np
import pytest

import lovasz


@pytest.fixture(autouse=True)
def graphs(tmp_path):
    (tmp_path / "c5.csv").write_text("a,b\nb,c\nc,d\nd,e\ne,a\n")


def check_embedding(vectors, handle):
    """Of the 5-cycle."""
    np.testing.assert_allclose((vectors**2).sum(axis=1), 1, atol=1e-6)
    np.testing.assert_allclose((vectors @ handle) ** -2, 5**0.5, rtol=1e-6)
    for i in range(5):
        assert abs(vectors[i] @ vectors[(i + 2) % 5]) < 1e-6


def test_an_embedding_on_stdout_has_one_row_per_node_even_for_one_called_handle(run, tmp_path):
    names = ["handle", "node", "x2", "d", "e"]
    edges = [f"{names[i]},{names[(i + 1) % 5]}\n" for i in range(5)]
    (tmp_path / "named.csv").write_text("source,target\n" + "".join(edges))
    code, out, err = run("embed", "named.csv")
    assert code == 0 and err == ""
    header, *rows = csv.reader(io.StringIO(out))
    assert header == ["node", "handle", *(f"x{k}" for k in range(2, len(header)))]
    vectors = {row[0]: np.array(row[1:], dtype=float) for row in rows}
    assert sorted(vectors) == sorted(names)
    handle = np.eye(len(header) - 1)[0]
    check_embedding(np.array([vectors[name] for name in names]), handle)


def test_an_embedding_in_a_file_is_that_of_python(run, tmp_path):
    E = lovasz.embedding(tmp_path / "c5.csv")
    for suffix in ("npz", "csv"):
        code, out, _ = run("embed", "c5.csv", "--out", f"E.{suffix}")
        assert code == 0 and f"E.{suffix}" in out and "ϑ ≤ 2.23606" in out
    with np.load(tmp_path / "E.npz", allow_pickle=False) as arrays:
        assert arrays["nodes"].tolist() == list(E.nodes) and arrays["upper"] == E.upper
        np.testing.assert_array_equal(arrays["handle"], E.handle)
        check_embedding(arrays["vectors"], arrays["handle"])
        vectors = arrays["vectors"]
    rows = list(csv.reader((tmp_path / "E.csv").open()))[1:]
    np.testing.assert_array_equal(np.array([row[1:] for row in rows], dtype=float), vectors)
    assert sorted(path.name for path in tmp_path.glob("*E*")) == ["E.csv", "E.npz"]


def test_an_embedding_from_stdin_in_few_dimensions_as_json(run, monkeypatch, tmp_path):
    class Stdin:
        buffer = io.BytesIO(gzip.compress((tmp_path / "c5.csv").read_bytes()))

    monkeypatch.setattr(sys, "stdin", Stdin)
    code, out, _ = run("embed", "-", "--dim", "2", "--json")
    answer = json.loads(out)
    assert code == 0 and answer["upper"] == pytest.approx(5**0.5)
    assert (answer["nodes"], answer["dimensions"], answer["file"]) == (5, 2, None)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("nowhere.csv",), "nowhere.csv: no such file"),
        (("nowhere.csv", "--out", "E.docx"), "'E.docx'; end it in .csv or .npz"),
        (("nowhere.csv", "--out", "no/E.csv"), "no/E.csv: there is no directory"),
    ],
)
def test_a_bad_embed_is_one_line_exit_1_and_nothing_written(run, tmp_path, words, expected):
    before = sorted(tmp_path.rglob("*"))
    code, out, err = run("embed", *words)
    assert code == 1 and out == ""
    assert err.startswith("lovasz: ") and err.count("\n") == 1 and expected in err
    assert sorted(tmp_path.rglob("*")) == before


def test_one_dimension_is_a_wrong_call(run):
    assert run("embed", "c5.csv", "--dim", "1")[0] == 2


def test_a_time_limit_gives_the_vectors_of_what_is_proven(run):
    code, out, err = run("embed", "c5.csv", "--time-limit", "0", "--out", "v.npz", "--json")
    assert code == 0 and err == "" and 5**0.5 <= json.loads(out)["upper"] <= 3
    assert run("embed", "c5.csv", "--time-limit", "-1")[0] == 2
