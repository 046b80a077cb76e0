"""A few signals at random times; ``make fuzz-signals N=120`` sends more to more computations."""

import sys

import pytest
from tests.fuzz.signals import interrupt

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks")


def test_ctrl_c_never_escapes_from_theta(capfd):
    assert interrupt(8, 5, ["many cores", "complement"]) == []
    assert "8 signals, 0 findings" in capfd.readouterr().out
