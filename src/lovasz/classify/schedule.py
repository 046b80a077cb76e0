"""The candidates are fitted side by side, one per core, and their progress is added up.

On a CPU every candidate computes with one thread, whatever the number of cores: sums are then made
in one order, and a fit has the same answers to the last bit on every machine of a kind. Threads
suffice, because torch, scipy and compiled functions let other threads work meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from threading import Event, Lock
from types import MappingProxyType
from typing import TYPE_CHECKING

from lovasz.base.device import count_cores, one_thread, pick_device
from lovasz.base.progress import Callback
from lovasz.classify.bench import Bench, Candidate, Fitted
from lovasz.classify.candidates import NetworkCandidate
from lovasz.classify.warm_start import warmed

if TYPE_CHECKING:
    from torch import Tensor

COSTS = {
    "gcn, ppr, consistent": 16.0,
    "ls normalized, learned": 8.0,
    "gcn, learned ppr": 8.0,
    "gcn": 2.0,
    "ls": 2.0,
    "ls normalized": 2.0,
    "ls hyperedges": 2.0,
    "perceptron": 2.0,
    "perceptron on surroundings": 2.0,
    "forest": 2.0,
    "blocks": 2.0,
    "blocks on features": 2.0,
    "blocks with features": 2.0,
}
"""About how long a candidate takes, relative to others; 1 for those that are not listed. The
costliest start first, and the progress counts them in proportion."""


class Abandoned(Exception):
    """Another candidate failed, or the user interrupted: nobody waits for this one any more."""


class Progress:
    """The progress of several candidates as one number of epochs."""

    def __init__(self, callback: Callback, names: Mapping[str, object], epochs: int) -> None:
        self.callback, self.epochs = callback, epochs
        self.done = dict.fromkeys(names, 0.0)
        self.lock = Lock()

    def report(self, name: str, epoch: int, note: str) -> None:
        """Tell that a candidate is at this epoch."""
        with self.lock:
            self.done[name] = cost(name) * epoch
            self.callback(round(sum(self.done.values())), f"{name}: {note}" if note else name)


def cost(name: str) -> float:
    """Return the relative cost of a candidate."""
    return COSTS.get(name, 1.0)


def total_epochs(names: Mapping[str, object], epochs: int) -> int:
    """Return what the progress counts up to: all epochs of all candidates, weighted by cost."""
    return round(sum(cost(name) * epochs for name in names))


def fit_candidates(
    bench: Bench,
    candidates: Mapping[str, Candidate],
    callback: Callback | None,
    start: Mapping[str, Sequence[Tensor]] = MappingProxyType({}),
) -> dict[str, Fitted]:
    """Fit all candidates on every part of the labels, and return what each answers.

    Networks in ``start`` go on from their weights, for fewer epochs.
    """
    progress = callback and Progress(callback, candidates, bench.settings.epochs)
    stop = Event()
    futures: dict[str, Future[Fitted]] = {}

    def fit(name: str, candidate: Candidate) -> Fitted:
        def watch(epoch: int, note: str) -> None:
            if stop.is_set():
                raise Abandoned
            if progress:
                progress.report(name, epoch, note)

        watch(0, "")
        prior = prior_of(candidate)
        done = {} if prior is None else {prior: futures[prior].result()}
        settings = warmed(bench.settings) if name in start else bench.settings
        own = replace(bench, done=done, settings=settings, start=start.get(name))
        found = candidate.fit(own, watch)
        watch(bench.settings.epochs, "done")
        return found

    training = any(isinstance(found, NetworkCandidate) for found in candidates.values())
    threads = thread_per_candidate(bench.device) if training else thread_per_core()
    with threads as cores:
        pool = ThreadPoolExecutor(cores, initializer=use_one_thread if training else None)
        try:
            for name in starting_order(candidates):
                futures[name] = pool.submit(fit, name, candidates[name])
            finished, _ = wait(futures.values(), return_when=FIRST_EXCEPTION)
            for future in finished:
                future.result()  # raises what the candidate raised
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
    return {name: futures[name].result() for name in candidates}


def prior_of(candidate: Candidate) -> str | None:
    """Return the name of the candidate that another builds on, if any."""
    prior: str | None = getattr(candidate, "prior", None)
    return prior


def starting_order(candidates: Mapping[str, Candidate]) -> list[str]:
    """Return the names, the costliest first, but none before one that it builds on.

    A candidate that waits for another then never keeps it from its core.
    """
    priors = {prior_of(candidate) for candidate in candidates.values()}

    def rank(name: str) -> tuple[bool, bool, float]:
        return prior_of(candidates[name]) is not None, name not in priors, -cost(name)

    return sorted(candidates, key=rank)


@contextmanager
def thread_per_core() -> Iterator[int]:
    """Yield the number of candidates without networks to fit at a time; torch is not imported."""
    with one_thread():
        yield count_cores()


@contextmanager
def thread_per_candidate(device: str) -> Iterator[int]:
    """Yield the number of candidates to fit at a time: one per thread that torch may use.

    On a GPU that is one, and torch keeps its threads.
    """
    if pick_device(device).type != "cpu":
        yield 1
        return
    import torch

    cores = torch.get_num_threads()
    try:
        with one_thread():
            yield cores
    finally:
        torch.set_num_threads(cores)  # workers have changed what new threads start with


def use_one_thread() -> None:
    """Let torch compute with one thread in this thread."""
    import torch

    torch.set_num_threads(1)
