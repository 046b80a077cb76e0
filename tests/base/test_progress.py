"""Progress: for those who watch, and only where there is something to wait for."""

import io
import sys
import time

import pytest
from tests.waiting import LONGEST, wait_until

from lovasz.base import progress as module
from lovasz.base.progress import progress


class Screen(io.StringIO):
    def isatty(self):
        return True


def watch(monkeypatch, *, patience=0.0, term="xterm"):
    """A terminal for stderr. No fixture: pytest sets stderr anew between those and the test."""
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(module, "PATIENCE", patience)
    monkeypatch.setenv("TERM", term)
    monkeypatch.setenv("COLUMNS", "100")
    return screen


def wait_for(text, screen):
    wait_until(lambda: text in screen.getvalue())


@pytest.mark.parametrize("total", [None, 10])
def test_what_takes_long_is_shown_and_goes_away(monkeypatch, total):
    screen = watch(monkeypatch)
    with progress("[red].csv", total) as update:
        update(3, "in [1, 2]")
        wait_for("in [1, 2]", screen)
    text = screen.getvalue()
    assert "[red].csv" in text  # no markup
    assert ("30%" in text) == (total == 10)
    assert text.endswith("\x1b[2K")  # the line is cleared
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")  # the cursor is back


def test_what_is_quick_is_not_shown(monkeypatch):
    screen = watch(monkeypatch, patience=LONGEST)
    with progress("quick", 10) as update:
        update(5, "half")
    assert screen.getvalue() == ""


@pytest.mark.parametrize(("terminal", "term"), [(False, "xterm"), (True, "dumb")])
def test_a_pipe_and_a_terminal_without_a_cursor_stay_silent(monkeypatch, terminal, term):
    screen = watch(monkeypatch, term=term)
    monkeypatch.setattr(Screen, "isatty", lambda self: terminal)
    if not terminal:
        monkeypatch.setenv("FORCE_COLOR", "1")  # asks for colours, not for bars
    with progress("work", None) as update:
        update(1, "note")
        time.sleep(0.3)
    assert screen.getvalue() == ""


def test_an_error_ends_the_line(monkeypatch):
    screen = watch(monkeypatch)
    with pytest.raises(ZeroDivisionError), progress("work", None):
        wait_for("work", screen)
        _ = 1 / 0
    assert screen.getvalue().endswith("\x1b[2K")
