"""
LovaszConv in the place of GCNConv
==================================

PyTorch Geometric's GCN example; two lines change. The data is Cora with its public split if it was
fetched (``lovasz data fetch cora``), and otherwise a block model.
"""

from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import torch
import torch.nn.functional as F
from torch_geometric.data import Data
from torch_geometric.transforms import NormalizeFeatures

import lovasz
from lovasz.datasets import load
from lovasz.graphs.families import planted_partition
from lovasz.nn import LovaszConv  # 1: was from torch_geometric.nn import GCNConv

Conv = partial(LovaszConv, kernel_options={"weights": "normalized"})  # 2: was Conv = GCNConv


class GCN(torch.nn.Module):
    def __init__(self, in_channels, hidden_channels, out_channels):
        super().__init__()
        self.conv1 = Conv(in_channels, hidden_channels)
        self.conv2 = Conv(hidden_channels, out_channels)

    def forward(self, x, edge_index):
        x = F.dropout(x, p=0.5, training=self.training)
        x = self.conv1(x, edge_index).relu()
        x = F.dropout(x, p=0.5, training=self.training)
        return self.conv2(x, edge_index)


def as_data(graph, x, y, train, val, test):
    def mask(nodes):
        return torch.zeros(graph.n, dtype=torch.bool).index_fill(0, torch.as_tensor(nodes), True)

    data = Data(
        x=torch.as_tensor(x, dtype=torch.float32),
        edge_index=torch.as_tensor(np.stack(graph.adjacency.nonzero())).long(),
        y=torch.as_tensor(y).long(),
        train_mask=mask(train),
        val_mask=mask(val),
        test_mask=mask(test),
    )
    return NormalizeFeatures()(data)


try:
    cora = load("cora")
    data = as_data(cora.graph, cora.features.toarray(), cora.y, **cora.splits["public"])
except lovasz.LovaszError:  # Cora was not fetched
    graph, y, _ = planted_partition(600, 3, 0.08, 0.015, seed=0)
    rng = np.random.default_rng(0)
    x = np.abs(np.eye(3)[y].repeat(5, axis=1) + rng.standard_normal((600, 15)))
    data = as_data(graph, x, y, *np.split(rng.permutation(600), [60, 160]))

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
data = data.to(device)
model = GCN(data.num_features, 16, int(data.y.max()) + 1).to(device)
optimizer = torch.optim.Adam(
    [
        {"params": model.conv1.parameters(), "weight_decay": 5e-4},
        {"params": model.conv2.parameters(), "weight_decay": 0},
    ],
    lr=0.01,
)
best = accuracy = 0.0
curve = []
for _ in range(100):
    model.train()
    optimizer.zero_grad()
    out = model(data.x, data.edge_index)
    F.cross_entropy(out[data.train_mask], data.y[data.train_mask]).backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        right = model(data.x, data.edge_index).argmax(1) == data.y
    validation = right[data.val_mask].float().mean().item()
    curve.append(validation)
    if validation > best:
        best, accuracy = validation, right[data.test_mask].float().mean().item()
print(f"accuracy {accuracy:.3f}")

# %%

plt.figure(figsize=(5, 2.8), layout="constrained")
plt.plot(curve)
plt.gca().set(xlabel="epoch", ylabel="validation accuracy", ylim=(0, 1))
plt.show()
