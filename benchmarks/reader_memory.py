"""Peak memory of every reader over the size of its file, and what is refused.

    python benchmarks/reader_memory.py [EDGES]

Each file is read in a process of its own. The second table is about small files that ask for much:
they are read as if BUDGET bytes were free, so that it is the same on every machine.
"""

from __future__ import annotations

import gzip
import multiprocessing
import sys
import tempfile
from pathlib import Path

import numpy as np

from lovasz import as_hypergraph, read_graph, write_graph
from lovasz.base import memory
from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph, source
from lovasz.graphs.formats.hyperedges import read_hypergraph, write_hypergraph

EDGES = 100_000
"""Number of edges of the graph that is read."""

SUFFIXES = (
    ".csv", ".csv.gz", ".txt", ".col", ".gml", ".graphml", ".mtx", ".npz", ".pt", ".s6",
    ".hg", ".json",
)  # fmt: skip
"""The formats that are measured."""

BUDGET = 2**28
"""Number of bytes that are said to be free while the small files are read."""


def main() -> None:
    """Print one line per format."""
    m = int(sys.argv[1]) if len(sys.argv) > 1 else EDGES
    rng = np.random.default_rng(0)
    ends = rng.integers(0, m // 4, size=(2, m))
    graph = Graph.from_edges(*ends, n=m // 4)
    print(f"{'format':<10}{'MB unpacked':>12}{'MB peak':>9}{'peak per byte':>15}")
    with tempfile.TemporaryDirectory() as folder:
        for suffix in SUFFIXES:
            path = Path(folder) / f"graph{suffix}"
            if suffix in (".hg", ".json"):
                write_hypergraph(as_hypergraph(np.stack(graph.edges(), axis=1).tolist()), path)
            else:
                write_graph(graph, path)
            data = path.read_bytes()
            size = len(gzip.decompress(data)) if suffix.endswith(".gz") else len(data)
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                peak = pool.apply(_peak, (str(path),))
            print(f"{suffix:<10}{size / 1e6:>12.1f}{peak / 1e6:>9.0f}{peak / size:>15.1f}")
        print(f"\n{BUDGET / 2**20:.0f} MiB free\n{'file':<14}{'bytes':>11}{'MB peak':>9}  answer")
        for path in _write_small(Path(folder)):
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                peak, answer = pool.apply(_refusal, (str(path),))
            print(f"{path.name:<14}{path.stat().st_size:>11,}{peak / 1e6:>9.0f}  {answer}")


def _write_small(folder: Path) -> list[Path]:
    """Write small files that ask for much."""
    zeros = b"0,1\n" * 2**20
    with gzip.open(folder / "lines.csv.gz", "wb") as file:
        for _ in range(1_000):
            file.write(zeros)
    entries = np.zeros(2**29, dtype=np.int8)
    np.savez_compressed(folder / "zeros.npz", data=entries, indices=entries, indptr=entries)
    digits = bytes(63 + (10**7 >> shift & 63) for shift in range(30, -1, -6))  # of graph6
    texts = {
        "nodes.s6": b":~~" + digits,
        "nodes.g6": b"~~" + digits,
        "nodes.col": b"p edge 100000000 1\ne 1 2\n",
        "nodes.mtx": b"%%MatrixMarket matrix coordinate pattern symmetric\n"
        b"100000000 100000000 1\n2 1\n",
    }
    for name, text in texts.items():
        (folder / name).write_bytes(text)
    return [folder / name for name in ("lines.csv.gz", "zeros.npz", *texts)]


def _refusal(path: str) -> tuple[float, str]:
    """Return the peak memory of an attempt to read a file, and what came of it."""
    read_graph(_tiny(Path(path)))
    memory.free_memory = source.free_memory = lambda: float(BUDGET)
    Path("/proc/self/clear_refs").write_text("5")
    before = _high_water()
    try:
        answer = f"read: {read_graph(path)}"
    except LovaszError as error:
        answer = str(error).replace(f"{Path(path).parent}/", "")
    return _high_water() - before, answer


def _tiny(path: Path) -> Path:
    """Write a graph of two nodes beside a file, in the same format."""
    tiny = path.with_name(f"tiny-{path.name}")
    write_graph(Graph.from_edges([0], [1]), tiny)
    return tiny


def _peak(path: str) -> float:
    """Return by how many bytes reading a file raises the memory of this process."""
    with tempfile.TemporaryDirectory() as folder:  # load what the reader needs
        suffix = "".join(Path(path).suffixes)
        small = Path(folder) / f"small{suffix}"
        if suffix in (".hg", ".json"):
            write_hypergraph(as_hypergraph([[0, 1, 2]]), small)
            read_hypergraph(small)
        else:
            write_graph(Graph.from_edges([0], [1]), small)
            read_graph(small)
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    before = _high_water()
    _ = read_hypergraph(path) if path.endswith((".hg", ".json")) else read_graph(path)
    return _high_water() - before


def _high_water() -> float:
    """Return the peak memory of this process in bytes, as Linux tells it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024.0 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    main()
