"""Calls in several processes: all are answered, and a death stays alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.waiting import wait_until

import lovasz
from lovasz.base.processes import call_apart


def square_unless_deadly(number):
    if number == 5:
        os._exit(1)
    return number**2


def test_every_call_is_answered_though_one_kills_its_process():
    found = dict(call_apart(square_unless_deadly, range(12), jobs=2))
    assert found == {n: None if n == 5 else n**2 for n in range(12)}


ORPHANS = """
import os, time
from lovasz.base.processes import call_apart

def name(_):
    os.write(1, b"%d\\n" % os.getpid())  # in one piece
    time.sleep(3600)

if __name__ == "__main__":
    for _ in call_apart(name, range(2), 2):
        pass
"""


def runs(pid):
    """Whether a process exists and is more than a note that nobody has taken."""
    try:
        return "\tZ" not in Path("/proc", str(pid), "status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks processes up in /proc")
def test_processes_end_when_their_parent_is_killed(tmp_path):
    script = tmp_path / "orphans.py"
    script.write_text(ORPHANS)
    environment = os.environ | {"PYTHONPATH": str(Path(lovasz.__file__).parents[1])}
    parent = subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, text=True, env=environment
    )
    workers = [int(parent.stdout.readline()) for _ in range(2)]
    parent.kill()
    parent.wait()
    wait_until(lambda: not any(runs(pid) for pid in workers))


@pytest.mark.parametrize("jobs", [0, -1, "two", 1.5, None])
def test_numbers_of_processes_are_whole(jobs):
    with pytest.raises(lovasz.LovaszError, match="jobs="):
        list(lovasz.theta_many([[(0, 1)]], jobs=jobs))


def test_a_process_whose_parent_is_gone_before_it_begins_ends_at_once():
    code = "from lovasz.base.processes import start_with; start_with(1); print('went on')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and done.stdout == "", done.stderr
