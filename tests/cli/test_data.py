"""``lovasz data`` as a user meets it."""

import json


def test_the_list_has_one_line_per_data_set_on_80_columns(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("LOVASZ_DATA", raising=False)
    rows = json.loads(run("data", "list", "--json")[1])
    lines = run("data", "list")[1].splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == [row["name"] for row in rows]
    assert all(len(line) <= 80 for line in lines)


def test_data_list(run):
    code, out, _ = run("data", "list")
    assert code == 0 and "cora" in out and "2,708" in out
    rows = json.loads(run("data", "list", "--json")[1])
    assert {"cora", "amazon-photo", "sonar", "mnist"} <= {row["name"] for row in rows}
    assert all(row["licence"] and row["citation"] for row in rows)
