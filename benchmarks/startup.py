"""CPU seconds of a fresh process: what the command costs before and beside the mathematics.

    python benchmarks/startup.py
    python benchmarks/startup.py --src ../other/src --src src --repeat 5

prints one row per command and one column per source folder: the median over ``--repeat`` processes
of their user and system time, with warm caches. The last two rows are the first ϑ of an
installation, with an empty cache of compiled code. Processes of the folders take turns, so that a
busy machine is the same for all of them.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from itertools import combinations
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent / "src"
CYCLE = [(k, (k + 1) % 5) for k in range(5)]
"""The edges of a 5-cycle."""


def random_edges(n: int) -> list[tuple[int, int]]:
    """The edges of G(n, ½), always the same."""
    draw = random.Random(0)
    return [pair for pair in combinations(range(n), 2) if draw.random() < 0.5]


def cpu_seconds(words: list[str], src: str, cache: str | None = None) -> float:
    """User and system time of ``lovasz WORDS`` in a process of its own."""
    environment = os.environ | {"PYTHONPATH": src, "OMP_NUM_THREADS": "1"}
    environment["OPENBLAS_NUM_THREADS"] = "1"
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "lovasz", *words], env=environment, check=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--src", action="append", help="source folder; may be repeated")
    parser.add_argument("--repeat", type=int, default=5, help="processes per command and folder")
    options = parser.parse_args()
    folders = [str(Path(src).resolve()) for src in options.src or [HERE]]
    with tempfile.TemporaryDirectory() as folder:
        files = {"5-cycle": CYCLE, "G(20,½)": random_edges(20), "G(120,½)": random_edges(120)}
        for name, edges in files.items():
            Path(folder, f"{name}.csv").write_text("".join(f"{i},{j}\n" for i, j in edges))
        cycle, small, dense = (str(Path(folder, f"{name}.csv")) for name in files)
        commands = {
            "lovasz --help": ["--help"],
            "lovasz theta 5-cycle": ["theta", cycle],
            "lovasz theta G(120,½)": ["theta", dense],
            "lovasz color 5-cycle": ["color", cycle],
        }
        for src in folders:
            print(f"column: {src}")
        for name, words in commands.items():
            for src in folders:  # fill the caches
                cpu_seconds(words, src)
            times = [[cpu_seconds(words, src) for src in folders] for _ in range(options.repeat)]
            report(name, [statistics.median(column) for column in zip(*times, strict=True)])
        for graph in (cycle, small):
            first = []
            for src in folders:
                with tempfile.TemporaryDirectory() as cache:
                    first.append(cpu_seconds(["theta", graph], src, cache))
            report(f"theta {Path(graph).stem}, empty cache", first)


def report(name: str, seconds: list[float]) -> None:
    """Print a row."""
    print(f"{name:<28}" + "".join(f"{value:>9.2f}" for value in seconds), flush=True)


if __name__ == "__main__":
    main()
