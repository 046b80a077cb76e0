"""Mixed beside single precision: milliseconds per epoch, and the effect on accuracy.

    python benchmarks/precision.py                                   # needs a GPU; LOVASZ_DATA
    python benchmarks/precision.py --device cpu --graphs dense --dense 300 --epochs 12 --runs 3

The network and the graphs of benchmarks/gpu.py, and kernels that are denser: MNIST, 2000 images of
ten digits, as in the paper's table; three Gaussian clouds in six dimensions, with the graph of the
UCI tables, which has half of all edges; both with identity features. Milliseconds are medians
after the first ten epochs, for one network and, per run, for all splits at once.

Accuracy is that of the other nodes (test) over all splits, each trained in both precisions with
the same seeds; "change" is mixed less single in points, the mean over the splits with its
standard error. Two trainings in single precision that differ in the seed differ too: "seeds" has
the same numbers for them, for comparison with the change.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import numpy as np
import torch

import lovasz
from gpu import HIDDEN, SKIP, Problem, load_problem
from lovasz.graphs.similarity import similarity_graph
from lovasz.nn import Settings, Training, train

PRECISIONS = ("single", "mixed")


def dense_problem(n: int, runs: int) -> Problem:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n)
    graph = similarity_graph(2.1 * np.eye(3, 6)[y] + rng.standard_normal((n, 6)), "rbf")
    K = lovasz.kernel(graph, "ls")
    return Problem(f"dense, n={n:,}", graph, K, None, y, random_splits(n, runs))


def mnist_problem(runs: int) -> Problem:
    from lovasz.datasets import load

    data = load("mnist", n=2000, classes=tuple(range(10)), seed=0)
    K = lovasz.kernel(data.graph, "ls")
    splits = random_splits(data.graph.n, runs)
    return Problem("mnist, n=2,000", data.graph, K, None, data.y, splits)


def random_splits(n: int, runs: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """A fifth to learn from, a tenth to choose by."""
    rng = np.random.default_rng(0)
    return [tuple(np.split(rng.permutation(n), [n // 5, 3 * n // 10])[:2]) for _ in range(runs)]


def problems(options: argparse.Namespace) -> list[Problem]:
    found = []
    for name in options.graphs:
        try:
            if name == "dense":
                found += [dense_problem(n, options.runs) for n in options.dense]
            elif name == "mnist":
                found.append(mnist_problem(options.runs))
            else:
                found.append(load_problem(name, options.nodes, options.runs))
        except lovasz.LovaszError as problem:
            print(f"{name} is left out: {problem}")
    return found


def run(
    problem: Problem, options: argparse.Namespace, precision: str, *, runs: int, seed: int = 0
) -> tuple[float, Training]:
    """Milliseconds per epoch and run, and the result."""
    ticks: list[float] = []
    trained = train(
        problem.K, problem.y, problem.splits[:runs], features=problem.features,
        classes=problem.classes, device=options.device,
        settings=Settings(hidden=HIDDEN, epochs=options.epochs, precision=precision),
        seeds=range(seed, seed + runs), callback=lambda *_: ticks.append(time.perf_counter()),
    )  # fmt: skip
    spent = np.diff(ticks).tolist()
    return 1e3 * statistics.median(spent[SKIP:] or spent) / runs, trained


def accuracies(problem: Problem, trained: Training) -> np.ndarray:
    """(runs,) of the nodes that were neither learned from nor chosen by, in per cent."""
    found = []
    for logits, split in zip(trained.logits, problem.splits, strict=False):
        test = np.ones(len(problem.y), dtype=bool)
        test[np.concatenate(split)] = False
        found.append(100 * float((logits[test].argmax(1) == problem.y[test]).mean()))
    return np.array(found)


def spread(difference: np.ndarray) -> str:
    error = difference.std(ddof=1) / len(difference) ** 0.5 if len(difference) > 1 else np.nan
    return f"{difference.mean():+8.2f} ± {error:.2f}"


def compare(problem: Problem, options: argparse.Namespace) -> str:
    times: dict[Any, float] = {}
    right = {}
    for precision in PRECISIONS:
        times[precision, 1], _ = run(problem, options, precision, runs=1)
        times[precision, "all"], trained = run(problem, options, precision, runs=options.runs)
        right[precision] = accuracies(problem, trained)
        del trained
    _, trained = run(problem, options, "single", runs=options.runs, seed=10_000)
    again = accuracies(problem, trained)
    cells = ""
    for runs in (1, "all"):
        single, mixed = (times[precision, runs] for precision in PRECISIONS)
        cells += f"{single:10.3f}{mixed:9.3f}{single / mixed:7.2f}"
    single, mixed = (right[precision] for precision in PRECISIONS)
    cells += f"{single.mean():10.2f}{mixed.mean():8.2f}{spread(mixed - single):>17}"
    return f"{problem.name:21}{cells}{spread(again - single):>17}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--graphs", nargs="*", default=["cora", "pubmed", "mnist", "dense", "sbm"])
    parser.add_argument("--nodes", type=int, default=10**6, help="of the sparse block model")
    parser.add_argument("--dense", type=int, nargs="*", default=[2000, 8000], help="nodes")
    parser.add_argument("--epochs", type=int, default=200)
    parser.add_argument("--runs", type=int, default=10, help="splits")
    options = parser.parse_args()
    on_gpu = options.device.startswith("cuda")
    if on_gpu and not torch.cuda.is_available():
        parser.error("no GPU here; use --device cpu, and --nodes and --dense to make it small")
    name = torch.cuda.get_device_name() if on_gpu else f"CPU, {torch.get_num_threads()} threads"
    given = problems(options)
    print(f"\n{name}, torch {torch.__version__}, {options.epochs} epochs, {options.runs} splits")
    print(f"\n{'':21}{'ms, one network':^26}{'ms a run, all at once':^26}{'test accuracy':>18}")
    heads = f"{'single':>10}{'mixed':>9}{'gain':>7}" * 2 + f"{'single':>10}{'mixed':>8}"
    print(f"{'graph':21}{heads}{'change':>17}{'seeds':>17}")
    for problem in given:
        print(compare(problem, options), flush=True)


if __name__ == "__main__":
    main()
