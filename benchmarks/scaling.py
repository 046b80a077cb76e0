"""How cost grows with nodes, edges, features and ranks: a table, docs/images/scaling.png.

    python benchmarks/scaling.py [--quick] [--out PNG] | tee benchmarks/scaling.txt

On random graphs with ten planted blocks (beyond_memory.py), one thread per process:

- epoch: an epoch of ``lovasz.nn.train`` on a fifth of the nodes, dense features, hidden 16,
- hop: K X to files with ``lovasz.nn.large.decoupled.write_hops``, less the copy of X itself,
- product: K x with one vector, of which the eigenvalue of the LS kernel takes some hundred,
- ranks: an epoch of ``lovasz.nn.large.distributed`` started by torchrun, K and X cut by rows.

Times are medians of ``--repeats``, or of the epochs after the first.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

from beyond_memory import draw_graph
from growth import STYLE, machine
from memory import mebibytes

HERE = Path(__file__).parent
NODES = [10_000, 30_000, 100_000, 300_000]
EDGES = [100_000, 300_000, 1_000_000, 3_000_000]
FEATURES = [8, 32, 128, 512]
RANKS = [1, 2, 4]
FIXED = {"n": 50_000, "m": 250_000, "d": 64}


def build(n: int, m: int, d: int):
    """Graph, kernel, classes, features, split. Values of K do not matter for time."""
    rng = np.random.default_rng(0)
    graph, y = draw_graph(n, m, rng)
    K = graph.adjacency * 0.1
    K = (K + _identity(n)).tocsr().astype(np.float32)
    X = rng.standard_normal((n, d), dtype=np.float32)
    train, validation, _ = np.split(rng.permutation(n), [n // 5, n // 5 + n // 50])
    return K, y.astype(np.int64), X, (train, validation)


def _identity(n: int):
    from scipy import sparse

    return sparse.eye_array(n, format="csr")


class Ticks:
    """A callback that remembers when it was called."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def __call__(self, *_) -> None:
        self.times.append(time.perf_counter())

    @property
    def typical(self) -> float:
        return median(np.diff(self.times))


def measure(n: int, m: int, d: int, repeats: int) -> dict[str, float]:
    """Seconds of an epoch, of a hop and of a product."""
    from lovasz.nn import Settings, train
    from lovasz.nn.large.decoupled import write_hops

    K, y, X, split = build(n, m, d)
    ticks = Ticks()
    settings = Settings(epochs=2 + repeats)
    train(K, y, [split], features=X, settings=settings, device="cpu", callback=ticks)
    hops, products = [], []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            marks = Ticks()
            write_hops(K, X, 1, folder, callback=marks)
            half = len(marks.times) // 2  # the calls of hop 0, then those of hop 1
            hops.append(marks.times[-1] - marks.times[half - 1])
        start, x = time.perf_counter(), np.ones(n)
        K @ x
        products.append(time.perf_counter() - start)
    return {
        "n": n, "m": K.nnz // 2 - n // 2, "d": d,
        "epoch": ticks.typical, "hop": median(hops), "product": median(products),
    }  # fmt: skip


def work(options: argparse.Namespace) -> None:
    """One rank: prints what it measured, rank 0 only."""
    from lovasz.nn import Settings
    from lovasz.nn.large.distributed import cut, leave, process_group, rank, ranks, train_shard
    from lovasz.nn.large.shards import ShardPhase

    with process_group("cpu") as place:
        K, y, X, split = build(**FIXED)
        shard = cut(K, X, y, split, ranks())[rank()]
        del K, X
        import torch

        placed = {"device": place, "dtype": torch.float32}
        phase = ShardPhase.of(shard, shard.split[0], 2, placed)
        # Rows that come from other ranks before the two products, forth and back.
        away = [sum(h.received) - h.received[rank()] for h in phase.halos]
        mib = 2 * 4 * (away[0] * 16 + away[1] * 10) / 2**20
        ticks = Ticks()
        settings = Settings(epochs=2 + options.repeats)
        train_shard(shard, classes=10, settings=settings, device=place, callback=ticks)
        if rank() == 0:
            facts = {
                "ranks": ranks(), "epoch": ticks.typical, "MiB": mib, "rows": len(shard.y),
                "entries": shard.K.nnz, "peak": mebibytes("VmHWM"),
            }  # fmt: skip
            print(json.dumps(facts), flush=True)
    leave()


def launch(count: int, repeats: int) -> dict[str, float]:
    """``count`` ranks on this machine."""
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable, "-m", "torch.distributed.run", f"--nproc-per-node={count}",
        f"--master-port={port}", __file__, "--worker", f"--repeats={repeats}",
    ]  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if run.returncode:
        sys.exit(run.stderr)
    return json.loads(next(line for line in run.stdout.splitlines() if line.startswith("{")))


def exponent(x: list[float], y: list[float]) -> float:
    """a of y ∝ x^a, least squares through the larger half."""
    half = max(2, len(x) // 2 + 1)
    return float(np.polyfit(np.log(x[-half:]), np.log(y[-half:]), 1)[0])


def draw(series: dict[str, list[dict[str, float]]], ranks: list[dict[str, float]], out: Path):
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from lovasz.pages.style import NEITHER, PALETTE, SHAPES

    with rc_context(STYLE):
        figure = Figure(figsize=(11, 3.4), layout="constrained")
        axes = figure.subplots(1, 4)
        for axis, (letter, rows) in zip(axes, series.items(), strict=False):
            x = [row[letter] for row in rows]
            for code, what in enumerate(("epoch", "hop", "product")):
                y = [row[what] for row in rows]
                axis.plot(
                    x, y, marker=SHAPES[code][0], color=PALETTE[code], markersize=4,
                    label=f"{what}: ∝ ${letter}^{{{exponent(x, y):.1f}}}$",
                )  # fmt: skip
            axis.set(xscale="log", yscale="log")
            axis.set_xlabel({"n": "nodes n, m = 5 n", "m": "edges m", "d": "features d"}[letter])
        x, y = [row["ranks"] for row in ranks], [row["epoch"] for row in ranks]
        axes[3].plot(x, y, marker="o", color=PALETTE[0], markersize=4, label="epoch")
        axes[3].set(xlabel=f"ranks, {os.cpu_count()} cores", xticks=x, ylim=(0, 1.5 * max(y)))
        for axis in axes:
            axis.grid(color=NEITHER, alpha=0.25, linewidth=0.6)
            low, high = axis.get_ylim()
            if axis is not axes[3]:
                axis.set_ylim(low, high * (high / low) ** 0.5)  # room for the legend
            axis.legend(loc="upper left", fontsize=8)
        axes[0].set_ylabel("seconds")
        figure.supxlabel(machine(), fontsize=8, color=NEITHER)
        figure.savefig(out, dpi=150, facecolor="white")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the three smallest of each")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--out", type=Path, default=HERE.parent / "docs/images/scaling.png")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    import torch

    torch.set_num_threads(1)
    if options.worker:
        return work(options)
    last = 3 if options.quick else None
    print(machine())
    print(f"{'n':>9}{'m':>9}{'d':>5}{'epoch s':>10}{'hop s':>10}{'product s':>11}")
    series: dict[str, list[dict[str, float]]] = {"n": [], "m": [], "d": []}
    plan = [("n", {"n": n, "m": 5 * n}) for n in NODES[:last]]
    plan += [("m", {"m": m}) for m in EDGES[:last]] + [("d", {"d": d}) for d in FEATURES[:last]]
    for letter, changed in plan:
        row = measure(**(FIXED | changed), repeats=options.repeats)
        series[letter].append(row)
        print(
            f"{row['n']:9}{row['m']:9}{row['d']:5}{row['epoch']:10.4f}{row['hop']:10.4f}"
            f"{row['product']:11.5f}", flush=True,
        )  # fmt: skip
    print(f"\n{'ranks':>6}{'epoch s':>10}{'rows':>8}{'entries':>10}{'MiB in':>8}{'MiB peak':>10}")
    ranks = [launch(count, options.repeats) for count in RANKS]
    for row in ranks:
        print(
            f"{row['ranks']:6}{row['epoch']:10.4f}{row['rows']:8}{row['entries']:10}"
            f"{row['MiB']:8.2f}{row['peak']:10.0f}"
        )
    print("rows and entries of K on rank 0; MiB it receives in an epoch's training step")
    draw(series, ranks, options.out)


if __name__ == "__main__":
    main()
