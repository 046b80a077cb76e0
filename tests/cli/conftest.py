"""What tests of several commands share."""

import csv

import pytest

from lovasz.graphs.families import planted_partition


@pytest.fixture
def inputs(tmp_path):
    """A graph of two communities with names, a third of them labelled."""
    planted = planted_partition(60, 2, 0.5, 0.05, seed=0)
    names = [f"node {i}" for i in range(60)]
    with open(tmp_path / "graph.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["source", "target"])
        rows.writerows([names[i], names[j]] for i, j in zip(*planted.graph.edges(), strict=True))
    with open(tmp_path / "labels.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["node", "class"])
        rows.writerows([names[i], "ab"[planted.y[i]]] for i in range(0, 60, 3))
    with open(tmp_path / "features.csv", "w", newline="") as file:
        csv.writer(file).writerows([names[i], i, i % 7] for i in range(60))
    return planted
