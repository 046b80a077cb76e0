"""``lovasz reproduce`` as a user meets it: kept cells, exit codes, Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from tests.reproduce.small import small_item
from tests.waiting import LONGEST, wait_until

import lovasz
import lovasz.reproduce

SLOW = """
import sys, time, types
from pathlib import Path
import lovasz.reproduce as experiments
from lovasz.reproduce.engine.cells import Cell, Item
from lovasz.pages.reproduction.section import Section

def measure(cell, context):
    with open("log", "a") as log:
        log.write(f"{cell.row}\\n")
    while cell.row.startswith("slow") and not Path("hurry").exists():
        time.sleep(0.02)
    return {"value": 1}

CELLS = [Cell("slow", row, "lcn", cost=1) for row in ("fast 1", "fast 2", "slow 1", "slow 2")]
ITEM = Item("slow", "Slow", lambda quick: CELLS, measure, lambda results: Section("", [], []))
experiments.ITEMS = ("slow",)
sys.modules["lovasz.reproduce.items.slow"] = sys.modules[__name__]
"""


@pytest.fixture
def register(monkeypatch):
    """Make items the only ones there are."""

    def put(*items):
        monkeypatch.setattr(lovasz.reproduce, "ITEMS", tuple(item.name for item in items))
        for item in items:
            module = type(sys)(f"lovasz.reproduce.items.{item.name}")
            module.ITEM = item
            monkeypatch.setitem(sys.modules, module.__name__, module)

    return put


def test_everything_is_measured_and_the_page_written(run, register, tmp_path):
    register(small_item(), small_item(name="other"))
    code, out, err = run("reproduce", "--jobs", "1")
    assert (code, err) == (0, "")
    assert [line.split() for line in out.splitlines()[1:3]] == [
        ["small", "6", "0", "0", "0"],
        ["other", "6", "0", "0", "0"],
    ]
    page = tmp_path / "lovasz-reproduction" / "reproduction.html"
    assert out.endswith("page  lovasz-reproduction/reproduction.html\n") and page.exists()
    assert "lovasz reproduce --jobs 1" in page.read_text()


def test_the_page_keeps_items_of_earlier_runs(run, register, tmp_path):
    register(small_item(), small_item(name="other"))
    for item in ("small", "other"):
        assert run("reproduce", item, "--jobs", "1", "--out", "here")[0] == 0
    page = (tmp_path / "here" / "reproduction.html").read_text()
    assert 'id="small"' in page and 'id="other"' in page and "Nothing was run" not in page
    code, out, _ = run("reproduce", "all", "--resume", "--jobs", "1", "--out", "here")
    assert code == 0 and out.splitlines()[1].split() == ["small", "0", "6", "0", "0"]
    code, out, _ = run("reproduce", "other", "--page-only", "--out", "here")
    assert code == 0 and out.splitlines()[1].split() == ["other", "6", "6"]


def test_a_failed_cell_is_a_line_and_exit_code_1(run, register, tmp_path):
    register(small_item(rows=("a", "bad")))
    code, out, err = run("reproduce", "small", "--jobs", "1")
    assert code == 1 and out.splitlines()[1].split() == ["small", "2", "0", "0", "2"]
    assert err.splitlines() == [
        f"lovasz: small bad {method} failed: ValueError: no such thing" for method in ("gcn", "lcn")
    ]
    page = (tmp_path / "lovasz-reproduction" / "reproduction.html").read_text()
    assert "2 cells without a result: failed: ValueError: no such thing" in page


def test_missing_data_is_a_line_with_a_remedy_and_exit_code_0(run, register, monkeypatch, tmp_path):
    monkeypatch.delenv("LOVASZ_DATA", raising=False)
    monkeypatch.setenv("LOVASZ_CACHE", str(tmp_path / "none"))
    register(small_item(data=("cora",)), small_item(name="other", data=("polblogs",)))
    code, out, err = run("reproduce", "--jobs", "1")
    assert code == 0 and out.splitlines()[1].split() == ["small", "0", "0", "6", "0"]
    cora, polblogs = err.splitlines()
    assert "6 cells left out: the data set cora is not here; `lovasz data fetch cora`" in cora
    assert "polblogs is not here and at no public address; set LOVASZ_DATA" in polblogs


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["smal"], 2, "the paper has no item 'smal'; did you mean 'small'?"),
        (["--method", "lcm"], 1, "no cell has the method 'lcm'; known: gcn, lcn"),
        (["--scheduler", "tcp://host:1"], 2, "needs --backend dask"),
        (["--backend", "dask"], 2, "needs --scheduler ADDRESS"),
        (["--out", "file"], 1, "cannot write to the folder file"),
        (["--jobs", "0"], 2, "--jobs"),
        (["--backend", "cloud"], 2, "--backend"),
    ],
)
def test_bad_calls_are_a_line(run, register, tmp_path, words, code, said):
    register(small_item())
    (tmp_path / "file").touch()
    found, out, err = run("reproduce", *words)
    assert found == code and out == "" and said in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "lovasz-reproduction").exists()


def test_quick_says_so(run, register, tmp_path):
    register(small_item())
    assert run("reproduce", "--quick", "--jobs", "1")[0] == 0
    page = (tmp_path / "lovasz-reproduction" / "reproduction.html").read_text()
    assert "proves nothing" in page and 'role="alert"' in page


def start(tmp_path, *words):
    code = "import slow_item; from lovasz.cli import main; main()"
    paths = [str(tmp_path), str(Path(lovasz.__file__).parents[1])]
    return subprocess.Popen(
        [sys.executable, "-c", code, "reproduce", "--jobs", "2", "--out", "out", *words],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)}, start_new_session=True,
    )  # fmt: skip


def has_members(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(sys.platform == "win32", reason="process groups")
@pytest.mark.slow
def test_no_worker_outlives_a_killed_command(tmp_path):
    (tmp_path / "slow_item.py").write_text(SLOW)
    process = start(tmp_path)
    log = tmp_path / "log"
    try:
        while not (log.exists() and log.read_text().count("slow") == 2):
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        process.kill()  # the command alone, which cannot tell its workers
        process.wait()
        wait_until(lambda: not has_members(process.pid))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="process groups")
@pytest.mark.slow
def test_ctrl_c_keeps_what_is_done_and_resume_goes_on(tmp_path):
    (tmp_path / "slow_item.py").write_text(SLOW)
    process = start(tmp_path)
    saved = [tmp_path / "out" / "slow" / f"fast_{k}--lcn.json" for k in (1, 2)]
    log = tmp_path / "log"
    try:
        # As in a terminal: the signal goes to the workers, too, which are at their slow cells.
        while not (all(p.exists() for p in saved) and log.read_text().count("slow") == 2):
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
    finally:
        os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=LONGEST)
    assert (process.returncode, out) == (1, "")
    assert err == "lovasz: interrupted; 2 cells are kept in out; go on with --resume\n"
    assert json.loads(saved[0].read_text())["result"] == {"value": 1}
    wait_until(lambda: not has_members(process.pid))  # no worker stays behind

    (tmp_path / "hurry").touch()
    log.unlink()
    out, err = start(tmp_path, "--resume").communicate(timeout=LONGEST)
    assert err == "" and out.splitlines()[1].split() == ["slow", "2", "2", "0", "0"]
    assert sorted(log.read_text().split("\n")) == ["", "slow 1", "slow 2"]


def test_help_names_every_item(run):
    words = run("reproduce", "--help")[1].replace(",", " ").replace(".", " ").split()
    assert set(lovasz.reproduce.ITEMS) <= set(words)
