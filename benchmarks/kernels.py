"""Which element of the optimal face learns best: LCN with identity features, a few labels.

    LOVASZ_DATA=… python benchmarks/kernels.py [--data ionosphere …] [--share 0.1] [--splits 10]

Every kernel gets the same splits, seeds and training code (the paper's: hidden 16, dropout 0.5,
200 epochs). ``--share`` of the nodes are for training and as many more for choosing the epoch; the
others are for testing.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import lovasz
from lovasz.classify.evaluation import train_and_choose
from lovasz.classify.splits import random_splits
from lovasz.datasets import load

KERNELS = {
    "lovasz central": ("lovasz", {"choice": "central"}),
    "lovasz lifted": ("lovasz", {"choice": "lifted"}),
    "lovasz near ls": ("lovasz", {"nearest": "ls"}),
    "ls": ("ls", {}),
    "gcn": ("gcn", {}),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="*", default=["ionosphere"])
    parser.add_argument("--share", type=float, default=0.1, help="nodes to learn from")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(
        f"{100 * options.share:g} % to learn from, {options.splits} splits, seed {options.seed}\n"
    )
    print(f"{'data':14}{'kernel':18}{'accuracy':>10}{'spread':>8}{'kernel s':>10}")
    for name in options.data:
        for kernel, mean, spread, seconds in scores(
            name, options.share, options.splits, options.seed
        ):
            print(f"{name:14}{kernel:18}{mean:10.1f}{spread:8.1f}{seconds:10.1f}", flush=True)


def scores(
    name: str, share: float, count: int, seed: int, chosen: tuple[str, ...] = tuple(KERNELS)
) -> list[tuple[str, float, float, float]]:
    """(kernel, mean and standard deviation of the accuracy in percent, seconds for K) each."""
    data = load(name)
    splits = random_splits(data.y, (share, share, 1 - 2 * share), count, seed=seed)
    rows = []
    for label in chosen:
        kind, settings = KERNELS[label]
        if settings.get("nearest") == "ls":
            settings = {"nearest": lovasz.kernel(data.graph, "ls")}
        start = time.perf_counter()
        K = lovasz.kernel(data.graph, kind, **settings)
        seconds = time.perf_counter() - start
        accuracy = 100 * train_and_choose({label: K}, data.y, splits, seed=seed).accuracy(
            data.y, splits
        )
        rows.append((label, float(np.mean(accuracy)), float(np.std(accuracy)), seconds))
    return rows


if __name__ == "__main__":
    main()
