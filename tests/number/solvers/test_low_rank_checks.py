"""When the low-rank engine estimates its gap, and when it has stalled."""

from lovasz.number.solvers.low_rank_checks import LARGE, Checks


def test_estimates_come_when_the_gap_should_be_small_enough():
    checks = Checks(1_000)
    assert not checks.add(12, 1e-2, 1e-6) and checks.due == 17
    assert not checks.add(17, 1e-5, 1e-6) and checks.due == 19  # a decade in less than 2 periods
    for periods in (25, 34, 46, 60):
        stalled = checks.add(periods, 1e-5, 1e-6)
    checks.forgive()
    assert stalled and checks.gaps == [1e-5]


def test_a_repair_is_known_for_the_periods_it_was_made_for():
    checks = Checks(1_000)
    assert not checks.judged(0)
    checks.add(12, 1e-3, 1e-5)
    assert checks.judged(12) and not checks.judged(13)
    assert checks.expected < 1e-3


def test_one_estimate_that_rises_does_not_delay_the_next():
    checks = Checks(1_000)
    for periods, gap in ((30, 1e-4), (40, 1e-5), (50, 1.1e-5)):
        checks.add(periods, gap, 1e-5)
    assert checks.due == 56


def test_a_tolerance_of_zero_is_waited_for():
    checks = Checks(1_000)
    for periods, gap in ((10, 1e-9), (20, 1e-15)):
        assert not checks.add(periods, gap, 0.0)
    assert checks.due == 28


def test_large_graphs_leave_room_for_the_test_of_the_upper_bound():
    small, large = Checks(1_000), Checks(LARGE)
    for checks in (small, large):
        for periods, gap in ((40, 1e-3), (80, 2e-4), (120, 3e-5)):
            checks.add(periods, gap, 1e-5)
    assert small.due == 145  # the gap falls by a factor of 33 in 80 periods
    assert large.due == 156  # when 0.6 times the tolerance should be reached
