"""Learned edge weights: gradients through eigenvalues, and kernels that stay in 𝒦(G)."""

import numpy as np
import pytest
import torch
from scipy import sparse

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.baselines.learned_edges import (
    Edges,
    LearnedEdgeLayers,
    improve,
    learned_kernel,
    train_edges,
)
from lovasz.classify.splits import random_splits
from lovasz.graphs.families import planted_partition
from lovasz.nn import Settings
from lovasz.nn.networks.propagation import (
    PolynomialLayers,
    Propagation,
    pagerank,
)

BLOCKS = planted_partition(90, 3, 0.5, 0.05, seed=0)
K = lovasz.kernel(BLOCKS.graph, "ls", weights="normalized")
PARTS = random_splits(BLOCKS.y, (0.3, 0.2, 0.5), 4, seed=0)
SPLITS = [s[:2] for s in PARTS]
DOUBLE = {"device": "cpu", "dtype": torch.float64}


def learned_network(graph, propagation):
    edges = Edges.of(graph, 1, DOUBLE)
    plain = PolynomialLayers.of(K, propagation, None, 2, DOUBLE)
    return LearnedEdgeLayers(
        graph.n,
        plain.inputs,
        plain.operator,
        propagation,
        plain.coefficients,
        2,
        bias=False,
        edges=edges,
    )


def test_the_gradient_through_the_eigenvalues_is_that_of_finite_differences():
    graph = planted_partition(30, 2, 0.4, 0.1, seed=3).graph
    network = learned_network(graph, Propagation(pagerank(0.1, 4)))
    rng = torch.Generator().manual_seed(1)
    theta = 0.3 * torch.randn(graph.m, 1, 1, dtype=torch.float64, generator=rng)
    H = torch.randn(30, 1, 3, dtype=torch.float64, generator=rng)

    def loss(theta):
        network.edges.follow(network.weights(theta).detach(), 40)  # exact eigenvectors
        return network.apply_polynomial(H, [theta]).pow(3).sum()

    theta.requires_grad_()
    (gradient,) = torch.autograd.grad(loss(theta), theta)
    step = 1e-5
    for edge in range(0, graph.m, 25):
        shift = torch.zeros_like(theta)
        shift[edge] = step
        with torch.no_grad():
            numeric = (loss(theta + shift) - loss(theta - shift)) / (2 * step)
        assert gradient[edge].item() == pytest.approx(numeric.item(), rel=1e-5, abs=1e-8)


def test_lobpcg_finds_the_least_eigenvalue_of_every_column():
    rng = np.random.default_rng(0)
    M = rng.standard_normal((2, 60, 60))
    M = torch.as_tensor(M + M.transpose(0, 2, 1))
    start = torch.as_tensor(rng.standard_normal((60, 2)))
    v = improve(lambda v: torch.einsum("bij,jb->ib", M, v), start / start.norm(dim=0), 150)
    values = torch.einsum("ib,bij,jb->b", v, M, v).numpy()
    np.testing.assert_allclose(values, np.linalg.eigvalsh(M.numpy())[:, 0], atol=1e-8)


def test_a_learned_kernel_stays_in_the_feasible_set_and_learns():
    found = train_edges(
        BLOCKS.graph, BLOCKS.y, SPLITS[:2], settings=Settings(epochs=60, lr=0.05), edge_decay=1e-3
    )
    theta = found.weights[-1][:, 0, 0].numpy()
    assert np.abs(theta).max() > 0.1  # it did move
    kernel = learned_kernel(BLOCKS.graph, theta)
    assert np.array_equal(kernel.diagonal(), np.ones(90))
    assert ((kernel != 0) != (BLOCKS.graph.adjacency + sparse.eye_array(90) != 0)).nnz == 0
    values = np.linalg.eigvalsh(kernel.toarray())
    assert -1e-9 < values[0] < 1e-6
    answers = found.logits.argmax(-1)
    assert (answers[0][PARTS[0].test] == BLOCKS.y[PARTS[0].test]).mean() > 0.9


def test_mixed_precision_is_refused():
    with pytest.raises(LovaszError, match="precision 'mixed'; choose single or double"):
        train_edges(BLOCKS.graph, BLOCKS.y, SPLITS, settings=Settings(precision="mixed"))
