"""The networks that are compared, each as a function that trains it on many splits.

All share the features, the numbers of hidden units and epochs, the patience, the grid, and an L2
penalty on the first weight matrix only. APPNP and GPRGNN are the propagation of
:mod:`lovasz.nn.networks.propagation` with Â instead of K, so all run in the same code. Tests
compare PageRank with Â and the GAT layer with those of PyTorch Geometric.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from lovasz.graphs import Graph

if TYPE_CHECKING:
    from lovasz.nn import Training

Fit = Callable[..., "Training"]
"""A function ``fit(y, [(train, validation), …], settings=, seeds=)``."""


@dataclass(frozen=True)
class Entrant:
    """A network of the comparison."""

    title: str
    """Its name on the page."""
    kernel: str
    """A name that :func:`lovasz.kernel` knows, or "" for a network that takes the graph."""
    weights: str = "adjacency"
    """The weights C of the LS kernel."""
    similar: bool = False
    """Whether the weights C also depend on the similarity of the features."""
    propagation: str = "hop"
    """How the network propagates: one hop per layer, "attention", "edges", or a polynomial."""
    consistent: bool = False
    """Whether training has the consistency penalty."""


NORMALIZED: dict[str, Any] = {"kernel": "ls", "weights": "normalized"}
"""K_LS with C = D^-½ A D^-½."""
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
"""Method -> network."""
BASELINES = ("gcn", "gat", "appnp", "gprgnn")
"""The published networks with which ``auto`` is compared."""
CONSISTENCY = 2.0
"""Weight of the consistency penalty."""


def trainer(name: str, graph: Graph, features: Any, device: str) -> Fit:
    """Return the function that trains the network ``name`` on a graph."""
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
    consistency = Consistency(CONSISTENCY) if entrant.consistent else None
    return partial(
        train_propagated, K, propagation=entrant.propagation, consistency=consistency, **common
    )
