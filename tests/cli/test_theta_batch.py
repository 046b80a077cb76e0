"""``lovasz theta`` of files with many graphs: rows, bad lines, interruptions and --resume."""

import csv
import io
import json
import math
import os
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import networkx as nx
import pytest
from tests.waiting import LONGEST

import lovasz
from lovasz.workflows.graph_batch import COLUMNS

ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(lovasz.__file__).parents[1])}


@pytest.fixture(autouse=True)
def graphs(tmp_path):
    many = [nx.cycle_graph(5), nx.petersen_graph(), nx.path_graph(4), nx.complete_graph(3)]
    lines = [nx.to_graph6_bytes(graph, header=False) for graph in many]
    lines[2] = nx.to_sparse6_bytes(many[2], header=False)
    (tmp_path / "four.g6").write_bytes(b"".join(lines))
    (tmp_path / "bad.g6").write_bytes(b">>graph6<<" + lines[0] + b"D~~~\n\n" + lines[3])
    (tmp_path / "c7.csv").write_text("".join(f"{i},{(i + 1) % 7}\n" for i in range(7)))
    return many


def read_table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def bounds(row):
    return [int(row[f"{what}_{end}"]) for what in ("alpha", "cover") for end in ("lower", "upper")]


def test_each_line_is_a_row_with_bounds_on_alpha_and_covers(run):
    code, out, err = run("theta", "four.g6")
    assert code == 0 and err == ""
    head, *rows = (line.split() for line in out.splitlines())
    assert head[0] == "graph" and [row[0] for row in rows] == [f"four.g6:{i}" for i in range(1, 5)]
    assert [row[5:7] for row in rows] == [["2", "3"], ["4", "5"], ["2", "2"], ["1", "1"]]
    assert all(float(low) <= float(high) for row in rows for low, high in pairwise(row[3:5]))


def test_the_table_of_standard_input_is_that_of_the_file(run, monkeypatch):
    run("theta", "four.g6", "c7.csv", "--csv", "table.csv")
    table = read_table("table.csv")
    assert tuple(table[0]) == COLUMNS and [row["line"] for row in table] == ["1", "2", "3", "4", ""]
    assert bounds(table[1]) == [4, 4, 5, 5] and bounds(table[4]) == [3, 3, 4, 4]
    exact = 7 * math.cos(math.pi / 7) / (1 + math.cos(math.pi / 7))
    assert float(table[4]["lower"]) <= exact <= float(table[4]["upper"])
    stdin = io.TextIOWrapper(io.BytesIO(Path("four.g6").read_bytes()))
    monkeypatch.setattr("sys.stdin", stdin)
    code, out, _ = run("theta", "-", "--csv", "-")
    piped = list(csv.DictReader(io.StringIO(out, newline="")))
    assert code == 0 and {row["file"] for row in piped} == {"standard input"}
    for one, other in zip(piped, table[:4], strict=True):
        assert all(one[c] == other[c] for c in COLUMNS if c not in ("file", "seconds"))


def test_standard_input_may_still_be_one_graph(run, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"0,1\n1,2\n")))
    code, out, _ = run("theta", "-", "--json")
    assert code == 0 and json.loads(out)["value"] == 2


def test_a_bad_line_is_one_error_that_names_it_and_a_row(run):
    code, out, err = run("theta", "bad.g6", "nowhere.col", "--csv", "table.csv")
    assert code == 1 and out == "table  table.csv, 4 graphs, 2 failed\n"
    first, second = err.splitlines()
    assert first.startswith("lovasz: bad.g6 line 2: not valid graph6")
    assert second.startswith("lovasz: nowhere.col: no such file")
    rows = read_table("table.csv")
    assert [(row["line"], bool(row["error"])) for row in rows] == [
        ("1", False), ("2", True), ("4", False), ("", True),
    ]  # fmt: skip
    code, out, err = run("theta", "bad.g6", "--json")
    rows = json.loads(out)
    assert code == 1 and [row["line"] for row in rows] == [1, 2, 4]
    assert [bool(row["error"]) for row in rows] == [False, True, False]
    assert rows[1]["error"].startswith("not valid graph6") and rows[1]["lower"] is None


def test_options_reach_every_graph(run):
    code, out, _ = run("theta", "four.g6", "--complement", "--json")
    assert code == 0
    rows = json.loads(out)
    assert [row["alpha_lower"] for row in rows] == [2, 2, 2, 3]
    assert all(row["alpha_upper"] <= row["upper"] for row in rows)


def test_resume_goes_on_behind_a_row_that_was_cut_short(run):
    run("theta", "four.g6", "--csv", "whole.csv")
    whole = Path("whole.csv").read_bytes()
    lines = whole.splitlines(keepends=True)
    Path("table.csv").write_bytes(b"".join(lines[:3]) + lines[3][:9])
    code, out, _ = run("theta", "four.g6", "--csv", "table.csv", "--resume", "--jobs", "2")
    assert code == 0 and out == "table  table.csv, 4 graphs, 0 failed\n"
    found = Path("table.csv").read_bytes().splitlines(keepends=True)
    assert found[:3] == lines[:3]  # not solved again: even the seconds are the same
    without = [c for c in COLUMNS if c != "seconds"]
    for one, other in zip(read_table("table.csv"), read_table("whole.csv"), strict=True):
        assert [one[c] for c in without] == [other[c] for c in without]


def test_resume_tries_failed_graphs_again(run):
    run("theta", "bad.g6", "--csv", "table.csv")
    code, _, err = run("theta", "bad.g6", "--csv", "table.csv", "--resume")
    assert code == 1 and "bad.g6 line 2" in err
    assert [row["line"] for row in read_table("table.csv")] == ["1", "2", "4"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("four.g6", "--csv", "table.csv"), "table.csv exists; add --resume"),
        (("four.g6", "--resume", "--csv", "table.csv", "--tol", "1e-4"), "with other options"),
        (("bad.g6", "--resume", "--csv", "table.csv"), "about another graph"),
        (("four.g6", "--resume", "--csv", "c7.csv"), "c7.csv is no table of lovasz theta"),
        (("four.g6", "--csv", "nowhere/table.csv"), "there is no directory"),
    ],
)
def test_what_cannot_be_resumed_is_one_line_and_stays_as_it_is(run, words, said):
    run("theta", "four.g6", "--csv", "table.csv")
    before = Path("table.csv").read_bytes()
    code, out, err = run("theta", *words)
    assert code == 1 and out == "" and err.count("\n") == 1 and said in err
    assert Path("table.csv").read_bytes() == before


def test_resume_without_a_table_is_a_wrong_call(run):
    code, out, err = run("theta", "four.g6", "--resume")
    assert code == 2 and out == "" and err.count("\n") == 1 and "--resume needs --csv" in err


ENDLESS = """
import time
import lovasz.workflows.graph_batch as batch
from lovasz.cli import main

solve = batch.theta

def theta(graph, **options):
    if graph.n == 3:
        print("at work", flush=True)
        while not options["stop"]():
            time.sleep(0.05)
    return solve(graph, **options)

batch.theta = theta
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_rows_are_on_disk_when_the_command_is_ended(tmp_path, run, number):
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, "theta", "four.g6", "--csv", "table.csv"], cwd=tmp_path,
        env=ENVIRONMENT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout.readline() == "at work\n"
    process.send_signal(number)
    _, err = process.communicate(timeout=LONGEST)
    assert len(read_table("table.csv")) == 3
    if number == signal.SIGINT:
        assert process.returncode == 1
        assert err == (
            "lovasz: interrupted with 1 graph left; the others are in table.csv, "
            "go on with --resume\n"
        )
    assert run("theta", "four.g6", "--csv", "table.csv", "--resume")[0] == 0
    assert len(read_table("table.csv")) == 4


def test_notes_name_the_graph_and_are_no_column(run, tmp_path):
    (tmp_path / "loop.csv").write_text("0,1\n1,1\n")
    for options in (("--csv", "table.csv"), ("--csv", "other.csv", "--jobs", "2")):
        # Workers of a test before this one may still be in its folder.
        code, _, err = run("theta", tmp_path / "c7.csv", tmp_path / "loop.csv", *options)
        assert code == 0 and err == "note: loop.csv: dropped 1 self-loop\n"
        assert "notes" not in read_table(options[1])[0]
