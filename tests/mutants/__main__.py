"""Put the errors of the catalogue into a copy of the source one by one, and run their tests.

    python -m tests.mutants [TEXT ...]

TEXT selects the errors whose file or replaced text contains one of the words. An error that no
test notices has survived. The command fails if one has, if the tests fail without any error, or if
the text that an error replaces is no longer there.
"""

import importlib
import os
import resource
import shlex
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.mutants.catalogue import MUTANTS, Mutant

ENVIRONMENT = {"NUMBA_DISABLE_JIT": "1", "PYTHONDONTWRITEBYTECODE": "1"}
"""The environment of the children: changed sources must not be taken from a cache."""
LOADED = ("networkx", "numpy", "scipy.linalg", "scipy.sparse.csgraph", "typer")
"""Packages that every child has at once."""

ROOT = Path(__file__).parents[2]
"""The repository."""
COPIED = ("src", "tests", "pyproject.toml")
"""What the tests need."""
SECONDS = 100
"""CPU seconds after which tests that do not end count as failed."""


class Trial(NamedTuple):
    """What came of one error."""

    noticed: bool
    seconds: float


def main() -> int:
    """Try every error; returns 1 if one survives."""
    os.environ |= ENVIRONMENT
    for name in LOADED:
        importlib.import_module(name)
    wanted = sys.argv[1:] or [""]
    chosen = [m for m in MUTANTS if any(word in m.file or word in m.old for word in wanted)]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in COPIED:
            place = ROOT / name
            if place.is_dir():
                shutil.copytree(place, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(place, copy / name)
        failing = [k for k in dict.fromkeys(m.killer for m in chosen) if not passes(copy, k)]
        for killer in failing:
            print(f"fails without any error: {killer}", flush=True)
        tried = [try_out(copy, mutant) for mutant in chosen]
    summarise(chosen, tried)
    return 1 if failing or not all(trial.noticed for trial in tried) else 0


def summarise(chosen: list[Mutant], tried: list[Trial]) -> None:
    """Print one line per file, and one for all."""
    rows: dict[str, list[Trial]] = {}
    for mutant, trial in zip(chosen, tried, strict=True):
        rows.setdefault(mutant.file, []).append(trial)
    print(f"\n{'file':<44}{'errors':>8}{'noticed':>9}{'seconds':>9}")
    for file, trials in [*rows.items(), ("all", tried)]:
        noticed, seconds = sum(t.noticed for t in trials), sum(t.seconds for t in trials)
        print(f"{file:<44}{len(trials):>8}{noticed:>9}{seconds:>9.0f}")


def try_out(copy: Path, mutant: Mutant) -> Trial:
    """Print whether an error is noticed, and return it."""
    path, started = copy / "src" / "lovasz" / mutant.file, time.monotonic()
    text = path.read_text(encoding="utf-8")
    if text.count(mutant.old) != 1:
        verdict = f"the text occurs {text.count(mutant.old)} times, not once"
    else:
        path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
        verdict = "survived" if passes(copy, mutant.killer) else "killed"
        path.write_text(text, encoding="utf-8")
    shown = " ".join(mutant.old.split())[:60]
    seconds = time.monotonic() - started
    print(f"{verdict:<9}{seconds:6.1f} s  {mutant.file}: {shown}", flush=True)
    return Trial(verdict == "killed", seconds)


def passes(copy: Path, killer: str) -> bool:
    """Return whether the tests pass, in a child that starts with the large packages loaded."""
    child = os.fork()
    if child == 0:
        code = 70
        try:
            code = int(_run_tests(copy, killer))
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status in (3, 4, 5, 70):  # nothing was run; an interrupt, which is 2, is noticed, too
        raise SystemExit(f"pytest cannot run {killer}:\n{(copy / 'log.txt').read_text()[-3000:]}")
    return status == 0


def _run_tests(copy: Path, killer: str) -> int:
    """Run pytest on the copy; compiled functions are run as they are written."""
    log = os.open(copy / "log.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    os.chdir(copy)
    os.environ["PYTHONPATH"] = str(copy / "src")
    sys.path[:0] = [str(copy / "src"), str(copy)]
    for name in [name for name in sys.modules if name.partition(".")[0] in ("tests", "lovasz")]:
        del sys.modules[name]
    words = ["-x", "-q", "-n", "0", "-p", "no:randomly", "-p", "no:cacheprovider"]
    return pytest.main([*words, "--hypothesis-seed=0", *shlex.split(killer)])


if __name__ == "__main__":
    sys.exit(main())
