"""The networks that ``beyond`` compares, each as a function that trains it on many splits.

What they share: features, hidden units, epochs, patience, the grid, and L2 on the first matrix
only. APPNP and GPRGNN are the propagation of :mod:`lovasz.nn.networks.propagation` with Â in the
place of
K, so they are compared in the same code; tests hold Â's PageRank and the GAT layer to PyTorch
Geometric's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lovasz.graphs import Graph

if TYPE_CHECKING:
    from lovasz.nn import Training

Fit = Callable[..., "Training"]


@dataclass(frozen=True)
class Entrant:
    """A network of the comparison."""

    title: str
    kernel: str
    """A name of lovasz.kernel, or "" for a network that takes the graph."""
    weights: str = "adjacency"
    similar: bool = False
    propagation: str = "hop"
    consistent: bool = False


NORMALIZED: dict[str, Any] = {"kernel": "ls", "weights": "normalized"}
ENTRANTS: dict[str, Entrant] = {
    "gcn": Entrant("GCN", "gcn"),
    "gat": Entrant("GAT", "", propagation="attention"),
    "appnp": Entrant("APPNP", "gcn", propagation="appnp"),
    "gprgnn": Entrant("GPRGNN", "gcn", propagation="gprgnn"),
    "appnp-consistent": Entrant("APPNP, consistent", "gcn", propagation="appnp", consistent=True),
    "lcn": Entrant("K, exact Lovász", "lovasz"),
    "lcn-ls": Entrant("K(A)", "ls"),
    "lcn-normalized": Entrant("K(D^-½AD^-½)", **NORMALIZED),
    "ppr": Entrant("p(K), PageRank", **NORMALIZED, propagation="ppr last"),
    "ppr-consistent": Entrant(
        "p(K), consistent", **NORMALIZED, propagation="ppr last", consistent=True
    ),
    "similar-consistent": Entrant(
        "p(K), by similarity, consistent",
        **NORMALIZED,
        similar=True,
        propagation="ppr last",
        consistent=True,
    ),
    "learned-consistent": Entrant(
        "p(K), learned p from PageRank, consistent",
        **NORMALIZED,
        propagation="learned ppr",
        consistent=True,
    ),
    "learned": Entrant("p(K), learned p", **NORMALIZED, propagation="learned"),
    "edges": Entrant("p(K), learned C", "", propagation="edges"),
}
BASELINES = ("gcn", "gat", "appnp", "gprgnn")


def trainer(name: str, graph: Graph, features: Any, device: str) -> Fit:
    """``fit(y, [(train, validation), …], settings=, seeds=)`` of an entrant."""
    from lovasz.baselines.attention import train_attention
    from lovasz.baselines.learned_edges import train_edges
    from lovasz.kernels import kernel
    from lovasz.kernels.optimal import optimal
    from lovasz.nn import train
    from lovasz.nn.networks.propagation import Consistency, train_propagated
    from lovasz.reproduce.items.uci_mnist import LIMITS

    entrant = ENTRANTS[name]
    common: dict[str, Any] = {"features": features, "device": device}
    if entrant.propagation == "attention":
        return partial(train_attention, graph, **common)
    if entrant.propagation == "edges":
        return partial(train_edges, graph, **common)
    if entrant.kernel == "lovasz":
        limits: Any = LIMITS[500 if graph.n < 1000 else 2000]
        K = optimal(graph, device=device, **limits).kernel
    else:
        options = {"weights": entrant.weights} if entrant.kernel == "ls" else {}
        given = {"features": features} if entrant.similar else {}
        K = kernel(graph, entrant.kernel, **options, **given)
    if entrant.propagation == "hop":
        return lambda y, splits, *, settings, **training: train(
            K,
            y,
            splits,
            settings=replace(settings, weight_decay=[settings.weight_decay, 0.0]),
            **common,
            **training,
        )
    consistency = Consistency(2.0) if entrant.consistent else None
    return partial(
        train_propagated, K, propagation=entrant.propagation, consistency=consistency, **common
    )


def rounded(values: Sequence[float] | np.ndarray, digits: int = 2) -> list[float]:
    """For JSON."""
    return [round(float(v), digits) for v in values]
