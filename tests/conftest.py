"""What all tests share: the command, the markers, and Hypothesis without deadlines."""

import importlib.util
import itertools
import os
import shutil
import sys

import pytest
from hypothesis import settings
from tests.waiting import LONGEST

from lovasz import cli

# As the command does: threads of torch that spin while they wait make a busy machine crawl.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

# The first call of a compiled function takes seconds, which is no failure, and the folder of
# examples may be one that nobody can write to.
settings.register_profile("lovasz", deadline=None, database=None)
settings.load_profile("lovasz")

CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Skip a test whose marker names something that is not here."""
    for marker, reason in MISSING.items():
        if item.get_closest_marker(marker) and (why := reason()):
            pytest.skip(why)


def _no_data():
    return "LOVASZ_DATA" not in os.environ and "LOVASZ_DATA is unset: no data sets here"


def _no_browser():
    if CHROMIUM is None:
        return "no Chromium on PATH nor in $CHROMIUM"
    return importlib.util.find_spec("playwright") is None and "playwright is not installed"


def _no_gpu():
    import torch

    return not torch.cuda.is_available() and "no GPU here"


MISSING = {"data": _no_data, "browser": _no_browser, "gpu": _no_gpu}


@pytest.fixture(scope="module")
def browser():
    """A headless Chromium, for tests with the marker ``browser``."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        running = play.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu"],
            timeout=1000 * LONGEST,
        )
        running.new_context = _patient(running.new_context)
        running.new_page = _patient(running.new_page)
        yield running
        running.close()


def _patient(make):
    """What makes windows that wait longer than Playwright's 30 seconds for a busy machine."""

    def call(**options):
        made = make(**options)
        made.set_default_timeout(1000 * LONGEST)
        return made

    return call


@pytest.fixture
def ticking(monkeypatch):
    """A clock for time limits: every look at it takes a second."""
    monkeypatch.setattr("lovasz.base.deadline.monotonic", itertools.count().__next__)


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run ``lovasz …`` in an empty folder; returns (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["lovasz", *map(str, words)])
        try:
            cli.main()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        out = capsys.readouterr()
        return code, out.out, out.err

    return call
