"""``lovasz doctor``: what it tells, and when it fails."""

import json
import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from math import sqrt
from pathlib import Path

import lovasz
from lovasz.base import device
from lovasz.base.extras import EXTRA_OF
from lovasz.cli import doctor


def test_it_tells_what_is_here(run):
    code, out, _ = run("doctor")
    assert code == 0
    for expected in ("lovasz    0.", "Python    3.", f"numpy {version('numpy')}", "[learn]   ",
                     "BLAS      ", "threads   ", "GPU       ", "data      ", "compiled  ",
                     "2.236067977"):  # fmt: skip
        assert expected in out


def test_json_has_the_same_facts(run):
    code, out, _ = run("doctor", "--json")
    facts = json.loads(out)
    assert code == 0 and facts["problems"] == []
    assert facts["lovasz"]["version"] == lovasz.__version__
    assert set(facts["extras"]) == set(EXTRA_OF.values())
    assert facts["theta"]["lower"] <= sqrt(5) <= facts["theta"]["upper"]
    assert facts["blas"][0]["num_threads"] >= 1 and facts["memory"]["free_gib"] > 0
    assert 0 < facts["data"]["here"] <= facts["data"]["known"]


def test_a_missing_extra_is_told_with_its_remedy_and_is_no_failure(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "igraph", None)
    code, out, err = run("doctor")
    assert code == 0 and err == ""
    assert 'scikit-learn missing: pip install "lovasz[learn]"' in out
    assert 'not installed: learn and igraph; pip install "lovasz[all]" adds everything' in out


def test_a_wrong_data_folder_is_a_failure(run, monkeypatch, tmp_path):
    monkeypatch.setenv("LOVASZ_DATA", str(tmp_path / "nowhere"))
    code, out, err = run("doctor")
    assert code == 1 and "ϑ         of the pentagon" in out
    assert err.startswith("lovasz: data: LOVASZ_DATA=") and err.count("\n") == 1


def test_an_interval_without_the_truth_is_a_failure(run, monkeypatch):
    monkeypatch.setattr(doctor, "PENTAGON", [(0, 1), (1, 2)])
    code, out, _ = run("doctor", "--json")
    assert code == 1 and "not in [2.0, 2.0]" in json.loads(out)["problems"][0]


def test_old_and_missing_packages_are_failures(run, monkeypatch):
    lines = ["numpy>=99.1", "scipy>=1.0", "atlantis>=1", "pandas>=99; extra == 'pandas'",
             "avalon; extra == 'all'"]  # fmt: skip
    monkeypatch.setattr(doctor, "requires", lambda name: lines)
    found = {"numpy": "2.13.0+local", "scipy": "1.0.0", "pandas": "3.0"}
    monkeypatch.setattr(doctor, "version", lambda name: _find(found, name))
    problems = json.loads(run("doctor", "--json")[1])["problems"]
    assert problems == [
        'numpy 2.13.0+local is too old; pip install "numpy>=99.1"',
        "atlantis is not installed; pip install atlantis",
        'pandas 3.0 is too old; pip install "pandas>=99"',
    ]


def _find(found, name):
    if name not in found:
        raise PackageNotFoundError(name)
    return found[name]


def test_a_driver_without_torch_is_told(run, monkeypatch):
    monkeypatch.setattr(device, "has_driver", lambda: True)
    monkeypatch.setitem(sys.modules, "torch", None)
    code, out, _ = run("doctor")
    assert code == 0
    assert 'there is a driver; torch is needed to use it: pip install "lovasz[learn]"' in out


def test_without_a_driver_torch_is_not_imported():
    code = """
import sys
from lovasz.base import device
device.has_driver = lambda: False
from lovasz.cli.doctor import examine
facts = examine()
assert facts["gpu"]["name"] is None and not {"torch", "sklearn", "matplotlib"} & set(sys.modules)
"""
    subprocess.run(
        [sys.executable, "-c", code], check=True,
        env=os.environ | {"PYTHONPATH": str(Path(lovasz.__file__).parents[1])},
    )  # fmt: skip
