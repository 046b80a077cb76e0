"""Ctrl-C at random times of ``theta``, each in a forked child.

    python -m tests.fuzz.signals 120 --seed 0

The signal comes at a random time of a computation that was timed before. A finding is a signal
that escapes from ``theta`` as an exception, an interval that misses the one of the undisturbed
computation, or a child that does not end.
"""

import argparse
import faulthandler
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx

from lovasz.number import theta

SECONDS = 120
"""Wall-clock seconds after which a child counts as hanging."""
COLD = 3
"""Number of times that a computation which compiles first, for half a minute, is interrupted."""


class Work(NamedTuple):
    """One computation."""

    graph: Callable[[], Any]
    options: dict[str, Any]
    cold: bool = False
    """Whether compiled functions have to be compiled again."""


def _file() -> str:
    """The name of an edge list that takes a while to read."""
    path = Path(tempfile.gettempdir()) / f"signals-{os.getuid()}.csv"
    if not path.exists():
        graph = nx.gnm_random_graph(20_000, 60_000, seed=0)
        path.write_text("".join(f"{u},{v}\n" for u, v in graph.edges))
    return str(path)


WORK = {
    "pentagon": Work(lambda: nx.cycle_graph(5), {}),
    "many cores": Work(lambda: nx.disjoint_union_all([nx.cycle_graph(7)] * 60), {}),
    "interior point": Work(lambda: nx.gnp_random_graph(60, 0.3, seed=1), {"solver": "interior"}),
    "splitting": Work(lambda: nx.gnp_random_graph(150, 0.5, seed=1), {"solver": "splitting"}),
    "low rank": Work(lambda: nx.gnm_random_graph(1_000, 5_000, seed=1), {}),
    "reduction": Work(lambda: nx.gnm_random_graph(30_000, 45_000, seed=1), {"tol": 1e-3}),
    "file": Work(_file, {"time_limit": 1.0}),
    "complement": Work(lambda: nx.gnp_random_graph(40, 0.3, seed=2), {"complement": True}),
    "variant": Work(lambda: nx.gnp_random_graph(40, 0.4, seed=3), {"variant": "schrijver"}),
    "compilation": Work(lambda: nx.gnm_random_graph(8_000, 12_000, seed=1), {"tol": 1e-3}, True),
}
"""What is interrupted: all phases, with and without compiled functions."""


class Outcome(NamedTuple):
    """How a child ended."""

    kind: str
    """"interval", "late" (the signal came after the end), "escape", "miss" or "hang"."""
    detail: str
    lower: float = 0.0
    upper: float = 0.0
    seconds: float = 0.0


def run(name: str, delay: float | None) -> Outcome:
    """Compute in a child, with a signal after ``delay`` seconds, if that is not None."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        with tempfile.TemporaryDirectory() as folder:
            if WORK[name].cold:
                os.environ["NUMBA_CACHE_DIR"] = folder
            outcome = _compute(WORK[name], delay)
        os.write(writer, json.dumps(outcome).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return Outcome(*json.loads(said)) if said else Outcome("hang", "ended without an answer")


def _compute(work: Work, delay: float | None) -> Outcome:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    graph, result, started = work.graph(), None, time.monotonic()
    pressed = threading.Event()

    def press() -> None:
        time.sleep(delay or 0.0)
        os.kill(os.getpid(), signal.SIGINT)
        pressed.set()

    thread = threading.Thread(target=press, daemon=True)
    try:
        if delay is not None:
            thread.start()
        result = theta(graph, device="cpu", **work.options)
        seconds = time.monotonic() - started
        if delay is not None:
            pressed.wait()
            time.sleep(0.01)  # a signal that is on its way arrives here
    except BaseException as problem:
        frames = traceback.extract_tb(problem.__traceback__)
        inside = any(frame.filename.endswith("number/__init__.py") for frame in frames)
        if result is None and (inside or not isinstance(problem, KeyboardInterrupt)):
            return Outcome("escape", traceback.format_exc())
        if result is None:
            return Outcome("late", "the signal came before the start")
    late = delay is not None and not result.status.startswith("interrupted")
    kind = "late" if late else "interval"
    return Outcome(kind, result.status, result.lower, result.upper, seconds)


def main() -> int:
    """Interrupt as often as asked and print what happened; 1 if there are findings."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=WORK, help="one computation instead of all")
    options = parser.parse_args()
    findings = interrupt(
        options.count, options.seed, [options.only] if options.only else list(WORK)
    )
    return 1 if findings else 0


def interrupt(count: int, seed: int, names: list[str]) -> list[str]:
    """Send ``count`` signals, print a line per computation, and return the findings."""
    rng, findings = random.Random(seed), []
    calm = {name: run(name, None) for name in names}
    tally = {name: Counter[str]() for name in names}
    for number in range(count):
        name = names[number % len(names)]
        if WORK[name].cold and number >= COLD * len(names):
            name = rng.choice([other for other in names if not WORK[other].cold] or names)
        delay = rng.uniform(0, 0.95 * calm[name].seconds)
        outcome = run(name, delay)
        apart = outcome.lower > calm[name].upper or outcome.upper < calm[name].lower
        if outcome.kind == "interval" and apart:
            outcome = outcome._replace(kind="miss")
        tally[name][outcome.kind] += 1
        if outcome.kind not in ("interval", "late"):
            findings.append(f"{name}, signal after {delay:.4f} s: {outcome.kind}: {outcome.detail}")
            print(findings[-1], flush=True)
    for name in names:
        ends = ", ".join(f"{kind} {n}" for kind, n in sorted(tally[name].items()))
        print(f"{name:<16}{calm[name].seconds:8.2f} s undisturbed   {ends}")
    print(f"{count} signals, {len(findings)} findings")
    return findings


if __name__ == "__main__":
    sys.exit(main())
