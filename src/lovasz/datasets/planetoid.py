"""Reader of the planetoid ``ind.*`` files (Cora, Citeseer, Pubmed).

They are Python 2 pickles. A pickle can call any function by name, so only the six names that these
files need are allowed, and their sparse matrices are rebuilt from plain arrays.
"""

from __future__ import annotations

import io
import pickle
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.datasets.dataset import Dataset
from lovasz.datasets.entry import DatasetEntry
from lovasz.graphs.graph import Graph


def read_planetoid(entry: DatasetEntry, contents: Mapping[str, bytes]) -> Dataset:
    """Return the graph with the nodes in the order of Yang et al. 2016, as Kipf and Welling 2017.

    The rows of ``allx`` are the first nodes, and row r of ``tx`` is node ``test.index[r]``. Nodes
    in neither (15 of Citeseer) have no features and y = −1. In the split "public" the training
    nodes are the rows of ``x`` (20 per class), the validation nodes are the next 500, and the
    test nodes are those of ``test.index``.
    """
    parts = {path.split(".", 2)[2]: content for path, content in contents.items()}
    tested = np.array(parts.pop("test.index").split(), dtype=np.int64)
    loaded = {part: unpickle(content, entry.name) for part, content in parts.items()}
    neighbours = loaded["graph"]
    n, labelled = len(neighbours), len(loaded["y"])
    rows = np.concatenate([np.arange(len(loaded["ally"])), tested])

    y = np.full(n, -1)
    y[rows] = np.concatenate([loaded["ally"], loaded["ty"]]).argmax(axis=1)
    words = sparse.vstack([_as_csr(loaded["allx"]), _as_csr(loaded["tx"])]).tocoo()
    features = sparse.csr_array((words.data, (rows[words.row], words.col)), (n, words.shape[1]))
    splits = {
        "train": np.arange(labelled),
        "val": np.arange(labelled, labelled + 500),
        "test": np.sort(tested),
    }
    graph = _as_graph(neighbours)
    return Dataset(entry.name, graph, features, y, entry.classes, {"public": splits})


def unpickle(content: bytes, name: str) -> Any:
    """Return what is pickled in ``content``, or raise if it asks for anything but plain data."""
    try:
        return _PlainUnpickler(io.BytesIO(content), encoding="latin1").load()
    except pickle.UnpicklingError as error:
        raise LovaszError(f"{name}: refused to unpickle it: {error}") from error


class _Matrix:
    """A stand-in for ``scipy.sparse.csr.csr_matrix``, a module that new SciPy no longer has."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    _shape: tuple[int, int]


class _PlainUnpickler(pickle.Unpickler):
    NAMES: Mapping[tuple[str, str], Any] = {
        ("numpy", "ndarray"): np.ndarray,
        ("numpy", "dtype"): np.dtype,
        # NumPy has moved this function between modules, so it is taken from an array.
        ("numpy.core.multiarray", "_reconstruct"): np.empty(0).__reduce__()[0],
        ("scipy.sparse.csr", "csr_matrix"): _Matrix,
        ("collections", "defaultdict"): defaultdict,
        ("__builtin__", "list"): list,
    }

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in self.NAMES:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}, which is not plain data")
        return self.NAMES[module, name]


def _as_csr(matrix: _Matrix) -> sparse.csr_array:
    return sparse.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=matrix._shape)


def _as_graph(neighbours: Mapping[int, list[int]]) -> Graph:
    """Return the graph, in which both directions and repetitions of an edge are one edge."""
    n = len(neighbours)
    count = sum(map(len, neighbours.values()))
    source = np.repeat(list(neighbours), [len(around) for around in neighbours.values()])
    target = np.fromiter((v for around in neighbours.values() for v in around), np.int64, count)
    once = np.unique(np.minimum(source, target) * n + np.maximum(source, target))
    return Graph.from_edges(once // n, once % n, n=n)
