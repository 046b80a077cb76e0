"""What the README, the quick start and the examples say is what happens."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
QUICKSTART = (ROOT / "docs/quickstart.md").read_text(encoding="utf-8")


def test_the_python_of_the_readme_prints_what_it_says(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})
    promised = re.search(r"print\(.*\)  # (.*)", code).group(1)
    assert capsys.readouterr().out.strip() == promised


def test_the_numbers_of_the_readme_are_those_of_the_results():
    insert = runpy.run_path(str(ROOT / "docs/scripts/readme_numbers.py"))["insert"]
    assert insert(README) == README, "run `python docs/scripts/readme_numbers.py`"


def test_the_readme_is_short():
    lines = README.splitlines()
    assert len(lines) < 120
    assert max(len(line) for line in lines) < 400  # no walls of text


@pytest.mark.slow
def test_the_numbers_of_the_quick_start_are_those_of_the_demo(tmp_path):
    """LCN to a point and a half: the last digits depend on the processor's arithmetic. GCN to
    eight points: each of its ten runs finds one, two or three blocks, and one may tip over.
    """
    result = subprocess.run(
        [sys.executable, "-m", "lovasz", "demo", "--out", tmp_path / "demo"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    (table,) = re.findall(r"```text\n(method.*?)```", QUICKSTART, re.DOTALL)
    pattern = re.compile(r"^(LCN \(ls\)|GCN) +([\d.]+)", re.MULTILINE)
    promised, found = (dict(pattern.findall(text)) for text in (table, result.stdout))
    assert promised.keys() == found.keys() == {"LCN (ls)", "GCN"}
    for method, tolerance in (("LCN (ls)", 1.5), ("GCN", 8)):
        assert float(found[method]) == pytest.approx(float(promised[method]), abs=tolerance)
    said = re.findall(r"LCN ([\d.]+) %, GCN ([\d.]+) %\.", QUICKSTART)
    noted = re.findall(r"LCN \(ls\) ([\d.]+) % and GCN ([\d.]+) %", result.stderr)
    assert len(said) == len(noted) == 2
    for promised_pair, found_pair in zip(said, noted, strict=True):
        for promise, finding in zip(promised_pair, found_pair, strict=True):
            assert float(promise) == pytest.approx(float(finding), abs=4)


@pytest.mark.slow
@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.stem)
def test_examples_run_and_learn(example, capsys, monkeypatch):
    import matplotlib.pyplot as plt

    monkeypatch.setattr(plt, "show", lambda: plt.close("all"))
    try:
        with plt.rc_context({"backend": "agg"}):
            runpy.run_path(str(example), run_name="__main__")
    except SystemExit as end:  # it says what it needs
        assert "pyg-lib" in str(end)
        pytest.skip(str(end))
    said = capsys.readouterr().out
    assert said.strip(), "an example prints what it found"
    assert not plt.get_fignums(), "an example shows every figure that it draws"
    on_cora = example.stem == "pyg_gcn"  # if it is there
    for accuracy in re.findall(r"accuracy ([\d.]+)", said):
        assert float(accuracy) > (0.75 if on_cora else 0.9)


def test_every_make_target_of_the_readme_exists():
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(re.findall(r"make ([a-z]+)", README)) <= set(targets)


def test_every_file_the_readme_links_to_exists():
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target
