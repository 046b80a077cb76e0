"""The walk of ``lovasz classify``: modules crossed, kernels built, labels encoded, features scaled.

    python benchmarks/walk.py                  # this checkout
    python benchmarks/walk.py --src ../old/src # another one

The command runs in this process on a small graph with features. A profile hook counts the calls of
functions by their names, whatever module defines them, so that checkouts with different layouts can
be compared. A module, or a template of a page, is crossed if a function or a class body of it runs.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

COUNTED = {
    "as_graph": "as_graph calls",
    "encode": "label encodings",
    "check_features": "feature checks",
    "scale_features": "feature scalings",
}
"""Function -> what a call of it counts as."""
KERNELS = ("make_kernel", "kernel")
"""Functions that build a kernel by name; a checkout without the first has only the second."""


class Walk:
    """Counts calls of functions of lovasz, as a hook for :func:`sys.setprofile`."""

    def __init__(self, package: Path) -> None:
        self.package = str(package)
        self.modules: set[str] = set()
        self.calls: Counter[str] = Counter()
        self.kernels: dict[str, list[str]] = {name: [] for name in KERNELS}

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Count one event of the profiler."""
        file, name = frame.f_code.co_filename, frame.f_code.co_name
        if event != "call" or not file.startswith(self.package) or name == "<module>":
            return
        self.modules.add(file.removeprefix(self.package))
        self.calls[name] += name in COUNTED
        if name in KERNELS and {"name", "options"} <= set(frame.f_code.co_varnames):
            here = frame.f_locals
            self.kernels[name].append(f"{here['name']} {sorted(here['options'].items())}")

    @property
    def built(self) -> list[str]:
        """The kernels that were built, by name and options."""
        return next((found for found in self.kernels.values() if found), [])


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
        sys.setprofile(walk)
        try:
            app(command, standalone_mode=False)
        finally:
            sys.setprofile(None)
    rooms = Counter(module.lstrip("/").partition("/")[0] for module in walk.modules)
    listed = ", ".join(f"{room} {count}" for room, count in rooms.most_common())
    print(f"modules of lovasz crossed {len(walk.modules):4}: {listed}")
    print(f"kernels built             {len(walk.built):4}, {len(set(walk.built))} distinct")
    for name, words in COUNTED.items():
        print(f"{words:<26}{walk.calls[name]:4}")


if __name__ == "__main__":
    main()
