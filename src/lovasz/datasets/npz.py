"""Readers of graphs that are stored as NumPy archives, which must not hold pickled objects."""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np
from scipy import sparse

from lovasz.datasets.dataset import Dataset
from lovasz.datasets.entry import DatasetEntry
from lovasz.graphs.graph import Graph
from lovasz.graphs.hypergraph import Hypergraph


def read_masked(entry: DatasetEntry, contents: Mapping[str, bytes]) -> Dataset:
    """Read edges, dense features and masks of the splits "0" to "9" (Platonov et al. 2023)."""
    arrays = _open(contents)
    y = arrays["node_labels"].astype(np.int64)
    source, target = arrays["edges"].T
    masks = zip(arrays["train_masks"], arrays["val_masks"], arrays["test_masks"], strict=True)
    splits = {
        str(number): {
            "train": np.flatnonzero(train), "val": np.flatnonzero(val), "test": np.flatnonzero(test)
        }
        for number, (train, val, test) in enumerate(masks)
    }  # fmt: skip
    graph = Graph.from_edges(source, target, n=y.size)
    features = sparse.csr_array(arrays["node_features"])
    return Dataset(entry.name, graph, features, y, entry.classes, splits)


def read_upper(entry: DatasetEntry, contents: Mapping[str, bytes]) -> Dataset:
    """Read labels, the rows of the upper triangle of the adjacency matrix, and features if any."""
    arrays = _open(contents)
    y = arrays["labels"].astype(np.int64)
    source = np.repeat(np.arange(y.size), np.diff(arrays["adj_upper_indptr"]))
    graph = Graph.from_edges(source, arrays["adj_upper_indices"], n=y.size)
    return Dataset(entry.name, graph, _features(arrays), y, entry.classes, {})


def read_hyperedges(entry: DatasetEntry, contents: Mapping[str, bytes]) -> Dataset:
    """Read hyperedges, labels, features if any, and splits "0" to "9"; the graph is the 2-section.

    In the splits, all nodes but those for training are for testing. There is no "val", because
    HyperGCN trains for a fixed number of epochs.
    """
    arrays = _open(contents)
    y = arrays["labels"].astype(np.int64)
    nodes, indptr = arrays["edge_indices"].astype(np.int64), arrays["edge_indptr"]
    hyperedges = tuple(np.split(nodes, indptr[1:-1]))
    splits = {}
    for number, rows in enumerate(arrays["train_idx"].astype(np.int64)):
        train = np.sort(rows)
        splits[str(number)] = {"train": train, "test": np.setdiff1d(np.arange(y.size), train)}
    # A plain graph, which does not refer to its hypergraph: methods for graphs are compared on it.
    section = Hypergraph.from_rows(hyperedges, n=y.size).expansion()
    graph = Graph.from_edges(*section.edges(), n=y.size)
    features = _features(arrays)
    return Dataset(entry.name, graph, features, y, entry.classes, splits, hyperedges)


def _features(arrays: Mapping[str, np.ndarray]) -> sparse.csr_array | None:
    """Return features stored as single bits, or as a sparse matrix of counts or of ones."""
    if "feat_shape" not in arrays:
        return None
    n, columns = map(int, arrays["feat_shape"])
    if "feat_packed" in arrays:
        bits = np.unpackbits(arrays["feat_packed"], axis=1, count=columns)
        return sparse.csr_array(bits, dtype=np.float32)
    ends = (arrays["feat_indices"].astype(np.int32), arrays["feat_indptr"])
    counts = arrays["feat_data"] if "feat_data" in arrays else np.ones(ends[0].size)
    data = counts.astype(np.float32)
    return sparse.csr_array((data, *ends), (n, columns))


def _open(contents: Mapping[str, bytes]) -> Mapping[str, np.ndarray]:
    (content,) = contents.values()
    arrays: Mapping[str, np.ndarray] = np.load(io.BytesIO(content), allow_pickle=False)
    return arrays
