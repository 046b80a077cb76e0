"""Two runs of a table of ``lovasz reproduce`` beside each other: seconds, and accuracies.

    lovasz reproduce uci-mnist --device cuda --jobs 16 --out again
    python benchmarks/compare_runs.py uci-mnist results again

The table covers the cells that both folders hold. For each method it has their seconds, summed as
if they had run one after the other, the mean test accuracy of a reading, and its change: the mean
over cells with its standard error. Runs on different devices draw different dropout masks, and a
time limit may end the search for ϑ elsewhere, so single cells differ; the mean should not differ
by more than twice its error.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

READING = "70% identity"


def read(folder: Path, item: str) -> dict[str, dict[str, Any]]:
    """File name -> cell."""
    return {path.name: json.loads(path.read_text()) for path in (folder / item).glob("*.json")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("item")
    parser.add_argument("folders", nargs=2, type=Path)
    parser.add_argument("--reading", default=READING)
    options = parser.parse_args()
    first, second = (read(folder, options.item) for folder in options.folders)
    common = sorted(first.keys() & second.keys())
    print(f"{len(first)} and {len(second)} cells, {len(common)} in both; {options.reading}")
    print(f"{'method':12}{'cells':>6}{'seconds':>20}{'accuracy':>18}{'change':>16}")
    groups: dict[str, list[str]] = defaultdict(list)
    for name in common:
        groups[first[name]["method"]].append(name)
    for method, names in sorted(groups.items()):
        runs = [[run[name] for name in names] for run in (first, second)]
        seconds = [sum(cell["seconds"] for cell in cells) for cells in runs]
        accuracy = [
            np.array([np.mean(c["result"]["readings"][options.reading]["test"]) for c in cells])
            for cells in runs
        ]
        change = accuracy[1] - accuracy[0]
        error = change.std(ddof=1) / len(change) ** 0.5 if len(change) > 1 else np.nan
        times = "".join(f"{s:10.0f}" for s in seconds)
        means = "".join(f"{a.mean():9.2f}" for a in accuracy)
        print(f"{method:12}{len(names):6}{times}{means}{change.mean():+9.2f} ± {error:.2f}")


if __name__ == "__main__":
    main()
