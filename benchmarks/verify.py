"""Saved proofs of ϑ: 200 are accepted, and the same ones with one number changed are refused.

    python benchmarks/verify.py [--sizes 10] [--large]

Twenty kinds of graphs in ten sizes are solved, saved and checked. Then each proof is damaged
twice. *Raw*: one bit of one number is flipped and the digest stays. *Sealed*: one number is
changed so that the proof claims or uses something false, and the digest is made to fit again, so
that the checker has to find it. One thread; seconds are CPU seconds, means over the sizes.
``--large`` adds graphs of 1,000 dense and 10,000 sparse nodes, which are damaged in the same way;
``--sizes 0`` leaves out the others.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

import lovasz
from instances import build, hamming, paley
from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph, as_graph
from lovasz.graphs.families import bipartite, caveman, gnp, planted_partition
from lovasz.verification import check_proof
from lovasz.verification.checker import CORE, SUM
from lovasz.verification.proof_file import digest

Arrays = dict[str, np.ndarray]
Case = tuple[Graph, dict[str, Any]]
PRIMES = (5, 13, 17, 29, 37, 41, 53, 61, 73, 89)
"""Orders of Paley graphs."""


def pentagons(k: int) -> Graph:
    """A random tree, k pentagons and a random graph, side by side."""
    parts = [nx.random_labeled_tree(10 * k + 10, seed=k), nx.gnp_random_graph(20, 0.3, seed=k)]
    return as_graph(nx.disjoint_union_all([*parts, *[nx.cycle_graph(5)] * (k + 1)]))


def joined(k: int) -> Graph:
    """The join of an odd cycle and a random graph."""
    apart = nx.disjoint_union(nx.cycle_graph(2 * k + 7), nx.gnp_random_graph(15 + k, 0.6, seed=k))
    return as_graph(nx.complement(apart))


def weighted(graph: Graph, k: int, *, whole: bool) -> Case:
    """The graph with weights between 1 and 9."""
    w = np.random.default_rng(k).uniform(1, 9, graph.n)
    return graph, {"weights": np.round(w) if whole else w}


KINDS: dict[str, Callable[[int], Case]] = {
    "G(n, ½)": lambda k: (gnp(15 + 12 * k, 0.5, seed=k), {}),
    "G(n, 0.1)": lambda k: (gnp(30 + 12 * k, 0.1, seed=k), {}),
    "sparse, degree 6": lambda k: (gnp(150 + 80 * k, 6 / (150 + 80 * k), seed=k), {}),
    "3-regular": lambda k: (as_graph(nx.random_regular_graph(3, 20 + 40 * k, seed=k)), {}),
    "trees": lambda k: (as_graph(nx.random_labeled_tree(20 + 100 * k, seed=k)), {}),
    "odd cycles": lambda k: (as_graph(nx.cycle_graph(2 * k + 7)), {}),
    "Paley": lambda k: (paley(PRIMES[k % len(PRIMES)]), {}),
    "Hamming": lambda k: (hamming(3 + k % 5, 1 + k % 3), {}),
    "caveman": lambda k: (caveman(5 + 2 * k, 6, seed=k).graph, {}),
    "two blocks": lambda k: (planted_partition(20 + 10 * k, 2, 0.7, 0.3, seed=k).graph, {}),
    "bipartite": lambda k: (bipartite(10 + 10 * k, 20 + 10 * k, seed=k).graph, {}),
    "Barabási–Albert": lambda k: (as_graph(nx.barabasi_albert_graph(40 + 15 * k, 3, seed=k)), {}),
    "geometric": lambda k: (as_graph(nx.random_geometric_graph(50 + 20 * k, 0.2, seed=k)), {}),
    "pentagons": lambda k: (pentagons(k), {}),
    "joins": lambda k: (joined(k), {}),
    "complement": lambda k: (gnp(20 + 8 * k, 0.7, seed=k), {"complement": True}),
    "real weights": lambda k: weighted(gnp(20 + 12 * k, 0.3, seed=k), k, whole=False),
    "integer weights": lambda k: weighted(
        gnp(20 + 60 * k, 8 / (20 + 60 * k), seed=k), k, whole=True
    ),
    "ϑ′": lambda k: (gnp(15 + 6 * k, 0.4, seed=k), {"variant": "schrijver"}),
    "ϑ⁺": lambda k: (gnp(15 + 6 * k, 0.4, seed=k), {"variant": "szegedy"}),
}
"""The kinds of graphs, each a function of a number from 0 on."""
LARGE: dict[str, Callable[[], Case]] = {
    "G(1000, ½)": lambda: (build("gnp-1000"), {"tol": 1e-5}),
    "1,000 nodes, degree 10": lambda: (gnp(1_000, 0.01, seed=1), {}),
    "10,000 nodes, degree 4": lambda: (gnp(10_000, 4e-4, seed=1), {"tol": 1e-5}),
    "10,000 nodes, degree 10": lambda: (gnp(10_000, 1e-3, seed=1), {"tol": 1e-5}),
    "10,000 nodes, 3-regular": lambda: (
        as_graph(nx.random_regular_graph(3, 10_000, seed=1)), {"tol": 1e-5}
    ),
    "100,000 nodes, a tree": lambda: (as_graph(nx.random_labeled_tree(100_000, seed=1)), {}),
}  # fmt: skip
"""The large graphs."""


def flip_bit(arrays: Arrays, rng: np.random.Generator) -> tuple[str, Arrays]:
    """Change one bit of one number, and keep the digest."""
    name = str(rng.choice([name for name in sorted(arrays) if arrays[name].size]))
    changed = arrays[name].copy()
    bits = changed.view(np.uint8)
    bits[int(rng.integers(bits.size))] ^= np.uint8(1 << int(rng.integers(8)))
    return name, arrays | {name: changed}


def put(arrays: Arrays, name: str, place: int, value: float) -> Arrays:
    """The arrays with one number changed, and with a digest that fits."""
    changed = arrays[name].copy()
    changed[place] = value
    others = {key: arrays[key] for key in arrays if key != "digest"} | {name: changed}
    return others | {"digest": digest(others)}


def falsify(arrays: Arrays, graph: Graph, rng: np.random.Generator) -> tuple[str, Arrays]:
    """Change one number so that the proof claims, or uses, something false."""
    low, high = arrays["claim"].tolist()
    ways = {
        "lower claim": ("claim", 0, high * (1 + 1e-6)),
        "upper claim": ("claim", 1, low * (1 - 1e-6)),
        "nodes": ("header", 1, graph.n + 1),
        "end of the tree": ("parent", len(arrays["parent"]) - 1, 0),
    }
    if (cores := np.flatnonzero(arrays["kind"] == CORE)).size:
        core = int(rng.choice(cores))
        ways["bound of a core"] = ("bound", core, arrays["bound"][core] * (1 - 1e-4))
    if arrays["value"].size:
        place, w = int(rng.integers(arrays["value"].size)), arrays["weights"]
        most = 2 * arrays["bound"].max() / (w.min() if w.size else 1.0)
        ways["entry of Y"] = ("value", place, most if arrays["header"][3] == 2 else -most)
    if arrays["vectors"].size:
        place = int(rng.integers(arrays["vectors"].size))
        ways["entry of V"] = ("vectors", place, 20 * np.abs(arrays["vectors"]).max())
    if arrays["kind"][-1] == SUM and len(arrays["kind"]) > 2:
        ways["sum"] = ("kind", len(arrays["kind"]) - 1, SUM + 1)
    if arrays["exact"].size:
        ways["exact value"] = ("exact", 0, str(int(arrays["exact"][0]) + 1))  # type: ignore[assignment]
    if arrays["weights"].size:
        place = int(rng.integers(graph.n))
        ways["weight"] = ("weights", place, arrays["weights"][place] * (1 + 1e-6))
    i, j = graph.edges() if not arrays["header"][4] else (np.zeros(0, int), np.zeros(0, int))
    part = arrays["part"]
    if (beside := np.flatnonzero((part[i] >= 0) & (part[j] < 0))).size:
        ways["part"] = ("part", int(j[rng.choice(beside)]), 0)
    r = arrays["representative"]
    if (lifted := np.flatnonzero(r != np.arange(graph.n))).size and i.size:
        node = int(rng.choice(lifted))
        away = np.setdiff1d(
            np.flatnonzero(r == np.arange(graph.n)), graph.adjacency[[node]].indices
        )
        if away.size:
            ways["representative"] = ("representative", node, int(rng.choice(away)))
    way = str(rng.choice(sorted(ways)))
    return way, put(arrays, *ways[way])


def refusal(graph: Graph, path: Path, arrays: Arrays, weights: Any) -> str | None:
    """Why the checker refuses the arrays, or None if it accepts them."""
    np.savez(path, **arrays)  # type: ignore[arg-type]
    try:
        check_proof(graph, path, weights=weights)
    except LovaszError as problem:
        return str(problem)
    return None


class Tally:
    """What happened to the proofs of one kind."""

    def __init__(self) -> None:
        self.accepted = self.raw = self.sealed = self.proofs = 0
        self.seconds, self.size, self.ways = np.zeros(3), 0, Counter[str]()

    def run(self, case: Case, path: Path, rng: np.random.Generator) -> None:
        """Solve, save, check, damage and check again."""
        graph, options = case
        clock = [time.process_time()]
        result = lovasz.theta(graph, device="cpu", **options)
        clock.append(time.process_time())
        result.save(path)
        clock.append(time.process_time())
        weights = options.get("weights")
        claim = check_proof(graph, path, weights=weights)
        clock.append(time.process_time())
        self.proofs += 1
        self.accepted += claim.lower <= result.lower <= result.upper <= claim.upper
        self.seconds += np.diff(clock)
        self.size += os.path.getsize(path)
        with np.load(path) as file:
            arrays = dict(file)
        bad = path.with_suffix(".bad.npz")
        self.raw += refusal(graph, bad, flip_bit(arrays, rng)[1], weights) is not None
        way, changed = falsify(arrays, graph, rng)
        self.ways[way] += 1
        refused = refusal(graph, bad, changed, weights)
        self.sealed += refused is not None and "changed after" not in refused
        if refused is None:
            print(f"ACCEPTED although {way} was changed")

    def line(self, name: str) -> str:
        """One row of the table."""
        solve, save, check = self.seconds / self.proofs
        counts = f"{self.proofs:>8}{self.accepted:>10}{self.raw:>6}{self.sealed:>8}"
        times = f"{solve:>10.3f}{save:>8.3f}{check:>8.3f}"
        return f"{name:<26}{counts}{times}{self.size / self.proofs / 1024:>10.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, default=10)
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    lovasz.theta(gnp(500, 0.012, seed=1), device="cpu")  # loads what is compiled
    rng = np.random.default_rng(0)
    print(f"{'':26}{'':8}{'':10}{'refused':>14}{'CPU s':>26}")
    print(
        f"{'kind':<26}{'proofs':>8}{'accepted':>10}{'raw':>6}{'sealed':>8}"
        f"{'solve':>10}{'save':>8}{'check':>8}{'KiB':>10}"
    )
    tallies: list[Tally] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "proof.npz"
        for name, make in KINDS.items() if options.sizes else ():
            tallies.append(Tally())
            for k in range(options.sizes):
                tallies[-1].run(make(k), path, rng)
            print(tallies[-1].line(name), flush=True)
        total = [
            sum(getattr(t, key) for t in tallies) for key in ("proofs", "accepted", "raw", "sealed")
        ]
        print(f"{'all':<26}{total[0]:>8}{total[1]:>10}{total[2]:>6}{total[3]:>8}\n")
        for name, case in LARGE.items() if options.large else ():
            tally = Tally()
            tally.run(case(), path, rng)
            print(tally.line(name), flush=True)
    ways = sum((t.ways for t in tallies), Counter())
    print("\nchanged and sealed: " + ", ".join(f"{k} {way}" for way, k in sorted(ways.items())))


if __name__ == "__main__":
    main()
