"""A graph of a million nodes: the Luz–Schrijver kernel and five epochs of LCN, time and memory.

python benchmarks/scale.py [--nodes 1000000] [--degree 10]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from memory import mebibytes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--degree", type=float, default=10.0)
    options = parser.parse_args()

    import torch

    import lovasz
    from lovasz.graphs.families import planted_partition
    from lovasz.nn import Settings, train

    torch.set_num_threads(2)
    print(f"{'step':34}{'seconds':>9}{'MiB now':>9}{'MiB peak':>9}")
    clock = time.perf_counter()

    def report(step: str) -> None:
        nonlocal clock
        now = time.perf_counter()
        print(
            f"{step:34}{now - clock:9.1f}{mebibytes('VmRSS'):9.0f}{mebibytes('VmHWM'):9.0f}",
            flush=True,
        )
        clock = time.perf_counter()

    report("imports")
    n, blocks = options.nodes, 5
    # Three quarters of the edges fall inside the blocks.
    p, q = 0.75 * options.degree * blocks / n, 0.25 * options.degree * blocks / n / (blocks - 1)
    planted = planted_partition(n, blocks, p, q, seed=0)
    report(f"graph, {planted.graph.n:,} nodes, {planted.graph.m:,} edges")
    K = lovasz.kernel(planted.graph, "ls")
    report("LS kernel")
    order = np.random.default_rng(0).permutation(n)
    for share in (0.001, 0.2):
        size = int(share * n)
        split = (order[:size], order[size : size + size // 2])
        result = train(K, planted.y, [split], settings=Settings(epochs=5), device="cpu")
        report(f"LCN, 5 epochs, {size:,} labels")
        rest = order[size + size // 2 :]
        accuracy = (result.logits[0].argmax(1)[rest] == planted.y[rest]).mean()
        print(f"    test accuracy after five epochs {accuracy:.3f} (chance {1 / blocks:.3f})")


if __name__ == "__main__":
    main()
