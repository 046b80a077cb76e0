"""The page says where auto is ahead and where it is behind."""

from lovasz.reproduce.items.kernels import findings, rows


def network(test):
    return {
        "test": [test] * 3, "validation": [80.0] * 3, "loss": [1.0] * 3, "surprise": [0.5] * 3,
        "raw_error": [9.0] * 3, "error": [2.0] * 3, "expected": [test + 1] * 3,
        "temperature": [1.0] * 3, "setting": ["x"] * 3, "train_seconds": 5.0,
    }  # fmt: skip


def auto(test):
    return {
        "test": [test] * 3, "macro_f1": [test - 2] * 3, "error": [2.5] * 3, "seconds": [4.0] * 3,
        "expected": [test, test, None], "low": [test - 5, test + 1, None],
        "high": [test + 5, test + 9, None], "shares": [{"ls": 0.6, "blocks": 0.4}] * 3,
        "train_seconds": [12.0],
    }  # fmt: skip


def row_of(section, name):
    return next(row for row in section.tables[0].rows if row[0] == name)


def test_the_page_says_where_auto_is_behind():
    results = {("cora", m): network(80.0) for m in rows.methods_of("cora") if m != "auto"}
    results["cora", "auto"] = auto(70.0)
    section = findings.section(results)
    said = " ".join(section.verdict)
    assert "cora 70.0 (GCN 80.0), below the published 82.6" in said
    assert "on 0 of 1 rows in the citation networks" in said
    assert "behind on cora by 10.0 (GCN)" in said
    assert "1 of 2 fits" in said and "2.5 points" in said and "4.0 seconds" in said
    results["cora", "auto"] = auto(85.0)
    said = " ".join(findings.section(results).verdict)
    assert "at or above the published" in said and "behind" not in said
    assert "never more than one standard error below the best single network" in said
    row = row_of(findings.section(results), "cora")
    assert row[1].text == "85.0 ± 0.0" and row[1].mark == "ours"
    assert row[-3:] == ["80.0 ± 0.0 (GCN)", "ls 60 %, blocks 40 %", "12 / 5"]


def test_auto_may_be_missing():
    section = findings.section({("heart", m): network(80.0) for m in ("lcn", *rows.PLAIN)})
    row = row_of(section, "heart")
    assert row[1].text == "not run" and row[-2:] == ["not run", "not run / 5"]
    assert not any("auto" in text for text in section.verdict)


def test_the_table_of_trust_shows_intervals():
    table = findings.section({("heart", "auto"): auto(82.0)}).tables[-1]
    assert table.rows == [
        ["heart", "82.0 ± 0.0", "82.0 ± 0.0", "1 of 2", "2.5 ± 0.0", "80.0 ± 0.0", "4.0 ± 0.0"]
    ]
