"""
LCN in your own training loop
=============================

The model ``LCN`` takes PyTorch Geometric's ``edge_index`` and the entries of a kernel as edge
weights. Features are optional: ``None`` stands for the identity matrix.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch

import lovasz
from lovasz.graphs.families import planted_partition
from lovasz.nn import LCN

planted = planted_partition(300, 3, 0.3, 0.1, seed=0)
K = lovasz.kernel(planted.graph, "ls").tocoo()
edge_index = torch.as_tensor(np.stack(K.coords)).long()  # the diagonal of K is among the edges
edge_weight = torch.as_tensor(K.data, dtype=torch.float32)
y = torch.as_tensor(planted.y)
train = torch.arange(0, 300, 5)

torch.manual_seed(0)
model = LCN(in_channels=300, hidden_channels=16, out_channels=3)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
losses = []
for _ in range(100):
    optimizer.zero_grad()
    logits = model(None, edge_index, edge_weight)  # None stands for identity features
    loss = torch.nn.functional.cross_entropy(logits[train], y[train])
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

model.eval()
right = model(None, edge_index, edge_weight).argmax(1) == y
print(f"accuracy {right.float().mean():.3f}")

# %%

plt.figure(figsize=(5, 2.8), layout="constrained")
plt.plot(losses)
plt.gca().set(xlabel="epoch", ylabel="training loss", ylim=0)
plt.show()
