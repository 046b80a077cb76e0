"""Candidates side by side: the same answers as one after the other, and an end if one fails."""

import threading

import numpy as np
import pytest
import torch
from tests.waiting import LONGEST

from lovasz import LCNClassifier
from lovasz.classify import schedule
from lovasz.classify.bench import Bench, Fitted
from lovasz.classify.candidates import CANDIDATES
from lovasz.classify.schedule import fit_candidates, starting_order, total_epochs
from lovasz.graphs.families import planted_partition
from lovasz.nn import Settings

BLOCKS = planted_partition(90, 2, 0.2, 0.05, seed=0)
FEW = {row: int(BLOCKS.y[row]) for row in range(0, 90, 3)}
X = np.random.default_rng(0).standard_normal((90, 3)).astype(np.float32)


class Stub:
    """A candidate that does what it is told."""

    def __init__(self, work, prior=None):
        self.work, self.prior = work, prior

    def fit(self, bench, callback):
        return self.work(bench, callback)


def bench(epochs=10):
    return Bench(None, None, Settings(epochs=epochs), 0, "cpu")


@pytest.fixture
def cores(monkeypatch):
    """Set the number of threads that torch may use, and of cores if there is no network."""
    before = torch.get_num_threads()

    def use(count):
        torch.set_num_threads(count)
        monkeypatch.setattr(schedule, "count_cores", lambda: count)

    yield use
    torch.set_num_threads(before)


def test_the_number_of_cores_changes_no_bit(cores):
    answers = []
    for count in (1, 2):
        cores(count)
        clf = LCNClassifier(epochs=4, random_state=0, device="cpu").fit(BLOCKS.graph, FEW, X)
        answers.append(clf.predict_proba())
        assert torch.get_num_threads() == count
    np.testing.assert_array_equal(*answers)


def test_candidates_work_side_by_side(cores):
    cores(2)
    meeting = threading.Barrier(2, timeout=LONGEST)  # one after the other would never pass it

    def meet(bench, callback):
        meeting.wait()
        return Fitted(np.zeros(1))

    assert list(fit_candidates(bench(), {"a": Stub(meet), "b": Stub(meet)}, None)) == ["a", "b"]


@pytest.mark.parametrize("count", [1, 2])
def test_one_builds_on_another(cores, count):
    cores(count)
    found = Fitted(np.ones(1))
    late = Stub(lambda bench, callback: bench.done["early"], prior="early")
    early = Stub(lambda bench, callback: found)
    assert fit_candidates(bench(), {"late": late, "early": early}, None)["late"] is found


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_a_failure_ends_the_others(cores, order):
    cores(2)
    started, abandoned = threading.Event(), threading.Event()

    def fail(bench, callback):
        started.wait(LONGEST)
        raise ValueError("broken")

    def endless(bench, callback):
        started.set()
        try:
            while True:
                callback(1, "")
        finally:
            abandoned.set()

    both = {"a": Stub(fail), "b": Stub(endless)}
    with pytest.raises(ValueError, match="broken"):
        fit_candidates(bench(), {name: both[name] for name in order}, None)
    assert abandoned.is_set()


def test_progress_is_in_proportion_to_cost(monkeypatch, cores):
    cores(1)
    monkeypatch.setattr(schedule, "COSTS", {"dear": 3.0})
    seen = []

    def stop_early(bench, callback):
        callback(2, "note")
        return Fitted(np.zeros(1))

    both = {"cheap": Stub(stop_early), "dear": Stub(stop_early)}
    fit_candidates(bench(), both, lambda done, note: seen.append((done, note)))
    assert seen[0] == (0, "dear") and (6, "dear: note") in seen and (32, "cheap: note") in seen
    assert seen[-1][0] == total_epochs(both, 10) == 40


def test_the_costliest_start_first_but_after_what_they_build_on():
    order = starting_order(CANDIDATES)
    assert order.index("similar rows") < order.index("blocks on features")
    assert order.index("gcn, ppr, consistent") < order.index("gcn") < order.index("linear")
    assert set(schedule.COSTS) <= set(CANDIDATES)
