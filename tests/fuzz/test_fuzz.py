"""A minute of mutated files; ``make fuzz N=100000`` goes on for hours."""

import os
import shutil
import sys

import pytest
from tests.fuzz.harness import CORPUS, TARGETS, Case, _folder, attack, attempt, cases

COUNT = int(os.environ.get("LOVASZ_FUZZ", "200"))
"""Number of mutated files; the seed is fixed, so that a failure can be repeated."""

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks and /proc")


@pytest.mark.slow
def test_no_mutated_file_crashes_hangs_or_raises_anything_but_one_line(tmp_path):
    ends = attack(COUNT, 2026, tmp_path)
    found = sorted(path.read_text() for path in tmp_path.glob("*/reason.txt"))
    assert not found, "\n".join(found)
    assert sum(ends.values()) == COUNT


@pytest.mark.parametrize("target", ["models", "proofs", "batches", "projects", "hypergraphs"])
def test_the_files_that_are_damaged_are_good_ones(target, tmp_path):
    """Damage to a file that is refused anyway would find nothing."""
    for source in sorted((CORPUS / _folder(target)).iterdir()):
        place = tmp_path / source.name
        shutil.copytree(source, place) if source.is_dir() else shutil.copy(source, place)
        TARGETS[target](place)


def test_the_same_seed_gives_the_same_cases():
    assert list(cases(20, 5)) == list(cases(20, 5)) != list(cases(20, 6))


@pytest.mark.parametrize(
    ("work", "kind"),
    [
        ("import ctypes; ctypes.string_at(0)", "crash"),
        ("while True: pass", "hang"),
        ("bytes(9 << 30)", "raw"),
        ("1 / 0", "raw"),
        ("raise LovaszError('two\\nlines')", "raw"),
        ("raise LovaszError('one line')", "refused"),
        ("pass", "read"),
    ],
)
def test_the_harness_notices(work, kind, monkeypatch):
    from tests.fuzz import harness

    monkeypatch.setattr(harness, "SECONDS", 0.3)
    monkeypatch.setitem(harness.TARGETS, "graphs", lambda path: exec(work, vars(harness).copy()))
    assert attempt(Case("graphs", "x.csv", {"x.csv": b""})).kind == kind
