"""Learned edge weights: a kernel that is trained and never leaves 𝒦(G).

Every edge has a parameter θ_e and the weight C_ij = B_ij exp(θ_e) with B = D^-½ A D^-½, so θ = 0
is the normalised Luz–Schrijver kernel. K = I + C / |λ_min(C)| is in 𝒦(G) for every θ. The
eigenvalue is part of the network: for a simple eigenvalue with unit vector v,

    ∂λ / ∂C_ij = 2 v_i v_j   for the edge ij (both entries),

which is the gradient of the Rayleigh quotient vᵀCv if v is held fixed. v is kept from step to step
and improved by a few steps of LOBPCG (:func:`improve`) for all runs at once; C is the only matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from lovasz.base.errors import LovaszError
from lovasz.base.progress import Callback
from lovasz.graphs import Graph
from lovasz.linalg.eigenvalues import smallest_eigenvalue_depth
from lovasz.linalg.scaling import normalize
from lovasz.nn.engine.inputs import as_inputs
from lovasz.nn.engine.loop import train_network
from lovasz.nn.engine.network import Placed, Split, Supervision
from lovasz.nn.engine.operators import Operator
from lovasz.nn.engine.settings import Decays, Settings
from lovasz.nn.engine.training import Training
from lovasz.nn.networks.propagation import (
    Consistency,
    PolynomialLayers,
    PolynomialNetwork,
    Propagation,
    find_propagation,
    pagerank,
)

STEPS = 3
"""Number of LOBPCG steps per epoch; the weights hardly move between two epochs."""
FIRST_STEPS = 60
"""Number of LOBPCG steps before the first epoch."""
APPNP = Propagation(pagerank(0.1, 10))
"""The default propagation: ten steps of personalised PageRank after the layers."""


@dataclass(frozen=True)
class Edges:
    """The edges i < j of a graph, and the extreme eigenvectors of C in every run."""

    n: int
    """Number of nodes."""
    ends: Tensor
    """(2, m): the nodes i and j of each edge."""
    base: Tensor
    """(m,): the entries of B, the weights for θ = 0."""
    lowest: Tensor
    """(n, B): unit eigenvectors of λ_min, improved in place from step to step."""
    highest: Tensor
    """(n, B): unit eigenvectors of λ_max, improved in place from step to step."""

    @classmethod
    def of(cls, graph: Graph, runs: int, placed: Placed) -> Edges:
        """Return the edges for θ = 0, with eigenvectors computed from a fixed start."""
        B = sparse.triu(normalize(graph.adjacency), format="coo")
        start = np.random.default_rng(0).standard_normal((graph.n, 1)).repeat(runs, axis=1)
        edges = cls(
            graph.n,
            torch.as_tensor(np.stack(B.coords).astype(np.int64), device=placed["device"]),
            torch.as_tensor(B.data, **placed),
            *(torch.as_tensor(start / np.linalg.norm(start[:, 0]), **placed) for _ in range(2)),
        )
        edges.follow(edges.base[:, None].repeat(1, runs), FIRST_STEPS)
        return edges

    def times(self, C: Tensor, H: Tensor) -> Tensor:
        """Return C H for weights (m, B) and H of shape (n, B, …)."""
        i, j = self.ends
        weight = C.reshape(*C.shape, *[1] * (H.dim() - 2))
        out = torch.zeros_like(H).index_add(0, i, weight * H.index_select(0, j))
        return out.index_add(0, j, weight * H.index_select(0, i))

    def quotient(self, C: Tensor, v: Tensor) -> Tensor:
        """Return the (B,) quotients vᵀCv, whose gradient by C_ij is 2 v_i v_j."""
        i, j = self.ends
        return 2 * (C * v.index_select(0, i) * v.index_select(0, j)).sum(0)

    @torch.no_grad()
    def follow(self, C: Tensor, steps: int = STEPS) -> None:
        """Improve both eigenvectors in place."""
        self.lowest.copy_(improve(lambda v: self.times(C, v), self.lowest, steps))
        self.highest.copy_(improve(lambda v: -self.times(C, v), self.highest, steps))


def improve(multiply: Callable[[Tensor], Tensor], v: Tensor, steps: int) -> Tensor:
    """Take steps of LOBPCG (Knyazev, 2001) towards the lowest eigenvector of each run's matrix.

    A step replaces v, (n, B), by the Ritz vector of the span of v, its residual and the last
    direction.
    """
    last = None
    for _ in range(steps):
        Cv = multiply(v)
        residual = Cv - (v * Cv).sum(0) * v
        parts = [v, residual] if last is None else [v, residual, last]
        Q, _ = torch.linalg.qr(torch.stack(parts, dim=2).transpose(0, 1))  # (B, n, 2 or 3)
        columns = Q.permute(1, 0, 2)
        image = torch.stack([multiply(c) for c in columns.unbind(2)], dim=2)
        small = torch.einsum("nbi,nbj->bij", columns, image)
        mix = torch.linalg.eigh((small + small.transpose(1, 2)) / 2).eigenvectors[:, :, 0]
        new = torch.einsum("nbi,bi->nb", columns, mix)
        new = new / new.norm(dim=0)
        last = new - v * (v * new).sum(0)
        last = last / last.norm(dim=0).clamp_min(1e-20)
        v = new
    return v


@dataclass(frozen=True)
class LearnedEdgeLayers(PolynomialLayers):
    """The layers of :mod:`lovasz.nn.networks.propagation` with S = K / λ_max(K) of learned C.

    The last of their weights are θ, (m, B, 1).
    """

    edges: Edges = field(kw_only=True)
    """The edges and their eigenvectors."""

    @classmethod
    def on(
        cls,
        graph: Graph,
        runs: int,
        propagation: Propagation,
        features: Any,
        layers: int,
        placed: Placed,
    ) -> LearnedEdgeLayers:
        """Move the edges and the features to the device; there is no fixed polynomial."""
        n, nothing = graph.n, torch.zeros(0, 0, **placed)
        inputs = as_inputs(features, np.arange(n), n, **placed)
        edges = Edges.of(graph, runs, placed)
        operator = Operator(nothing, nothing)
        return cls(n, inputs, operator, propagation, nothing, layers, bias=False, edges=edges)

    def stepper(self, learned: list[Tensor]) -> Callable[[Tensor], Tensor]:
        """Return Z ↦ S Z with S = (|λ_min| I + C) / (|λ_min| + λ_max).

        Gradients reach θ through C and through both eigenvalues.
        """
        C = self.weights(learned[-1])
        if torch.is_grad_enabled():
            self.edges.follow(C.detach())
        low = -self.edges.quotient(C, self.edges.lowest)[:, None]
        high = self.edges.quotient(C, self.edges.highest)[:, None]
        return lambda Z: (low * Z + self.edges.times(C, Z)) / (low + high)

    def apply_polynomial(self, H: Tensor, learned: list[Tensor]) -> Tensor:
        """Return p(S) H for H of shape (n, B, width), by steps that reach θ."""
        p, step = self.propagation, self.stepper(learned)
        if not (p.chebyshev or p.learned):
            # With Horner's rule no power of S has to be kept for the gradient.
            *lower, highest = p.coefficients
            out = highest * H
            for number in reversed(lower):
                out = step(out) + number * H if number else step(out)
            return out
        c: Sequence[float | Tensor] = [*learned[0]] if p.learned else p.coefficients
        if p.hops == 0:
            return c[0] * H
        before, now = H, step(H)
        out = c[0] * before + c[1] * now
        for value in c[2:]:
            before, now = now, (2 * step(now) - before) if p.chebyshev else step(now)
            out = out + value * now
        return out

    def weights(self, theta: Tensor) -> Tensor:
        """Return the (m, B) entries of C."""
        return self.edges.base[:, None] * theta[:, :, 0].exp()


@dataclass(frozen=True, kw_only=True)
class LearnedEdgeNetwork(PolynomialNetwork):
    """A network that learns the edge weights of its kernel together with its matrices."""

    edges: int
    """Number of edges of the graph."""
    edge_decay: float
    """Factor of the L2 penalty that pulls θ to 0."""

    def initial_weights(self, seeds: Sequence[int], placed: Placed) -> list[Tensor]:
        """Those of the layers, then θ = 0."""
        theta = torch.zeros(self.edges, len(seeds), 1, **placed, requires_grad=True)
        return [*super().initial_weights(seeds, placed), theta]

    def decays(self, weight_decay: Decays) -> list[Sequence[float]]:
        """Put L2 on the first weight matrix and on θ."""
        others = super().decays(weight_decay)
        return [*others, [self.edge_decay] * len(others[0])]


def train_edges(
    graph: Graph,
    y: np.ndarray,
    splits: Sequence[Split],
    *,
    propagation: Propagation | str = APPNP,
    consistency: Consistency | None = None,
    edge_decay: float = 0.05,
    features: Any = None,
    classes: int | None = None,
    settings: Settings = Settings(),
    seeds: Sequence[int] | None = None,
    device: str = "auto",
    callback: Callback | None = None,
) -> Training:
    """Train networks and their kernels together, otherwise as :func:`lovasz.nn.train_propagated`.

    ``edge_decay`` is the factor of the L2 penalty that pulls θ to 0. ``weights`` of the result
    end with θ, (m, B, 1), of the edges i < j in the order of the rows of the adjacency matrix;
    :func:`learned_kernel` returns K for them. Epochs are never recorded as a CUDA graph.

    >>> from lovasz import as_graph
    >>> split = np.array([0, 3]), np.array([1])
    >>> path = as_graph([(0, 1), (1, 2), (2, 3)])
    >>> found = train_edges(path, np.array([0, 0, 1, 1]), [split], settings=Settings(epochs=5))
    >>> found.weights[-1].shape  # one weight for each of three edges
    torch.Size([3, 1, 1])
    """
    if settings.precision == "mixed":
        raise LovaszError(
            "learned edge weights cannot be trained in precision 'mixed'; choose single or double"
        )
    task, p = Supervision.of(y, splits, classes), find_propagation(propagation)
    network = LearnedEdgeNetwork(
        build=partial(LearnedEdgeLayers.on, graph, len(splits), p, features, settings.layers),
        width=graph.n if features is None else features.shape[1],
        task=task,
        hidden=settings.hidden,
        layers=settings.layers,
        propagation=p,
        consistency=consistency,
        edges=graph.m,
        edge_decay=edge_decay,
    )
    settings = replace(settings, capture=False)
    return train_network(
        network, task, settings=settings, seeds=seeds, device=device, callback=callback
    )


def learned_kernel(graph: Graph, theta: np.ndarray) -> sparse.csr_array:
    """Return K = I + C / |λ_min(C)| for the θ (m,) of one run.

    |λ_min| is bounded from above, so K is in 𝒦(G).
    """
    half = sparse.triu(normalize(graph.adjacency), format="coo")
    half.data = half.data * np.exp(np.asarray(theta, dtype=np.float64).ravel())
    C = (half + half.T).tocsr()
    identity = sparse.eye_array(graph.n, format="csr")
    return (identity + C / smallest_eigenvalue_depth(C)).tocsr() if C.nnz else identity
