"""Every network trains, and the baselines are those of PyTorch Geometric."""

import numpy as np
import pytest
import torch

import lovasz
from lovasz.baselines.attention import attend
from lovasz.graphs.families import planted_partition
from lovasz.nn import Settings
from lovasz.nn.networks.propagation import PolynomialLayers, Propagation, pagerank
from lovasz.reproduce.items.kernels.entrants import ENTRANTS, trainer

PLANTED = planted_partition(40, 2, 0.4, 0.1, seed=0)
geometric = pytest.importorskip("torch_geometric.nn")


def edge_index():
    return torch.as_tensor(np.stack(PLANTED.graph.adjacency.tocoo().coords).astype(np.int64))


def test_appnp_is_that_of_pytorch_geometric():
    A = lovasz.kernel(PLANTED.graph, "gcn")
    p = Propagation(pagerank(0.1, 10), scale="none")
    network = PolynomialLayers.of(A, p, None, 2, {"device": "cpu", "dtype": torch.float32})
    H = torch.randn(40, 1, 3, generator=torch.Generator().manual_seed(0))
    ours = network.apply_polynomial(H, [])[:, 0]
    theirs = geometric.APPNP(K=10, alpha=0.1)(H[:, 0], edge_index())
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-4)


def test_attention_is_that_of_pytorch_geometric():
    torch.manual_seed(0)
    layer = geometric.GATConv(5, 4, heads=3, bias=False)
    X = torch.randn(40, 5)
    loops = torch.arange(40).expand(2, 40)
    source, target = torch.cat([edge_index(), loops], dim=1)
    H = layer.lin(X).view(40, 1, 3, 4)
    ours = attend(H, source, target, layer.att_src, layer.att_dst).flatten(1)
    torch.testing.assert_close(ours, layer(X, edge_index()), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", ENTRANTS)
def test_every_entrant_trains(name):
    X = np.eye(2, dtype=np.float32)[PLANTED.y] + 0.1
    fit = trainer(name, PLANTED.graph, X, "cpu")
    nodes = np.arange(40)
    found = fit(
        PLANTED.y,
        [(nodes[::4], nodes[1::4])] * 2,
        settings=Settings(epochs=60, hidden=16, weight_decay=5e-4, dropout=0.2, lr=0.05),
    )
    assert (found.logits.argmax(-1) == PLANTED.y).mean() > 0.8
