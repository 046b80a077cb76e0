"""What all commands share: exit codes, one-line errors, lazy imports."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import lovasz

CLASSIFY = ("classify", "graph.csv", "--labels", "labels.csv", "--epochs", "30")


def test_version_and_help(run):
    assert run("--version")[1].strip() == f"lovasz {lovasz.__version__}"
    code, out, _ = run("classify", "--help")
    assert code == 0 and "--labels" in out


BAD = {
    "missing graph": (("classify", "nowhere.csv", "--labels", "labels.csv"), "nowhere.csv"),
    "missing labels": (("classify", "graph.csv", "--labels", "nowhere.csv"), "nowhere.csv"),
    "empty graph": (("classify", "empty.csv", "--labels", "labels.csv"), "empty.csv"),
    "empty labels": (("classify", "graph.csv", "--labels", "empty.csv"), "empty.csv"),
    "malformed line": (("classify", "broken.csv", "--labels", "labels.csv"), "broken.csv line 3"),
    "unknown nodes": (("classify", "graph.csv", "--labels", "strangers.csv"), "2 labelled nodes"),
    "one class": (("classify", "graph.csv", "--labels", "single.csv"), "single.csv: all 2 labels"),
    "no labels": (("classify", "graph.csv", "--labels", "none.csv"), "none.csv"),
    "feature rows": ((*CLASSIFY, "--features", "short.csv"), "short.csv"),
    "feature nan": ((*CLASSIFY, "--features", "nan.csv"), "nan.csv"),
    "weighted": (("classify", "weighted.csv", "--labels", "labels.csv"), "--weights keep|drop"),
    "directed": (("classify", "directed.gml", "--labels", "labels.csv"), "--symmetrize"),
    "not writable": ((*CLASSIFY, "--out", "graph.csv/results"), "graph.csv/results"),
    "kernel file": (("kernel", "graph.csv", "--out", "K.docx"), "K.docx"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_exit_1_and_nothing_written(run, inputs, tmp_path, case):
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "none.csv").write_text("node,class\nnode 1,\n")
    (tmp_path / "broken.csv").write_text("a,b\nb,c\nd\n")
    (tmp_path / "strangers.csv").write_text("node 0,a\nnode 1,b\nx,a\ny,b\n")
    (tmp_path / "single.csv").write_text("node 0,a\nnode 1,a\n")
    (tmp_path / "short.csv").write_text("node 0,1\n")
    (tmp_path / "nan.csv").write_text("".join(f"node {i},nan\n" for i in range(60)))
    (tmp_path / "weighted.csv").write_text("source,target,weight\na,b,0.5\n")
    (tmp_path / "directed.gml").write_text(
        "graph [ directed 1 node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]"
    )
    before = sorted(tmp_path.rglob("*"))
    words, expected = BAD[case]
    code, out, err = run(*words)
    assert code == 1
    assert err.startswith("lovasz: ") and err.count("\n") == 1, err
    assert expected in err
    assert out == ""
    assert sorted(tmp_path.rglob("*")) == before


WRONG = {
    "unknown kernel": ((*CLASSIFY, "--kernel", "lsx"), "unknown kernel 'lsx'; known: lovasz, ls"),
    "kernel of communities": (("communities", "graph.csv", "--kernel", "lsx"), "'lsx'"),
    "no value": ((*CLASSIFY, "-k", "ls", "--kernel-option", "weights"), "NAME=VALUE"),
    "option of a kernel": (("kernel", "graph.csv", "--kernel-option", "q=1"), "no option 'q'"),
    "unknown device": ((*CLASSIFY, "--device", "abacus"), "'abacus'"),
    "device of theta": (("theta", "graph.csv", "--device", "tpu"), "'tpu'"),
    "unknown data": (("data", "fetch", "atlantis"), "atlantis"),
    "unknown item": (("reproduce", "atlantis"), "atlantis"),
    "unknown solver": (("theta", "graph.csv", "--solver", "foo"), "unknown solver 'foo'"),
    "unknown variant": (("theta", "graph.csv", "--variant", "foo"), "unknown variant 'foo'"),
    "tol": (("theta", "graph.csv", "--tol", "5"), "tol=5.0 must be"),
    "tol of embed": (("embed", "graph.csv", "--tol", "5"), "tol=5.0 must be"),
    "time limit": (("theta", "graph.csv", "--time-limit", "nan"), "'--time-limit'"),
    "resume": (("theta", "graph.csv", "--resume"), "--resume needs --csv FILE"),
    "learning rate": (("train", "graph.csv", "--labels", "labels.csv", "--lr", "0"), "--lr 0"),
    "no number": (("theta", "graph.csv", "--tol", "abc"), "Invalid value for '--tol'"),
    "out of range": (("suggest", "graph.csv", "-k", "0"), "'-k'"),
    "missing option": (("classify", "graph.csv"), "Missing option '--labels'"),
    "missing argument": (("theta",), "Missing argument 'GRAPH...'"),
    "unknown option": (("theta", "graph.csv", "--nope"), "--nope"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_call_is_one_line_and_exits_2(run, inputs, tmp_path, case):
    before = sorted(tmp_path.rglob("*"))
    words, expected = WRONG[case]
    code, out, err = run(*words)
    assert code == 2 and out == ""
    assert err.startswith("lovasz: ") and err.count("\n") == 1, err
    assert expected in err and f"{words[0]}" in err and err.endswith("--help`\n")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_call_without_a_command_prints_the_help_and_exits_2(run):
    code, out, err = run()
    assert code == 2 and "classify" in out + err and "lovasz: " not in err


def test_importing_lovasz_loads_nothing_heavy():
    code = "import sys, lovasz; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": str(Path(lovasz.__file__).parents[1])},
    ).stdout.split()  # fmt: skip
    heavy = {"torch", "sklearn", "matplotlib", "scipy", "numpy", "networkx", "pandas", "rich"}
    assert not heavy & set(loaded)


def test_the_help_loads_nothing_heavy():
    code = """
import sys
import lovasz.cli
sys.argv[1:] = ["--help"]
try:
    lovasz.cli.main()
finally:
    print(*sys.modules)
"""
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": str(Path(lovasz.__file__).parents[1])},
    ).stdout.split()  # fmt: skip
    heavy = {"torch", "sklearn", "matplotlib", "scipy", "numpy", "networkx", "pandas"}
    assert "lovasz.cli.theta" in loaded and not heavy & set(loaded)


def test_a_misspelt_command_gets_a_suggestion(run):
    code, _, err = run("thet")
    assert code == 2 and "Did you mean 'theta'?" in err


def test_every_public_name_is_there():
    for name in lovasz.__all__:
        assert getattr(lovasz, name) is not None
    assert set(dir(lovasz)) == set(lovasz.__all__)
    with pytest.raises(AttributeError, match="no attribute 'thetta'"):
        _ = lovasz.thetta
