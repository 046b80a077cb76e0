"""What trained networks answer on a graph that has more nodes than they were trained on."""

from __future__ import annotations

from typing import Any

import numpy as np


def network_logits(
    K: Any, propagation: str, weights: list[np.ndarray], X: np.ndarray | None, *, layers: int
) -> np.ndarray:
    """Return (runs, n, classes) logits of networks with these weights on kernel K and features X.

    Without features (X = I) the first nodes of K are those of the training, and a new node has no
    feature of its own: its row of the first weight matrix is zero. ``propagation`` is "hop" or a
    name in :data:`lovasz.nn.networks.propagation.PROPAGATIONS`. Biases follow the matrices.
    """
    import torch

    from lovasz.nn.engine.network import Place, Supervision
    from lovasz.nn.networks.hop import HopNetwork
    from lovasz.nn.networks.propagation import PROPAGATIONS, PolynomialLayers

    n = K.shape[0]
    tensors = [torch.from_numpy(W) for W in weights]
    if X is None and len(tensors[0]) < n:
        first = tensors[0]
        tensors[0] = torch.cat([first, first.new_zeros(n - len(first), *first.shape[1:])])
    learned = propagation != "hop" and PROPAGATIONS[propagation].learned
    bias = len(weights) - learned > layers
    place = Place.of("cpu", "double" if tensors[0].dtype == torch.float64 else "single")
    with torch.no_grad():
        if propagation != "hop":
            p = PROPAGATIONS[propagation]
            network = PolynomialLayers.of(K, p, X, layers, place.full, bias=bias)
            return np.asarray(network.logits(tensors).transpose(0, 1).numpy())
        nothing = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
        task = Supervision(np.zeros(n, dtype=np.int64), [nothing], weights[-1].shape[-1])
        hop = HopNetwork(K, X, task, weights[0].shape[-1], layers, bias)
        everything = hop.phases(place).everything
        return np.asarray(hop.forward(everything, tensors, None).transpose(0, 1).numpy())
