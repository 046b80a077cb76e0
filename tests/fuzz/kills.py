"""Processes killed with -9: saves of models, and a reproduction with workers.

    python -m tests.fuzz.kills 300 --seed 0

A save is killed at a random time. A finding is a folder from which neither the old nor the new
model can be loaded, one that mixes both, or one that still holds temporary files after the next
save. A reproduction with two workers is killed at several times; a finding is a worker that is
alive ten seconds later, or one that never came.
"""

import argparse
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import networkx as nx
import numpy as np

from lovasz import LCNClassifier, LovaszError, as_graph

PATIENCE = 10.0
"""Seconds after which a worker whose parent was killed has to be gone."""
DELAYS = (0.0, 1.0, 4.0)
"""Seconds after which a reproduction is killed, counted from the start of its workers."""


def kill_saves(count: int, seed: int) -> Counter[str]:
    """Kill saves of one model over another and say what could be loaded afterwards."""
    rng, ends = random.Random(seed), Counter[str]()
    graph = as_graph(nx.karate_club_graph(), weights="drop")
    labels = {0: "left", 1: "left", 33: "right", 32: "right"}
    models = [
        LCNClassifier("ls", epochs=epochs, hidden=2, random_state=0).fit(graph, labels)
        for epochs in (2, 30)
    ]
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "model"
        models[0].save(folder)
        started = time.monotonic()
        models[0].save(folder)
        span = time.monotonic() - started
        for number in range(count):
            _kill_save(models[(number + 1) % 2], folder, rng.uniform(0, 1.2 * span))
            ends[_what_loads(folder, models)] += 1
            models[(number + 1) % 2].save(folder)
            left = {path.name for path in folder.iterdir()} - {"model.json", "arrays.npz"}
            ends["leftovers after the next save"] += bool(left)
    return +ends


def _kill_save(model: LCNClassifier, folder: Path, delay: float) -> None:
    child = os.fork()
    if child == 0:
        model.save(folder)
        os._exit(0)
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _what_loads(folder: Path, models: list[LCNClassifier]) -> str:
    try:
        found = LCNClassifier.load(folder).predict_proba()
    except LovaszError as error:
        return f"refused: {str(error).replace(str(folder), '…')}"
    same = [np.array_equal(found, model.predict_proba()) for model in models]
    return "one of the two models" if any(same) else "a mix"


def kill_reproductions() -> Counter[str]:
    """Kill ``lovasz reproduce`` with two workers and say whether they are gone soon."""
    ends: Counter[str] = Counter()
    for delay in DELAYS:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
            command = [sys.executable, "-m", "lovasz", "reproduce", "caveman", "--quick"]
            parent = subprocess.Popen(
                [*command, "--jobs", "2", "--out", home],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            while parent.poll() is None and len(_session(parent.pid)) < 3:
                time.sleep(0.1)
            time.sleep(delay)
            workers = _session(parent.pid) - {parent.pid}
            parent.kill()
            parent.wait()
            deadline = time.monotonic() + PATIENCE
            while (alive := _session(parent.pid)) and time.monotonic() < deadline:
                time.sleep(0.2)
            end = f"{len(alive)} alive" if alive or len(workers) < 2 else "all gone"
            ends[f"reproduction killed with {len(workers)} processes below it: {end}"] += 1
            for worker in alive:  # only what was started here
                os.kill(worker, signal.SIGKILL)
    return ends


def _session(leader: int) -> set[int]:
    """The processes of a session that run."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == leader and fields[0] != "Z":
            found.add(int(path.parent.name))
    return found


def main() -> int:
    """Kill from the command line; 1 if there are findings."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("count", type=int, help="number of saves")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    ends = kill_saves(options.count, options.seed)
    saves = sum(ends.values())
    ends += kill_reproductions()
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = sum(used.ru_utime + used.ru_stime for used in usage)
    print(f"{options.count} saves, {len(DELAYS)} reproductions, {seconds:.0f} CPU s")
    for end, times in sorted(ends.items()):
        print(f"{times:8} {end}")
    good = sum(n for end, n in ends.items() if end.endswith(("models", "gone")))
    findings = sum(ends.values()) - good
    print(f"{findings} findings")
    return 1 if findings or saves < options.count else 0


if __name__ == "__main__":
    sys.exit(main())
