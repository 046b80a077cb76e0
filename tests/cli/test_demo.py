"""``lovasz demo`` as a user meets it."""

import json

import pytest


@pytest.mark.slow
def test_demo_beats_gcn_by_twenty_points(run, tmp_path):
    code, out, err = run("demo", "--json")
    assert code == 0, err
    answer = json.loads(out)
    lcn, gcn = answer["methods"]
    assert len(lcn["splits"]) == 10 and answer["nodes"] == 500
    assert lcn["accuracy"] - gcn["accuracy"] > 0.20
    assert (tmp_path / "lovasz-demo" / "report.html").exists()
    # The same run says what becomes of the lead when the sample is even.
    assert any("drawn evenly" in note and "without L2" in note for note in answer["notes"])
