"""Which nodes to label: ``lovasz.suggest`` and ``clf.suggest`` beside what others do.

    LOVASZ_DATA=… python benchmarks/suggest.py --results DIR [--resume] [--jobs 16] > suggest.txt

Every method chooses 1, 3, 5, 10 and 20 labels per class in total, freely among the classes. A GCN
(``benchmarks/selection.py`` has its settings) is then trained on all of them and tested on nodes
that cannot be chosen: the 1,000 of the public split of Cora, Citeseer and Pubmed, elsewhere 1,000,
or a third of the graph, that are drawn with the seed. A tenth of all nodes, also drawn with the
seed, cannot be chosen either, so that methods without chance differ from seed to seed. Cells are
the mean accuracy in percent over the seeds, with the standard error. "suggest", "random", "degree",
"pagerank", "featprop" and "grain" see no label; "suggest in rounds", "uncertainty" and "age" train
the same GCN after every round. The best of a column has a star; a column where neither of ours is
the best or within one standard error of it is named below the table. ``--scale`` measures the
seconds of ``lovasz.suggest`` on a random graph of 10⁵ nodes instead.

One file per data set, method and seed is written to the results folder; ``--resume`` keeps those
that are there.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

import numpy as np

import lovasz
from lovasz.classify.features import check_features, scale_features
from lovasz.datasets import load
from lovasz.graphs.families import planted_partition
from selection import METHODS, OURS, Task

DATASETS = ("cora", "citeseer", "pubmed", "mnist", "blocks", "amazon-photo")
PER_CLASS = (1, 3, 5, 10, 20)
PUBLIC = ("cora", "citeseer", "pubmed")
TESTED = 1000
OFFERED = 0.9
IMAGES = 2000


def read(name: str, seed: int) -> Task:
    """Return a data set with the pool of a seed; the block model is drawn anew for each seed."""
    if name == "blocks":
        drawn = planted_partition(1000, 5, 0.06, 0.02, seed=seed)
        graph, features, y = drawn.graph, None, np.asarray(drawn.y)
    else:
        data = load(name, n=IMAGES, seed=seed) if name == "mnist" else load(name)
        graph, y = data.graph, np.asarray(data.y)
        features = scale_features(check_features(data.features, graph.nodes), "auto")
    known = np.random.default_rng(seed).permutation(np.flatnonzero(y >= 0))
    tested = known[: min(TESTED, graph.n // 3)]
    if name in PUBLIC:
        tested = np.asarray(data.splits["public"]["test"])
    pool = np.zeros(graph.n, dtype=bool)
    pool[known[: round(OFFERED * len(known))]] = True
    pool[tested] = False
    return Task(graph, features, y, pool, tested, seed, int(y.max()) + 1)


def measure(name: str, method: str, seed: int, folder: Path, resume: bool) -> None:
    """Run one method on one data set with one seed, and write what came out."""
    import torch

    file = folder / f"{name}--{method.replace(' ', '-')}--{seed}.json"
    if resume and file.exists():
        return
    torch.set_num_threads(1)
    task = read(name, seed)
    budgets = [task.classes * count for count in PER_CLASS]
    start, cpu = time.perf_counter(), time.process_time()
    chosen = METHODS[method](task, budgets)
    chose, chose_cpu = time.perf_counter() - start, time.process_time() - cpu
    found = {
        "dataset": name, "method": method, "seed": seed, "per_class": PER_CLASS,
        "accuracy": task.accuracies(chosen),
        "classes_found": [len(np.unique(task.y[rows])) for rows in chosen],
        "seconds": chose, "cpu_seconds": chose_cpu, "trainings": task.trainings,
        "cpu_seconds_in_all": time.process_time() - cpu,
    }  # fmt: skip
    partial = file.with_suffix(".part")
    partial.write_text(json.dumps(found))
    os.replace(partial, file)


def show(folder: Path, datasets: list[str], methods: list[str]) -> None:
    """Print one table per data set, and where ours is not first or within a standard error."""
    files = [json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))]
    behind = []
    for name in datasets:
        rows = {
            method: np.array(
                [100 * np.array(f["accuracy"]) for f in files
                 if f["dataset"] == name and f["method"] == method]
            )
            for method in methods
        }  # fmt: skip
        rows = {method: values for method, values in rows.items() if len(values)}
        if not rows:
            continue
        means = {method: values.mean(axis=0) for method, values in rows.items()}
        errors = {
            method: values.std(axis=0, ddof=min(1, len(values) - 1)) / np.sqrt(len(values))
            for method, values in rows.items()
        }
        top = np.max([*means.values()], axis=0)
        seeds = {len(values) for values in rows.values()}
        print(f"\n{name}, {'/'.join(map(str, sorted(seeds)))} seeds")
        print(f"{'labels per class':<20}" + "".join(f"{count:>14}" for count in PER_CLASS))
        for method in rows:
            cells = zip(means[method], errors[method], top, strict=True)
            text = [f"{m:.1f} ± {e:.1f}{'*' if m >= best else ' '}" for m, e, best in cells]
            print(f"{method:<20}" + "".join(f"{cell:>14}" for cell in text))
        behind += [
            f"{name} at {count} per class: {champion} {top[at]:.1f}, ours {ours:.1f}"
            for at, count in enumerate(PER_CLASS)
            for champion in [max(means, key=lambda m: means[m][at])]
            for ours in [max((means[m][at] for m in OURS if m in means), default=0.0)]
            if ours < top[at] - errors[champion][at]
        ]
    print("\nnot first nor within a standard error of the first:", "; ".join(behind) or "nowhere")
    spent = sum(f["cpu_seconds_in_all"] for f in files)
    print(f"{spent / 60:.1f} CPU minutes in {len(files)} files")


def show_scale() -> None:
    """Print the seconds of ``lovasz.suggest`` and of its calls on 10⁵ nodes."""
    rng = np.random.default_rng(0)
    n = 100_000
    graph = lovasz.Graph.from_edges(rng.integers(n, size=5 * n), rng.integers(n, size=5 * n), n=n)
    for features in (None, rng.standard_normal((n, 100)).astype(np.float32)):
        for k in (20, 100):
            start = time.perf_counter()
            lovasz.suggest(graph, k, features=features)
            what = "no features" if features is None else "100 features"
            print(f"{graph}, {what}, k={k}: {time.perf_counter() - start:.1f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", default=",".join(DATASETS))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", type=Path, default=Path("suggest-results"))
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--scale", action="store_true")
    parser.add_argument("--table", action="store_true", help="only print what is there")
    args = parser.parse_args()
    if args.scale:
        show_scale()
        return
    args.results.mkdir(parents=True, exist_ok=True)
    datasets, methods = args.datasets.split(","), args.methods.split(",")
    if not args.table:
        from joblib import Parallel, delayed

        # The slowest data set first, so that no core is left with a long job at the end.
        slow = sorted(datasets, key=lambda name: -("pubmed", "amazon-photo").count(name))
        Parallel(n_jobs=args.jobs, batch_size=1)(
            delayed(measure)(name, method, seed, args.results, args.resume)
            for name in slow for seed in range(args.seeds) for method in methods
        )  # fmt: skip
    show(args.results, datasets, methods)


if __name__ == "__main__":
    main()
