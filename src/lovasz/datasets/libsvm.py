"""Reader of tables in LIBSVM's text format: a row is ``label index:value …``, indices from 1.

The reader is written here, and not taken from scikit-learn, because tables must load on machines
that do not have it.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.base.text import truncate
from lovasz.datasets.dataset import Dataset
from lovasz.datasets.entry import DatasetEntry
from lovasz.graphs.similarity import similarity_graph


def read_libsvm(entry: DatasetEntry, contents: Mapping[str, bytes]) -> Dataset:
    """Return the table as it is in the file, and the graph of the LCN paper on its rows.

    That graph is ``similarity_graph(features, "rbf")``, as in LCNClassifier(affinity="rbf"): i ~ j
    if exp(−‖x_i − x_j‖² / 2σ²) is above its mean, where σ is the mean distance.

    Nothing is left out, because the paper took LIBSVM's files as they are. Column 0 of
    breast-cancer is the number of the sample, which measures nothing; ``features[:, 1:]`` are the
    usual nine columns. In diabetes a missing measurement was written as 0 before scaling, so it
    cannot be distinguished from a value.
    """
    ((path, content),) = contents.items()
    features, labels = parse_libsvm(content, path, entry.features)
    y = np.unique(labels, return_inverse=True)[1]
    graph = similarity_graph(features, "rbf")
    return Dataset(entry.name, graph, features, y, entry.classes, {})


def parse_libsvm(content: bytes, path: str, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the (n, ``columns``) table, 0 where a line has no entry, and the n labels."""
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
        raise LovaszError(f"{truncate(text)!r} is not a label; begin with a number") from None


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
                f"{truncate(cell)!r} is not index:value; write numbers, with indices that rise "
                f"from 1 to at most {row.size}"
            )
        row[column - 1], last = number, column
