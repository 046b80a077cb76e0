"""Packages of extras: what works without them, and the one line if one is missing."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import lovasz
from lovasz.base.extras import (
    EXTRA_OF,
    INCLUDES,
    MissingPackage,
    distribution,
    install_command,
    needed_for,
    require,
)
from lovasz.cli.lazy import NAMES, NEEDS

ROOT = Path(__file__).parents[2]

# Hide the packages of all extras, run the code, then print what was imported after all.
HIDING = """
import importlib.abc, sys

class Blocker(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in HIDDEN:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

HIDDEN = set(sys.argv.pop(1).split(","))
sys.meta_path.insert(0, Blocker())
"""
# Run several commands in one process; print one JSON object for each.
COMMANDS = """
import contextlib, io, json
from lovasz import cli
for words in json.load(sys.stdin):
    sys.argv[1:] = words
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            cli.main()
        except SystemExit as end:
            code = end.code or 0
    print(json.dumps([code, out.getvalue(), err.getvalue()]))
"""


def hidden(code, words="", *, only=None, folder=None):
    """Run code with the packages of all extras hidden, or with those in ``only``."""
    done = subprocess.run(
        [sys.executable, "-c", HIDING + code, ",".join(only or EXTRA_OF)],
        input=words, capture_output=True, text=True, cwd=folder,
        env=os.environ | {"PYTHONPATH": str(Path(lovasz.__file__).parents[1])},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def files(tmp_path):
    (tmp_path / "graph.csv").write_text("a,b\nb,c\nc,d\nd,e\ne,a\n")
    (tmp_path / "labels.csv").write_text("a,red\nc,blue\n")
    return tmp_path


def test_theta_colours_and_kernels_need_no_extra(files):
    kernels = [
        ["kernel", "graph.csv", "-k", name] for name in ("lovasz", "ls", "gcn", "ppr", "node2vec")
    ]
    proof = [["theta", "graph.csv", "--certificate", "p.npz"], ["verify", "graph.csv", "p.npz"]]
    calls = [*proof, ["embed", "graph.csv"], ["color", "graph.csv"], *kernels]
    answers = hidden(COMMANDS, json.dumps(calls), folder=files).splitlines()
    for words, answer in zip(calls, map(json.loads, answers), strict=True):
        code, out, err = answer
        assert code == 0 and out and "Traceback" not in err, (words, err)
    assert "2.236067977" in json.loads(answers[0])[1]


def test_a_command_without_its_extra_fails_in_one_line_that_names_it(files):
    labels = ("--labels", "labels.csv")
    calls = {
        "demo": ["demo"], "classify": ["classify", "graph.csv", *labels],
        "suggest": ["suggest", "graph.csv", "-k", "2", *labels], "label": ["label", "graph.csv"],
        "train": ["train", "graph.csv", *labels], "communities": ["communities", "graph.csv"],
        "reproduce": ["reproduce", "caveman", "--quick"],
    }  # fmt: skip
    assert calls.keys() == {"suggest", *NEEDS} <= set(NAMES)
    others = {
        "pages": ["color", "graph.csv", "--out", "found"],
        "learn": ["theta", "graph.csv", "--device", "cuda"],
        "jobs": ["theta", "graph.csv", "--jobs", "2"],
    }
    before = sorted(files.rglob("*"))
    answers = hidden(
        COMMANDS, json.dumps([*calls.values(), *others.values()]), folder=files
    ).splitlines()
    extras = [*("app" if name == "label" else "learn" for name in calls), *others]
    for extra, answer in zip(extras, map(json.loads, answers), strict=True):
        code, out, err = answer
        assert code == 1 and out == "" and err.count("\n") == 1, err
        assert err.startswith("lovasz: ") and f'; pip install "lovasz[{extra}]"' in err, err
    assert sorted(files.rglob("*")) == before


def test_fast_answers_need_no_extra_but_the_pages(files):
    labels = ("--labels", "labels.csv", "--fast")
    calls = [
        ["suggest", "graph.csv", "-k", "2"],
        ["suggest", "graph.csv", "-k", "2", *labels],
        ["classify", "graph.csv", *labels, "--json"],
    ]
    only = [name for name, extra in EXTRA_OF.items() if extra != "pages"]
    answers = hidden(COMMANDS, json.dumps(calls), only=only, folder=files).splitlines()
    for words, answer in zip(calls, map(json.loads, answers), strict=True):
        code, out, err = answer
        assert code == 0 and out and "Traceback" not in err, (words, err)


FUNCTIONS = {
    "lovasz.LCNClassifier().fit(edges, {0: 0, 4: 1})": "learn",
    "lovasz.LCNClassifier('ls', fast=True).fit(edges, {0: 0, 4: 1})": "learn",
    "lovasz.KernelClassifier().fit(edges, {0: 0, 4: 1})": "learn",
    "lovasz.SPOREClassifier()": "learn",
    "lovasz.LovaszClustering()": "learn",
    "lovasz.communities(edges)": "learn",
    "next(lovasz.theta_many([graph, graph], jobs=2))": "jobs",
    "lovasz.write_graph(graph, 'graph.pt')": "learn",
    "lovasz.theta(graph, device='cuda')": "learn",
    "__import__('lovasz.nn').nn.train": "learn",
    "__import__('lovasz.baselines.gpnn')": "learn",
    "__import__('lovasz.pages.report')": "pages",
    "lovasz.coloring(edges).to_frame()": "pandas",
}


def test_a_function_without_its_extra_fails_in_one_line_that_names_it(tmp_path):
    code = """
import json
import lovasz
edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)]
graph = lovasz.as_graph(edges)
for call in json.load(sys.stdin):
    try:
        eval(call)
    except (ImportError, lovasz.LovaszError) as problem:
        print(json.dumps([isinstance(problem, ImportError), str(problem)]))
assert graph._repr_html_() is None
"""
    lines = hidden(code, json.dumps([*FUNCTIONS]), folder=tmp_path).splitlines()
    for call, line in zip(FUNCTIONS, map(json.loads, lines), strict=True):
        assert line[1].endswith(f'; pip install "lovasz[{FUNCTIONS[call]}]"'), (call, line)
        assert line[0] or call.startswith("lovasz.write_graph"), (call, line)


def test_pictures_of_notebooks_need_the_pages_only():
    code = "import lovasz; print(lovasz.theta([(0, 1), (1, 2), (2, 0)])._repr_html_())"
    others = [name for name, extra in EXTRA_OF.items() if extra != "pages"]
    assert "proven" in hidden(code, only=others)


def test_a_gpu_is_not_looked_for_without_torch():
    code = """
from lovasz.base import device
device.has_driver = lambda: True
print(device.pick_device_name("auto"))
"""
    assert hidden(code).strip() == "cpu"


def test_the_extras_are_those_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = project["optional-dependencies"]
    bringing = {name: [_name(line) for line in lines] for name, lines in declared.items()}
    carried = {"markupsafe": "jinja2", "dask": "distributed"}  # brought by another package
    for module, extra in EXTRA_OF.items():
        assert distribution(carried.get(module, module)) in bringing[extra]
    known = {distribution(module) for module in EXTRA_OF}
    for extra, names in bringing.items():
        if extra != "all":
            assert set(names) - {"lovasz"} <= known, extra
            assert _included(declared, extra) == INCLUDES.get(extra, set())
    assert _included(declared, "all") == set(EXTRA_OF.values())
    assert {_name(line) for line in project["dependencies"]} == {
        "networkx", "numba", "numpy", "rich", "scipy", "threadpoolctl", "typer",
    }  # fmt: skip


def _name(requirement):
    return re.match(r"[\w-]+", requirement).group()


def _included(declared, extra):
    found = set()
    for line in declared[extra]:
        for name in re.findall(r"^lovasz\[(.*)\]$", line):
            for one in name.split(","):
                found |= {one} | _included(declared, one)
    return found


def test_other_missing_modules_are_not_explained_away():
    with pytest.raises(ModuleNotFoundError, match="'atlantis'"), needed_for("an example"):
        import atlantis  # noqa: F401


def test_all_missing_packages_are_named(monkeypatch):
    for name in ("torch", "jinja2", "sklearn"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingPackage) as found:
        require("torch", "jinja2", "sklearn", what="it")
    assert str(found.value) == (
        'it needs torch, jinja2 and scikit-learn; pip install "lovasz[learn]"'
    )
    assert found.value.name == "torch" and isinstance(found.value, lovasz.LovaszError)
    assert install_command(["app", "learn"]) == 'pip install "lovasz[app]"'
