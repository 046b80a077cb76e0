"""Reader of tables in LIBSVM's text format: a row is ``label index:value …``, indices from 1."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.datasets.dataset import Dataset
from lovasz.datasets.entry import Entry
from lovasz.graphs.similarity import similarity_graph
from lovasz.graphs.source import shorten


def read_libsvm(entry: Entry, contents: Mapping[str, bytes]) -> Dataset:
    """The table as it is in the file, and the graph of the LCN paper on its rows.

    That graph is ``similarity_graph(features, "rbf")``: an edge where exp(−‖x_i − x_j‖² / 2σ²) is
    above its mean, σ the mean distance. LCNClassifier(affinity="rbf") makes the same.

    Nothing is left out, as the paper took LIBSVM's files as they are. Column 0 of breast-cancer is
    the number of the sample, which measures nothing; ``features[:, 1:]`` are the usual nine. In
    diabetes a missing measurement is written as 0 before scaling, so it is not to be told apart.
    """
    ((path, content),) = contents.items()
    features, labels = parse(content, path, entry.features)
    y = np.unique(labels, return_inverse=True)[1]
    graph = similarity_graph(features, "rbf")
    return Dataset(entry.name, graph, features, y, entry.classes, {})


def parse(content: bytes, path: str, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """The (n, ``columns``) table, 0 where a line is silent, and the n labels."""
    lines = content.decode("utf-8", errors="replace").splitlines()
    rows = [(number, line.split()) for number, line in enumerate(lines, 1) if line.strip()]
    table, labels = np.zeros((len(rows), columns)), np.zeros(len(rows))
    for row, (number, (label, *cells)) in enumerate(rows):
        try:
            labels[row] = _label(label)
            _fill(table[row], cells)
        except LovaszError as error:
            raise LovaszError(f"{path} line {number}: {error}") from error
    return table, labels


def _label(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise LovaszError(f"{shorten(text)!r} is no label; begin with a number") from None


def _fill(row: np.ndarray, cells: list[str]) -> None:
    last = 0
    for cell in cells:
        try:
            index, value = cell.split(":")
            column, number = int(index), float(value)
        except ValueError:
            column, number = 0, 0.0
        if not last < column <= row.size or not isfinite(number):
            raise LovaszError(
                f"{shorten(cell)!r} is no index:value; write numbers, with indices that rise "
                f"from 1 to at most {row.size}"
            )
        row[column - 1], last = number, column
