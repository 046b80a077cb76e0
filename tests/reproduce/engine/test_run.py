"""Cells are measured once, saved whole, and go wrong alone."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.reproduce.small import process, small_item
from tests.waiting import LONGEST

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.base.processes import DIED
from lovasz.reproduce.engine.cells import Cell, Context, Store
from lovasz.reproduce.engine.run import measure_cell, run


def rows(cells):
    return sorted((cell.row, cell.method) for cell in cells)


EVERY = [(row, method) for row in ("a", "bb", "ccc") for method in ("gcn", "lcn")]


def threads(cell, context):
    import torch

    return {"threads": torch.get_num_threads()} | process(cell, context)


def deadly(cell, context):
    if cell.row == "bb":
        os.kill(os.getpid(), signal.SIGKILL)
    return {"value": 1}


def in_python(code, cwd):
    """What a Python of its own prints."""
    source, root = Path(lovasz.__file__).parents[1], Path(__file__).parents[3]
    return subprocess.run(
        [sys.executable, "-c", code], cwd=cwd, stdout=subprocess.PIPE, text=True, check=True,
        env=os.environ | {"PYTHONPATH": f"{source}{os.pathsep}{root}"}, timeout=LONGEST,
    ).stdout  # fmt: skip


def test_a_cell_is_a_file_with_what_measured_it(tmp_path):
    summary = run([small_item()], Store(tmp_path), device="cpu")
    assert rows(summary.measured) == EVERY
    saved = json.loads((tmp_path / "small" / "ccc--lcn.json").read_text())
    assert saved["result"] == {"value": 9, "device": "cpu"}
    assert saved["lovasz"] == lovasz.__version__ and saved["quick"] is False
    assert len(list(tmp_path.rglob("*"))) == 7  # and nothing else


def test_resume_measures_what_is_missing_alone(tmp_path):
    store = Store(tmp_path)
    run([small_item()], store, only=["gcn"])
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*--gcn.json")}
    summary = run([small_item()], store, resume=True)
    assert rows(summary.kept) == [p for p in EVERY if p[1] == "gcn"]
    assert rows(summary.measured) == [p for p in EVERY if p[1] == "lcn"]
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_a_cell_that_fails_does_not_stop_the_others(tmp_path):
    item = small_item(rows=("a", "bad", "set"))
    for jobs in (1, 2):
        store = Store(tmp_path / str(jobs))
        summary = run([item], store, jobs=jobs)
        assert rows(summary.measured) == [("a", "gcn"), ("a", "lcn")]
        reasons = {cell.row: why for cell, why in summary.failed}
        assert reasons["bad"] == "ValueError: no such thing"
        assert reasons["set"].startswith("TypeError: Object of type set")
        assert len(store.results(item)) == 2


def test_our_own_errors_come_without_their_name():
    def refuse(cell, context):
        raise LovaszError("too big; use less")

    assert measure_cell(refuse, Cell("small", "a", "gcn"), Context())[1] == "too big; use less"


def test_processes_have_a_thread_each(tmp_path):
    item = small_item(measure=threads)
    store = Store(tmp_path)
    assert len(run([item], store, jobs=2).measured) == 6
    found = store.results(item).values()
    assert {result["threads"] for result in found} == {1}
    assert os.getpid() not in {result["pid"] for result in found}


BLOCKED = """
from pathlib import Path
from lovasz.reproduce.engine.cells import Store
from lovasz.reproduce.engine.run import run
from tests.reproduce.small import blocked, small_item

store, item = Store(Path()), small_item(measure=blocked)
run([item], store, jobs=2)
print({tuple(result["signals"]) for result in store.results(item).values()})
"""


def test_no_cell_is_lost_among_many(tmp_path):
    item = small_item(rows=[f"row {k}" for k in range(30)])
    assert len(run([item], Store(tmp_path), jobs=2).measured) == 60


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_processes_never_see_ctrl_c(tmp_path):
    # In a Python of its own, where nothing that multiprocessing needs is running yet.
    found = in_python(BLOCKED, cwd=tmp_path)
    ours = tuple(sorted(map(int, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))))
    assert found == f"{{{ours}}}\n"


def test_a_process_that_dies_takes_its_own_cells_along_and_no_other(tmp_path):
    item = small_item(rows=("a", "bb"), measure=deadly)
    summary = run([item], Store(tmp_path), jobs=2, only=["gcn"])
    assert [(cell.row, why) for cell, why in summary.failed] == [("bb", DIED)]
    assert rows(summary.measured) == [("a", "gcn")]


def test_cells_without_their_data_are_left_out(tmp_path, monkeypatch):
    monkeypatch.delenv("LOVASZ_DATA", raising=False)
    monkeypatch.setenv("LOVASZ_CACHE", str(tmp_path / "none"))
    items = [small_item(data=("cora", "heart")), small_item(data=("karate",), name="other")]
    summary = run(items, Store(tmp_path))
    assert {name for _, name in summary.missing} == {"cora", "heart"}
    assert {cell.item for cell, _ in summary.missing} == {"small"}
    assert {cell.item for cell in summary.measured} == {"other"} and not summary.failed


def test_quick_results_never_replace_full_ones(tmp_path):
    run([small_item()], Store(tmp_path))
    with pytest.raises(LovaszError, match="full run"):
        run([small_item()], Store(tmp_path, quick=True), resume=True)
    quick = Store(tmp_path / "quick", quick=True)
    assert len(run([small_item()], quick).measured) == 2
    assert len(run([small_item()], Store(tmp_path / "quick"), resume=True).measured) == 6
    assert quick.results(small_item()) == {}


def test_half_a_result_is_said_to_be_one(tmp_path):
    store = Store(tmp_path)
    run([small_item()], store)
    (tmp_path / "small" / "a--gcn.json").write_text('{"result"')
    with pytest.raises(LovaszError, match=r"a--gcn.json is not a result .*delete it"):
        run([small_item()], store, resume=True)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"jobs": 0}, "jobs=0"),
        ({"backend": "cloud"}, "backend='cloud'"),
        ({"only": ["lcm"]}, "no cell has the method 'lcm'; known: gcn, lcn"),
        ({"backend": "dask"}, "needs the address of a scheduler"),
        ({"backend": "dask", "scheduler": "nonsense"}, "no dask scheduler answers at nonsense"),
    ],
)
def test_what_cannot_be_run(tmp_path, options, said):
    if options.get("scheduler"):
        pytest.importorskip("distributed")
    with pytest.raises(LovaszError, match=said.replace("[", r"\[")):
        run([small_item()], Store(tmp_path), **options)


CLUSTER = """
import json, os, sys
from pathlib import Path
from dask.distributed import LocalCluster
from lovasz.reproduce.engine.cells import Store
from lovasz.reproduce.engine.run import run
from tests.reproduce.small import process, small_item

with LocalCluster(1, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
    where = {"backend": "dask", "scheduler": cluster.scheduler_address}
    summary = run([small_item(rows=("a", "bb", "bad"))], Store(Path("out")), **where)
    apart = small_item(measure=process)
    run([apart], Store(Path("apart")), **where)
pids = {result["pid"] for result in Store(Path("apart")).results(apart).values()}
print(json.dumps([len(summary.measured), [why for _, why in summary.failed], os.getpid() in pids]))
"""


def test_cells_go_to_the_workers_of_a_cluster_and_results_come_back(tmp_path):
    pytest.importorskip("distributed")
    # In a Python of its own: the loop of a browser that other tests open is in dask's way.
    found = in_python(CLUSTER, cwd=tmp_path)
    assert json.loads(found) == [4, ["ValueError: no such thing"] * 2, False]
    store = Store(tmp_path / "out")
    assert store.results(small_item())["bb", "lcn"] == {"value": 4, "device": "auto"}
