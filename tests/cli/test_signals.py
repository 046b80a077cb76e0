"""Ctrl-C at awkward times."""

import os
import signal
import subprocess
import sys
import threading

import pytest
from tests.waiting import LONGEST

from lovasz.cli.signals import Interrupted, interrupt

SLOW = """
import os, signal, time
os.kill(os.getpid(), signal.SIGINT)
time.sleep(0.2)
done = True
"""
"""A module during whose import Ctrl-C is pressed."""


def test_a_signal_inside_an_import_waits_for_its_end(tmp_path, monkeypatch):
    (tmp_path / "slow_to_import.py").write_text(SLOW)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = signal.signal(signal.SIGINT, interrupt)
    try:
        with pytest.raises(Interrupted):
            import slow_to_import

            threading.Event().wait(LONGEST)
        assert slow_to_import.done
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_signal_while_the_command_is_imported_is_one_line(tmp_path):
    (tmp_path / "typer.py").write_text(SLOW)
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run(
        [sys.executable, "-m", "lovasz", "--version"],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    said = "lovasz: interrupted; nothing was written\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)
