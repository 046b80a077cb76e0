"""
Neighbour sampling
==================

LCN with PyTorch Geometric's loader, for graphs too large for one batch. This script is not run
here: it needs pyg-lib (or torch-sparse), which samples. A sampled row of K has only some of its
entries; they are not scaled up, so layers see a part of each sum. If that matters, or if pyg-lib
is not installed, ``lovasz.nn.large.decoupled`` trains on whole rows of K^l X.
"""

import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch_geometric.data import Data
from torch_geometric.loader import NeighborLoader
from torch_geometric.typing import WITH_PYG_LIB, WITH_TORCH_SPARSE

from lovasz.graphs.families import planted_partition
from lovasz.nn import LCN, LovaszKernel

if not (WITH_PYG_LIB or WITH_TORCH_SPARSE):
    sys.exit(
        "neighbour sampling needs pyg-lib, which is not installed; install the wheel for your "
        "torch, or train with lovasz.nn.large.decoupled"
    )

graph, y, _ = planted_partition(20_000, 5, 40 / 20_000, 2 / 20_000, seed=0)
rng = np.random.default_rng(0)
x = np.eye(5, 16)[y] + rng.standard_normal((graph.n, 16))
data = Data(
    x=torch.as_tensor(x, dtype=torch.float32),
    edge_index=torch.as_tensor(np.stack(graph.adjacency.nonzero())).long(),
    y=torch.as_tensor(y),
)
data = LovaszKernel("ls")(data)  # edge_index and edge_weight of K, once for the whole graph
train, test = np.split(rng.permutation(graph.n), [2_000])
options = {"num_neighbors": [10, 10], "batch_size": 512}
batches = NeighborLoader(data, input_nodes=torch.as_tensor(train), shuffle=True, **options)
rest = NeighborLoader(data, input_nodes=torch.as_tensor(test), **options)

torch.manual_seed(0)
model = LCN(16, 32, 5)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)


def logits(batch):
    return model(batch.x, batch.edge_index, batch.edge_weight)[: batch.batch_size]


for _ in range(10):
    model.train()
    for batch in batches:
        optimizer.zero_grad()
        F.cross_entropy(logits(batch), batch.y[: batch.batch_size]).backward()
        optimizer.step()
model.eval()
with torch.no_grad():
    right = sum(int((logits(b).argmax(1) == b.y[: b.batch_size]).sum()) for b in rest)
print(f"accuracy {right / len(test):.3f}")
