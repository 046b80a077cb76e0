"""What each network, ``auto`` and the best baseline reach on a row, from the saved results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lovasz.reproduce.engine.cells import Results
from lovasz.reproduce.items.kernels.entrants import BASELINES, ENTRANTS
from lovasz.reproduce.items.kernels.rows import AUTO, BARE, RUNS
from lovasz.reproduce.items.uci_mnist import MNIST


def choose(results: Results, row: str, names: Sequence[str]) -> Mapping[str, Any] | None:
    """For each run, the network that is least surprised by the validation labels.

    The first of equals is chosen. None if one of the networks was not run.
    """
    found: list[Any] = [results.get((row, name)) for name in names]
    if not found or None in found:
        return None
    picked = np.array([f["surprise"] for f in found]).argmin(axis=0)
    keys = ("test", "raw_error", "error", "expected")
    return {key: [found[c][key][b] for b, c in enumerate(picked)] for key in keys} | {
        "name": [names[c] for c in picked],
        "train_seconds": sum(f["train_seconds"] for f in found),
    }


def result_of(results: Results, row: str, name: str) -> Any:
    """The result of a network, of "auto" or of "baseline" on a row, or None if it is missing."""
    if row in BARE:  # "auto" is a cell of its own there, and GCN is the only baseline
        return results.get((row, "gcn" if name == "baseline" else name))
    if name == "auto":
        return choose(results, row, AUTO)
    if name == "baseline":
        return choose(results, row, BASELINES)
    return results.get((row, name))


def runs_of(results: Results, row: str, name: str) -> list[float] | None:
    """Test accuracies, one per run, or None if the network was not run."""
    found = result_of(results, row, name)
    return found["test"] if found else None


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
