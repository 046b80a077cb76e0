"""Peak memory of every reader over the size of its file, each in a process of its own.

python benchmarks/reader_memory.py [EDGES]
"""

from __future__ import annotations

import gzip
import multiprocessing
import sys
import tempfile
from pathlib import Path

import numpy as np

from lovasz import as_hypergraph, read_graph, write_graph
from lovasz.graphs import Graph
from lovasz.graphs.formats.hyperedges import read_hypergraph, write_hypergraph

EDGES = 100_000
"""Number of edges of the graph that is read."""

SUFFIXES = (
    ".csv", ".csv.gz", ".txt", ".col", ".gml", ".graphml", ".mtx", ".npz", ".pt", ".s6",
    ".hg", ".json",
)  # fmt: skip
"""The formats that are measured."""


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
