"""The network of the LCN paper."""

import numpy as np
import torch

import lovasz
from lovasz.classify.splits import random_splits
from lovasz.graphs.families import planted_partition
from lovasz.nn import Settings, train
from lovasz.nn.engine.dropout import Dropout
from lovasz.nn.engine.initial_weights import initial_weights, stream_seed

BLOCKS = planted_partition(60, 2, 0.6, 0.05, seed=0)


def test_both_layers_drop_their_inputs():
    """The loop with its masks written out."""
    K = lovasz.kernel(BLOCKS.graph, "ls")
    split = random_splits(BLOCKS.y, (0.3, 0.2, 0.5), 1, seed=0)[0]
    result = train(K, BLOCKS.y, [split[:2]], settings=Settings(epochs=6, dropout=0.4), seeds=[3])
    weights = initial_weights([60, 16, 2], [3], device="cpu", dtype=torch.float32)
    masks = Dropout(0.4, [stream_seed(3, 1)], "cpu")
    optimizer = torch.optim.Adam(weights, lr=0.01, weight_decay=5e-4)
    matrix = torch.as_tensor(K.toarray(), dtype=torch.float32)
    y = torch.as_tensor(BLOCKS.y)
    losses = []
    for _ in range(6):
        optimizer.zero_grad()
        first, second = (W[:, 0] for W in weights)
        H = (matrix @ (masks.factors(60)[:, 0] * first)).relu()
        logits = matrix @ ((masks.factors(60, 16)[:, 0] * H) @ second)
        loss = torch.nn.functional.cross_entropy(logits[split.train], y[split.train])
        losses.append(loss.item())
        loss.backward()
        optimizer.step()
    np.testing.assert_allclose(result.train_loss[:, 0], losses, rtol=1e-4)


def test_the_streams_of_a_run_are_independent():
    first = torch.rand(4000, generator=torch.Generator().manual_seed(stream_seed(0, 0)))
    second = torch.rand(4000, generator=torch.Generator().manual_seed(stream_seed(0, 1)))
    assert abs(float(torch.corrcoef(torch.stack([first, second]))[0, 1])) < 0.08
