"""Seconds per epoch of a two-layer network, by our loop and by PyTorch Geometric's usual one.

Both train the network of the paper (hidden 16, no bias, dropout 0.5, Adam, L2) with the same
kernel Â on the same random graph with sparse features; how fast that goes does not depend on what
they say. Both look at the validation nodes once per epoch.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from lovasz.base.extras import needed_for
from lovasz.graphs import Graph


class Shape(NamedTuple):
    """The size of a data set."""

    nodes: int
    edges: int
    features: int
    filled: int
    """Number of features of a node that are not zero."""
    classes: int


SHAPES = {
    "cora-sized": Shape(2708, 5278, 1433, 18, 7),
    "pubmed-sized": Shape(19717, 44324, 500, 50, 3),
}
"""Data sets as large as well-known ones."""


class LabelledGraph(NamedTuple):
    """A random graph with random sparse features, labels and splits."""

    graph: Graph
    features: sparse.csr_array
    y: np.ndarray
    splits: list[tuple[np.ndarray, np.ndarray]]
    """Training and validation nodes of each run."""


def draw_labelled(shape: Shape, train: int, validation: int, runs: int = 1) -> LabelledGraph:
    """Draw a graph of this shape with ``runs`` splits of so many training and validation nodes."""
    n, m, d, filled, classes = shape
    rng = np.random.default_rng(0)
    ends = rng.integers(0, n, (2, m + m // 50))  # some are drawn twice, and dropped
    graph = Graph.from_edges(*ends, n=n)
    columns = np.concatenate([rng.choice(d, filled, replace=False) for _ in range(n)])
    features = sparse.csr_array(
        (np.ones(columns.size, np.float32), columns, np.arange(0, n * filled + 1, filled)),
        shape=(n, d),
    )
    y = rng.integers(0, classes, n)
    orders = [rng.permutation(n) for _ in range(runs)]
    splits = [(order[:train], order[train : train + validation]) for order in orders]
    return LabelledGraph(graph, features, y, splits)


def our_epochs(task: LabelledGraph, epochs: int) -> Sequence[float]:
    """Return the seconds of each epoch of one network per split, all trained at once."""
    from lovasz.kernels import kernel
    from lovasz.nn import Settings, train

    ticks: list[float] = []
    train(
        kernel(task.graph, "gcn"), task.y, task.splits, features=task.features,
        settings=Settings(epochs=epochs), device="cpu",
        callback=lambda epoch, note: ticks.append(time.perf_counter()),
    )  # fmt: skip
    return list(np.diff(ticks))


def pyg_epochs(task: LabelledGraph, epochs: int, *, thin: bool = False) -> Sequence[float]:
    """Return the seconds of each epoch of PyTorch Geometric's network on the first split.

    ``thin`` is what an expert can do with the same layer: features as a CSR tensor, and dropout on
    its values. What can be computed once, the normalised edges, is.
    """
    with needed_for("a comparison with PyTorch Geometric"):
        import torch
        import torch.nn.functional as F
        from torch_geometric.nn import GCNConv

    edge_index = torch.as_tensor(np.stack(task.graph.adjacency.nonzero()))
    x, target = torch.as_tensor(task.features.toarray()), torch.as_tensor(task.y)
    x = x.to_sparse_csr() if thin else x
    train_nodes, val_nodes = (torch.as_tensor(nodes) for nodes in task.splits[0])

    def drop(x: Any, training: bool) -> Any:
        if not (thin and training):
            return x if thin else F.dropout(x, 0.5, training)
        values = F.dropout(x.values(), 0.5)
        return torch.sparse_csr_tensor(x.crow_indices(), x.col_indices(), values, x.shape)

    class GCN(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv1 = GCNConv(x.shape[1], 16, cached=True, bias=False)
            self.conv2 = GCNConv(16, int(target.max()) + 1, cached=True, bias=False)

        def forward(self, x: Any, edge_index: Any) -> Any:
            x = self.conv1(drop(x, self.training), edge_index).relu()
            x = F.dropout(x, 0.5, self.training)
            return self.conv2(x, edge_index)

    model = GCN()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    ticks = []
    for _ in range(epochs):
        model.train()
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x, edge_index)[train_nodes], target[train_nodes])
        loss.backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            right = model(x, edge_index).argmax(1) == target
            float(right[val_nodes].float().mean())
        ticks.append(time.perf_counter())
    return list(np.diff(ticks))
