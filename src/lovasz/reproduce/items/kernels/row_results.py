"""What ``auto`` and the single networks reach on a row, from the saved results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lovasz.reproduce.engine.cells import Results
from lovasz.reproduce.items.kernels.entrants import ENTRANTS
from lovasz.reproduce.items.kernels.rows import RUNS
from lovasz.reproduce.items.uci_mnist import MNIST


def runs_of(results: Results, row: str, name: str) -> list[float] | None:
    """Test accuracies, one per run, or None if the method was not run."""
    found = results.get((row, name))
    return found["test"] if found else None


def single_networks(results: Results, row: str) -> dict[str, list[float]]:
    """The test accuracies of all single networks that were run on a row."""
    return {name: runs for name in ENTRANTS if (runs := runs_of(results, row, name))}


def best_single(results: Results, row: str) -> str | None:
    """The single network with the highest mean test accuracy on a row."""
    found = single_networks(results, row)
    return max(found, key=lambda name: float(np.mean(found[name]))) if found else None


def on_shared_graphs(results: Results) -> Results:
    """The results, in which each row has only the graphs that all its networks were run on."""
    cells = {row: [c for (r, _), c in results.items() if r == row] for row in MNIST}
    runs = {row: min(len(c["test"]) for c in found) for row, found in cells.items() if found}
    return {
        (row, name): _cut(cell, runs[row]) if row in runs else cell
        for (row, name), cell in results.items()
    }


def _cut(cell: Any, runs: int) -> Any:
    """The first ``runs`` runs of a cell; its lists have one entry per run or per graph."""
    share = runs / len(cell["test"])
    return {
        key: value[: round(share * len(value))] if isinstance(value, list) else value
        for key, value in cell.items()
    }


def runs_by_graph(row: str, values: Sequence[float]) -> list[Sequence[float]]:
    """The runs of each graph of a row; all runs if the row is one graph."""
    step = RUNS if row in MNIST else len(values)
    return [values[k : k + step] for k in range(0, len(values), step)]


def standard_error(row: str, runs: Sequence[float]) -> float:
    """The standard error of the mean over the graphs of a row, or over the runs of one graph.

    The m runs on one of g graphs share that graph. If the means of graphs vary by τ² and runs on
    one graph by σ², the variance of the overall mean is τ²/g + σ²/(gm). This is 1/g times the
    variance of the mean of a graph, which the g means estimate for any τ. Treating the runs as
    independent would estimate (τ² + σ²)/(gm).
    """
    graphs = runs_by_graph(row, runs)
    values = [np.mean(g) for g in graphs] if len(graphs) > 1 else runs
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


def describe_deficit(row: str, auto: Sequence[float], others: Mapping[str, list[float]]) -> str:
    """By how much auto is behind the best of the others; "" if within one standard error."""
    top = max(others, key=lambda n: float(np.mean(others[n])))
    gap = float(np.mean(others[top]) - np.mean(auto))
    fine = gap <= max(standard_error(row, auto), standard_error(row, others[top]))
    return "" if fine else f"{row} by {gap:.1f} ({ENTRANTS[top].title})"
