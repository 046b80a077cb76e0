"""Deadlines: what fits, what is left, and what was missed. The clock is one of ours."""

import math

import pytest

from lovasz.base.deadline import Deadline, check_time_limit, crowding
from lovasz.base.errors import LovaszError


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is set."""
    now = [100.0]
    monkeypatch.setattr("lovasz.base.deadline.monotonic", lambda: now[0])
    return now


def test_what_fits_before_the_end_is_allowed(clock):
    deadline = Deadline(10)
    assert deadline.limited and deadline.left() == 10
    clock[0] += 7
    assert deadline.allows() and deadline.allows(2.9) and not deadline.missed
    assert not deadline.allows(3) and deadline.missed


def test_the_end_itself_is_too_late(clock):
    deadline = Deadline(10)
    clock[0] += 10
    assert deadline.over() and deadline.missed
    assert Deadline(0).over()


def test_without_a_limit_everything_fits(clock):
    deadline = Deadline()
    assert deadline.left() == math.inf and not deadline.limited
    assert deadline.allows(1e300) and not deadline.share(0.5).over() and not deadline.missed


def test_a_share_ends_earlier_and_what_it_misses_is_missed(clock):
    deadline = Deadline(10)
    share = deadline.share(0.5).share(0.5)
    assert share.left() == 2.5
    clock[0] += 3
    assert share.over() and deadline.missed
    assert deadline.allows(6.9)


def test_on_a_busy_machine_less_work_fits(clock, monkeypatch):
    monkeypatch.setattr("os.getloadavg", lambda: (12.0, 1.0, 1.0), raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    assert crowding() == 3
    assert Deadline(10).fits(3.3) and not Deadline(10).fits(3.4)
    monkeypatch.setattr("os.getloadavg", lambda: (0.1, 1.0, 1.0), raising=False)
    assert crowding() == 1


@pytest.mark.parametrize("seconds", [-1, math.nan, "3", True, [1.0]])
def test_other_limits_are_refused(seconds):
    with pytest.raises(LovaszError, match="must be seconds, 0 or more"):
        check_time_limit(seconds)
