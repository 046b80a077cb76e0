"""The walk of ``lovasz classify``: modules crossed, kernels built, labels encoded, features scaled.

    python benchmarks/walk.py                  # this checkout
    python benchmarks/walk.py --src ../old/src # another one

The command runs in this process on a small graph with features. A profile hook in every thread
counts the calls of functions by their names, whatever module defines them, so that checkouts with
different layouts can be compared. A module, or a template of a page, is crossed if a function or a
class body of it runs.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

COUNTED = {
    "as_graph calls": ("as_graph",),
    "label encodings": ("encode",),
    "feature checks": ("check_features",),
    "feature scalings": ("Scaling.of", "scale_features"),
}
"""What is counted -> the functions that do it; a checkout without the first has only the second."""
KERNELS = ("make_kernel", "kernel")
"""Functions that build a kernel by name; a checkout without the first has only the second."""


class Walk:
    """Counts calls of functions of lovasz, as a hook for :func:`sys.setprofile` in every thread."""

    def __init__(self, package: Path) -> None:
        self.package = str(package)
        self.modules: set[str] = set()
        self.calls: Counter[str] = Counter()
        self.kernels: dict[str, list[str]] = {name: [] for name in KERNELS}
        self._lock = threading.Lock()

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Count one event of the profiler."""
        file, name = frame.f_code.co_filename, frame.f_code.co_qualname
        if event != "call" or not file.startswith(self.package) or name == "<module>":
            return
        with self._lock:
            self.modules.add(file.removeprefix(self.package))
            self.calls[name] += 1
        if name in KERNELS and {"name", "options"} <= set(frame.f_code.co_varnames):
            here = frame.f_locals
            self.kernels[name].append(f"{here['name']} {sorted(here['options'].items())}")

    @property
    def built(self) -> list[str]:
        """The kernels that were built, by name and options."""
        return next((found for found in self.kernels.values() if found), [])

    def count(self, functions: tuple[str, ...]) -> int:
        """The calls of the first of these functions that was called."""
        return next((self.calls[name] for name in functions if self.calls[name]), 0)


def write_inputs(folder: Path) -> list[str]:
    """Write a graph of 90 nodes in three blocks, and return the command that labels it."""
    rng = np.random.default_rng(0)
    n, y = 90, np.arange(90) % 3
    edges = np.argwhere(np.triu(rng.random((n, n)) < np.where(y[:, None] == y, 0.2, 0.04), 1))
    features = np.eye(3)[y] + rng.standard_normal((n, 3))
    files = {
        "graph.csv": ["source,target", *(f"n{i},n{j}" for i, j in edges)],
        "labels.csv": ["node,class", *(f"n{i},c{y[i]}" for i in range(0, n, 2))],
        "features.csv": [
            "node,a,b,c",
            *(f"n{i}," + ",".join(f"{x:.4f}" for x in row) for i, row in enumerate(features)),
        ],
    }
    for name, lines in files.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    graph, labels, table = (str(folder / name) for name in files)
    out = str(folder / "out")
    options = ["--epochs", "5", "--splits", "2", "--device", "cpu"]
    return ["classify", graph, "--labels", labels, "--features", table, "--out", out, *options]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--src", type=Path, help="the src folder of another checkout")
    options = parser.parse_args()
    if options.src:
        sys.path.insert(0, str(options.src.resolve()))
    import lovasz
    from lovasz.cli import app

    walk = Walk(Path(lovasz.__file__).parent)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        command = write_inputs(Path(folder))
        threading.setprofile(walk)  # of threads that are started from here on
        sys.setprofile(walk)
        try:
            app(command, standalone_mode=False)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
    rooms = Counter(module.lstrip("/").partition("/")[0] for module in walk.modules)
    listed = ", ".join(f"{room} {count}" for room, count in rooms.most_common())
    print(f"modules of lovasz crossed {len(walk.modules):4}: {listed}")
    print(f"kernels built             {len(walk.built):4}, {len(set(walk.built))} distinct")
    for words, functions in COUNTED.items():
        print(f"{words:<26}{walk.count(functions):4}")


if __name__ == "__main__":
    main()
