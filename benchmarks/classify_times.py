"""How long ``lovasz classify`` takes as a whole command, and how right it is.

    python benchmarks/classify_times.py
    python benchmarks/classify_times.py --only karate cora --before ../other/src --limit 600

prints one row per graph and mode (default and ``--fast``): wall seconds, CPU seconds (user and
system time of all threads) and the accuracy of ``predictions.csv`` on nodes without a given label,
the public test nodes for Cora and Pubmed. With ``--before`` the same commands run with another
source folder, beside this one. A command that takes longer than ``--limit`` is stopped. Karate has
8 labels, Cora and Pubmed have their features and the public labels, and the blocks are 200,000
nodes in 5 blocks with 1,000,000 edges, 90 % of them inside a block, and 1 % of the labels.
Cora and Pubmed are read from LOVASZ_DATA. The source is compiled to bytecode first, as pip does
when it installs a package. On a busy machine CPU seconds say more than wall seconds.
"""

from __future__ import annotations

import argparse
import compileall
import csv
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from lovasz.base.device import count_cores
from lovasz.datasets import load

HERE = Path(__file__).resolve().parent.parent / "src"
NODES, EDGES, BLOCKS, INSIDE = 200_000, 1_000_000, 5, 0.9
"""Size of the block graph, and the share of its edges inside a block."""
KNOWN = 0.01
"""Share of the nodes of the block graph whose label is given."""
KARATE_KNOWN = (0, 1, 2, 3, 30, 31, 32, 33)
"""The members of the karate club whose label is given."""


@dataclass(frozen=True)
class Case:
    """The files of one graph, and the classes to be found."""

    words: list[str]
    """The arguments of ``lovasz classify``."""
    y: np.ndarray
    test: np.ndarray
    """The nodes whose answers are scored."""


def write_labels(folder: Path, nodes: np.ndarray, y: np.ndarray) -> str:
    """Write the labels of some nodes, and return the name of the file."""
    path = folder / "labels.csv"
    path.write_text("node,class\n" + "".join(f"{v},class {y[v]}\n" for v in nodes))
    return str(path)


def write_edges(folder: Path, edges: np.ndarray) -> str:
    """Write an edge list, and return the name of the file."""
    path = folder / "graph.csv"
    np.savetxt(path, edges, fmt="%d", delimiter=",")
    return str(path)


def karate(folder: Path) -> Case:
    """Zachary's karate club with 8 labels."""
    data = load("karate")
    known = np.array(KARATE_KNOWN)
    edges = np.argwhere(np.triu(data.graph.adjacency.toarray()))
    words = [write_edges(folder, edges), "--labels", write_labels(folder, known, data.y)]
    return Case(words, data.y, np.setdiff1d(np.arange(len(data.y)), known))


def citation(name: str, folder: Path) -> Case:
    """A citation network with its features and the labels of the public split."""
    data = load(name)
    split = data.splits["public"]
    graph, features = folder / "graph.npz", folder / "features.npz"
    sparse.save_npz(graph, sparse.csr_array(data.graph.adjacency))
    sparse.save_npz(features, sparse.csr_array(data.features))
    labels = write_labels(folder, split["train"], data.y)
    words = [str(graph), "--labels", labels, "--features", str(features)]
    return Case(words, data.y, split["test"])


def blocks(folder: Path) -> Case:
    """A large block graph; nodes without an edge are in no file, and are not scored."""
    rng = np.random.default_rng(0)
    y = rng.integers(BLOCKS, size=NODES)
    members = [np.flatnonzero(y == block) for block in range(BLOCKS)]
    pairs: set[tuple[int, int]] = set()
    while len(pairs) < EDGES:
        heads = rng.integers(NODES, size=EDGES - len(pairs))
        tails = rng.integers(NODES, size=len(heads))
        for block in range(BLOCKS):
            inside = (y[heads] == block) & (rng.random(len(heads)) < INSIDE)
            tails[inside] = rng.choice(members[block], size=int(inside.sum()))
        ends = np.sort(np.column_stack([heads, tails]), axis=1)
        pairs.update(map(tuple, ends[ends[:, 0] < ends[:, 1]].tolist()))
    edges = np.array(sorted(pairs))
    touched = np.unique(edges)
    known = np.sort(rng.choice(touched, int(KNOWN * NODES), replace=False))
    words = [write_edges(folder, edges), "--labels", write_labels(folder, known, y)]
    return Case(words, y, np.setdiff1d(touched, known))


CASES: dict[str, Callable[[Path], Case]] = {
    "karate": karate,
    "cora": lambda folder: citation("cora", folder),
    "pubmed": lambda folder: citation("pubmed", folder),
    "blocks": blocks,
}
"""Name -> a function that writes the files."""


def measure(case: Case, src: str, out: Path, more: list[str], limit: float) -> str:
    """Run the command, and return its wall seconds, CPU seconds and accuracy as text."""
    command = [sys.executable, "-m", "lovasz", "classify", *case.words, "--out", str(out), *more]
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    try:
        subprocess.run(
            command,
            env=os.environ | {"PYTHONPATH": src},
            check=True,
            capture_output=True,
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        return f"did not finish in {limit:.0f} s"
    except subprocess.CalledProcessError:
        return "refused"
    wall, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"{wall:8.1f} {cpu:8.1f} {100 * accuracy(case, out):8.1f}"


def accuracy(case: Case, out: Path) -> float:
    """The share of the test nodes whose class in ``predictions.csv`` is right."""
    with open(out / "predictions.csv", newline="") as file:
        said = {int(row["node"]): row["class"] for row in csv.DictReader(file)}
    return float(np.mean([said[int(v)] == f"class {case.y[v]}" for v in case.test]))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=CASES, default=[*CASES], help="graphs to run")
    parser.add_argument("--before", help="source folder of another version")
    parser.add_argument("--limit", type=float, default=900, help="seconds that a command may take")
    options = parser.parse_args()
    sources = {"now": str(HERE)}
    if options.before:
        sources = {"before": str(Path(options.before).resolve()), **sources}
    for src in sources.values():
        compileall.compile_dir(src, quiet=1)
    load1 = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"{count_cores()} cores, load {load1:.1f} at the start")
    print(f"{'graph':<10}{'mode':<10}{'version':<8}{'wall s':>8} {'CPU s':>8} {'accuracy':>8}")
    for name in options.only:
        with tempfile.TemporaryDirectory() as folder:
            case = CASES[name](Path(folder))
            for mode, more in (("default", []), ("fast", ["--fast"])):
                for version, src in sources.items():
                    out = Path(folder, f"{version}-{mode}")
                    found = measure(case, src, out, more, options.limit)
                    print(f"{name:<10}{mode:<10}{version:<8}{found}", flush=True)


if __name__ == "__main__":
    main()
