"""Ten million nodes on one machine: LS kernel, K^l X in files, training by batches.

    python benchmarks/beyond_memory.py [--nodes 10000000] [--edges 50000000] [--features 64]

The graph is a planted partition into ten blocks with three quarters of the edges inside them.
Features are noise of variance 1 around the mean of the block, a vector of length ``--signal``. A
fifth of the nodes is for training (``--labels``), a hundredth for validation and another
hundredth for testing. Times are wall-clock times; "peak" is the largest resident set of the stage
(VmHWM), including files mapped at that time. The files take 4 (hops + 1) features nodes bytes and
are written to ``--folder``, by default a temporary one.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from memory import mebibytes, reset_peak

BLOCKS = 10


class Stages:
    """A line a stage: seconds, memory after it, memory at most."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.peaks: dict[str, float] = {}
        print(f"{'stage':46}{'seconds':>9}{'MiB now':>9}{'MiB peak':>9}")
        self.start()

    def start(self) -> None:
        reset_peak()
        self.clock = time.perf_counter()

    def done(self, stage: str) -> None:
        seconds, peak = time.perf_counter() - self.clock, mebibytes("VmHWM")
        name = stage.partition(":")[0]
        self.seconds[name], self.peaks[name] = seconds, peak
        print(f"{stage:46}{seconds:9.1f}{mebibytes('VmRSS'):9.0f}{peak:9.0f}", flush=True)
        self.start()


def draw_graph(n: int, m: int, rng: np.random.Generator):
    """About m edges, and the block of every node.

    Ends are drawn, not pairs, in 32 bits: leaner than ``planted_partition`` and without a loop.
    The few loops and repeats are dropped, so there are slightly fewer than m.
    """
    from lovasz.graphs import Graph

    size = n // BLOCKS
    source = rng.integers(BLOCKS * size, size=m, dtype=np.int32)
    target = source - source % size + rng.integers(size, size=m, dtype=np.int32)
    far = rng.random(m, dtype=np.float32) > 0.75
    target[far] = rng.integers(BLOCKS * size, size=int(far.sum()), dtype=np.int32)
    y = np.minimum(np.arange(n, dtype=np.int32) // size, BLOCKS - 1).astype(np.int8)
    return Graph.from_edges(source, target, n=n), y


def draw_features(path: Path, y: np.ndarray, d: int, signal: float, rng: np.random.Generator):
    """An .npy file of (n, d) float32, written block by block."""
    means = rng.standard_normal((BLOCKS, d), dtype=np.float32) * np.float32(signal / d**0.5)
    np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(len(y), d))
    step = 2**18
    for start in range(0, len(y), step):
        part = slice(start, start + step)
        noise = rng.standard_normal((len(y[part]), d), dtype=np.float32)
        np.load(path, mmap_mode="r+")[part] = noise + means[y[part]]
    return np.load(path, mmap_mode="r")


def run(options: argparse.Namespace, folder: Path) -> None:
    import torch

    import lovasz
    from lovasz.nn.large.decoupled import BY_BATCHES, train_decoupled, write_hops

    torch.set_num_threads(options.threads)
    stages, rng, memory = Stages(), np.random.default_rng(0), options.memory * 2**30
    graph, y = draw_graph(options.nodes, options.edges, rng)
    stages.done(f"graph: {graph.n:,} nodes, {graph.m:,} edges")
    X = draw_features(folder / "features.npy", y, options.features, options.signal, rng)
    stages.done(f"features: {X.shape[1]} a node, to a file")
    K = lovasz.kernel(graph, "ls", tol=1e-3).astype(np.float32)
    m = graph.m
    del graph
    stages.done("kernel: LS, its eigenvalue by Lanczos")
    hops = write_hops(K, X, options.hops, folder, memory=memory)
    (folder / "features.npy").unlink()
    del K, X
    stages.done(f"hops: K^l X, l = 0 to {options.hops}, to files")
    train, rest = np.split(rng.permutation(options.nodes), [int(options.labels * options.nodes)])
    validation, test = np.split(rest[: options.nodes // 50], 2)
    del rest
    result = train_decoupled(
        hops,
        y,
        (train, validation),
        settings=replace(BY_BATCHES, epochs=options.epochs),
        memory=memory,
        device="cpu",
    )
    stages.done(f"training: {options.epochs} epochs on {len(train):,} nodes, and logits")
    for epoch, (loss, accuracy) in enumerate(
        zip(result.train_loss, result.validation_accuracy, strict=True), 1
    ):
        print(f"    epoch {epoch}: loss {loss:.4f}, validation accuracy {accuracy:.4f}")
    right = (result.predict(np.sort(test)) == y[np.sort(test)]).mean()
    print(f"    test accuracy {right:.4f} on {len(test):,} nodes (chance {1 / BLOCKS:.2f})")
    files = sum(path.stat().st_size for path in folder.iterdir()) / 2**30
    print(f"files {files:.1f} GiB; largest peak {max(stages.peaks.values()) / 1024:.2f} GiB")
    project(stages, options, m)


def project(stages: Stages, options: argparse.Namespace, m: int, target: float = 1e9) -> None:
    """Bytes and time at ``target`` edges and as many nodes an edge, linear from this run.

    Z = 2m + n entries of K. Lanczos may need more products on a larger graph, and files that no
    longer fit in the page cache are read at the speed of the disk, which is not in this.
    """
    n, d, hops = options.nodes * target / m, options.features, options.hops
    Z, growth = 2 * target + n, target / m
    print(f"\nprojection to {target:.0e} edges, {n:.1e} nodes, {d} features, {hops} hops")
    for what, value, unit in (
        ("K: 8 Z + 4 n bytes", (8 * Z + 4 * n) / 2**30, "GiB"),
        ("files: 4 n d (hops + 1) bytes", 4 * n * d * (hops + 1) / 2**30, "GiB"),
        ("peak, building the graph", stages.peaks["graph"] * growth / 1024, "GiB"),
        ("peak, kernel", stages.peaks["kernel"] * growth / 1024, "GiB"),
        ("graph", stages.seconds["graph"] * growth / 60, "min"),
        ("kernel", stages.seconds["kernel"] * growth / 60, "min"),
        ("hops", stages.seconds["hops"] * growth / 60, "min"),
        ("training", stages.seconds["training"] * growth / 60, "min"),
    ):
        print(f"    {what:34}{value:9.1f} {unit}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=10_000_000)
    parser.add_argument("--edges", type=int, default=50_000_000)
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--hops", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--labels", type=float, default=0.2, help="share of nodes to learn from")
    parser.add_argument("--signal", type=float, default=1.0)
    parser.add_argument("--memory", type=float, default=2.0, help="GiB of working arrays")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the files go; default: temporary")
    options = parser.parse_args()
    if options.folder is not None:
        options.folder.mkdir(parents=True, exist_ok=True)
        return run(options, options.folder)
    with tempfile.TemporaryDirectory() as folder:
        run(options, Path(folder))


if __name__ == "__main__":
    main()
