"""The page of proven values: written by its command, and fair to those who published before."""

import os
import sys
from pathlib import Path

import pytest

import lovasz

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def table(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    for name in ("theta_table", "theta"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import theta_table

    return theta_table


def test_the_page_is_what_the_command_writes(table):
    rows = table.merged([table.ROWS])
    proofs = [*table.PROOFS.glob("*.npz")]
    assert table.PAGE.read_text() == table.page(rows, table.quoted_values(), proofs)
    assert all(row["lower"] <= row["upper"] for row in rows) and len(rows) >= 180


@pytest.mark.data
def test_every_proof_that_is_shipped_is_accepted(table):
    folder = Path(os.environ["LOVASZ_DATA"], "graphs")
    files = {f"{row['graph']}.{row['of']}": row["file"] for row in table.merged([table.ROWS])}
    proofs = [*table.PROOFS.glob("*.npz")]
    assert len(proofs) >= 60
    for path in proofs:
        graph = lovasz.read_graph(folder / files[path.stem], weights="drop")
        assert lovasz.verify(graph, path)


def row(**values):
    told = {"graph": "g", "of": "graph", "n": 8, "m": 9, "certificate": "proven", "seconds": 1.0}
    return told | {"lower": 95.98464, "upper": 95.98466} | values


@pytest.mark.parametrize(
    ("value", "outside"),
    [("95.9856", True), ("95.99", False), ("95.984", False), ("95.9847", False), ("96", True)],
)
def test_a_quoted_value_may_be_rounded_or_cut_off(table, value, outside):
    assert table.is_outside(row(), {"value": value}) is outside


def test_merging_keeps_the_narrower_interval_and_a_proof_before_a_probability(table, tmp_path):
    import json

    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    wide, narrow = row(lower=95.0), row(seconds=9.0)
    likely = row(lower=95.98465, certificate="probabilistic")
    first.write_text(json.dumps(wide) + "\n" + json.dumps(likely) + "\n")
    second.write_text(json.dumps(narrow) + "\n" + json.dumps(wide)[:20])  # killed while it wrote
    assert table.merged([first, second]) == [narrow]
    assert table.merged([second, first]) == [narrow]
