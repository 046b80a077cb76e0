"""Tables say what was measured, sentences are made of numbers, and what was not run is said so."""

import pytest
from tests.reproduce.samples import table_results

from lovasz.reproduce.items import uci_mnist

ROWS = ("ionosphere", "sonar")


def entries(table):
    """Row -> column -> entry."""
    return {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}


def flat(value, reading="70% identity"):
    """A cell whose two splits scored ``value`` ± 1."""
    scores = {"test": [value - 1, value + 1], "validation": [50, 50], "loss": [1, 1]}
    return {"readings": {reading: {**scores, "setting": ["", ""]}}}


def test_every_reading_is_a_table_beside_the_paper():
    section = uci_mnist.section(table_results())
    captions = [table.caption for table in section.tables]
    assert [c.partition(" in %, ")[2][:4] for c in captions[:4]] == ["10 %", "70 %", "10 %", "70 %"]
    table = entries(section.tables[1])
    assert len(table) == 13 and "mean of 12 rows" in table
    row = table["ionosphere"]
    assert row["LCN"].paper == "87.9" and row["LCN"].paper_best and "±" in row["LCN"].text
    assert row["LCN (LS)"].paper == "" and row["LCN (best of two)"].paper == ""
    assert sum(e.ours_best for e in row.values() if not isinstance(e, str)) >= 1
    assert table["mean of 12 rows"]["LCN"].paper == "89.0"
    assert [picture.name for picture in section.pictures] == ["accuracy"]


def test_methods_without_features_are_named_where_features_are_read():
    raw = uci_mnist.section(table_results(ROWS)).tables[3]
    assert "identity features: Un-Lap, N-Lap, KS, SPORE." in raw.caption
    assert entries(raw)["sonar"]["KS"].text != "not run"


def test_theta_is_rounded_outwards():
    results = {("sonar", "lcn"): flat(70) | {"theta": [[13.00666, 13.00667], [14.0, 14.0]]}}
    table = uci_mnist.section(results).tables[-1]
    assert table.rows == [["sonar", "2", "13.0066 – 14.0000", "13.0067 – 14.0000", "8e-07"]]


@pytest.mark.parametrize("methods", [("gcn",), ("lcn",), ("un-lap",), ("gcn", "lcn", "lcn-ls")])
def test_partial_results_render_and_claim_nothing_else(methods):
    section = uci_mnist.section(table_results(("sonar",), methods))
    said = " ".join(section.verdict)
    assert ("above GCN" in said) == (len(methods) == 3)
    assert "ionosphere" not in said
    assert list(entries(section.tables[0])) == ["sonar"]
    assert entries(section.tables[0])["sonar"]["GPNN"].text == "not run"


def test_nothing_measured_shows_nothing():
    section = uci_mnist.section({})
    assert not section.verdict
    assert not section.tables and not section.pictures


def test_a_mean_over_other_rows_is_no_mean():
    results = {("sonar", "gcn"): flat(70), ("heart", "gcn"): flat(80), ("heart", "lcn"): flat(80)}
    mean = entries(uci_mnist.section(results).tables[0])["mean of 2 rows"]
    assert mean["GCN"].text == "75.0" and mean["LCN"].text == "–"
    assert mean["GCN"].paper == f"{(71.4 + 85.1) / 2:.1f}"


def test_rows_far_from_the_paper_are_named_with_their_numbers():
    results = {
        (row, method): flat(value)
        for row, value in (("ionosphere", 80.0), ("sonar", 73.0))
        for method in ("lcn", "lcn-ls", "gcn")
    }
    lcn, gcn = uci_mnist.section(results).verdict[2:4]
    assert lcn.endswith("on 1 of the 2 rows that were run: ionosphere 80.0 ± 1.4 against 87.9.")
    assert gcn.endswith("on 1 of the 2 rows that were run: ionosphere 80.0 ± 1.4 against 76.1.")
    assert "on 0 of 2 rows (+0.0 points on average)" in uci_mnist.section(results).verdict[0]


def test_methods_are_compared_on_the_splits_that_both_have():
    first, whole = [70.0, 70.0], {"test": [71.0, 71.0, 50.0, 50.0]}
    gcn = {"readings": {"70% identity": whole}}
    results = {("mnist-500-1v2", "gcn"): gcn}
    for method in ("lcn", "lcn-ls"):
        results["mnist-500-1v2", method] = flat(70)
        results["mnist-500-1v2", method]["readings"]["70% identity"]["test"] = first
    assert "on 0 of 1 rows (−1.0 points" in uci_mnist.section(results).verdict[0]


def test_the_number_for_the_summary_is_that_of_the_headline_reading():
    item, results = uci_mnist.ITEM, {("sonar", "gcn"): flat(70.0)}
    assert len(item.published) == 84 and item.published["sonar", "lcn"] == 73.2
    assert item.headline(results, "sonar", "gcn") == (70.0, pytest.approx(2**0.5))
    assert item.headline(results, "sonar", "lcn") is None
