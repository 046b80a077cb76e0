"""How much time is kept for the last certificate of low-rank sweeps."""

import numpy as np
from tests.number.solvers.test_low_rank import sparse_graph

from lovasz.number.solvers.contract import Referee
from lovasz.number.solvers.low_rank_clock import LAST_SHARE, Clock
from lovasz.number.solvers.low_rank_rows import HostRows


def test_a_smaller_gap_keeps_more_time_for_the_last_certificate():
    rows = HostRows(sparse_graph(3_000, 4), np.random.default_rng(0))
    clock = Clock(Referee(1e-6, left=lambda: 100.0), rows)
    needed = []
    for gap in (1e-3, 1e-5, 1e-12):
        clock.learn(1e-4, 64, gap)
        needed.append(clock.needed)
    assert needed[0] < needed[1] < needed[2] <= LAST_SHARE * 100
    clock.ends()
    clock.learn(1.0, 64, 1e-3)
    assert clock.needed == needed[2]  # it is shared out already
    assert not clock.hurried(1.0)
