"""``lovasz train`` on one process: options outside their ranges, and few labels."""

import json

import pytest

TRAIN = ("train", "graph.csv", "--labels", "labels.csv", "--device", "cpu", "--epochs", "3")


@pytest.mark.parametrize(
    ("option", "value", "wanted"),
    [
        ("--lr", "-1", "above 0"),
        ("--lr", "0", "above 0"),
        ("--lr", "nan", "above 0"),
        ("--lr", "inf", "above 0"),
        ("--timeout", "0", "above 0 and at most 1,000,000"),
        ("--timeout", "-3", "above 0"),
        ("--timeout", "nan", "above 0"),
        ("--timeout", "1e300", "at most 1,000,000"),
    ],
)
def test_a_number_out_of_range_is_one_line(run, inputs, option, value, wanted):
    code, out, err = run(*TRAIN, option, value)
    assert code == 2 and out == "" and err.count("\n") == 1
    assert err.startswith(f"lovasz: {option} ") and "pass a number" in err and wanted in err


def test_a_dropout_that_is_no_number_is_refused(run, inputs):
    code, out, err = run(*TRAIN, "--dropout", "nan")
    assert code in (1, 2) and out == "" and "0.99" in err  # newer releases of typer refuse it


def test_without_a_label_to_validate_by_no_accuracy_is_claimed(run, inputs, tmp_path):
    assert "validation accuracy" in run(*TRAIN)[1]
    (tmp_path / "labels.csv").write_text("node,class\nnode 0,a\nnode 59,b\n")
    code, out, _ = run(*TRAIN)
    assert code == 0 and "nan" not in out and "no label was left to choose the epoch by" in out
    assert json.loads(run(*TRAIN, "--json")[1])["validation_accuracy"] is None
