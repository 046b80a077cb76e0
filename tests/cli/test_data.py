"""``lovasz data`` as a user meets it."""

import json


def test_data_list(run):
    code, out, _ = run("data", "list")
    assert code == 0 and "cora" in out and "2,708" in out
    rows = json.loads(run("data", "list", "--json")[1])
    assert {"cora", "amazon-photo", "sonar", "mnist"} <= {row["name"] for row in rows}
    assert all(row["licence"] and row["citation"] for row in rows)
