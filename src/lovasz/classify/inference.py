"""What trained networks answer on a graph that has more nodes than they were trained on."""

from __future__ import annotations

from typing import Any

import numpy as np


def network_logits(
    K: Any, propagation: str, weights: list[np.ndarray], *, layers: int
) -> np.ndarray:
    """Return (parts, n, classes) logits of networks with features X = I and these weights.

    The first nodes of K are those of the training. A new node has no feature of its own, that is,
    its row of the first weight matrix is zero. ``propagation`` is "hop" or a name in
    :data:`lovasz.nn.networks.propagation.PROPAGATIONS`.
    """
    import torch

    from lovasz.nn.engine.operators import as_operator
    from lovasz.nn.networks.propagation import PROPAGATIONS, PolynomialLayers

    first, *rest = map(torch.from_numpy, weights)
    first = torch.cat([first, first.new_zeros(K.shape[0] - len(first), *first.shape[1:])])
    if propagation != "hop":
        network = PolynomialLayers.of(
            K,
            PROPAGATIONS[propagation],
            None,
            layers,
            {"device": torch.device("cpu"), "dtype": first.dtype},
        )
        return np.asarray(network.logits([first, *rest]).transpose(0, 1).numpy())
    operator = as_operator(K, dtype=first.dtype)
    found = []
    for part in range(first.shape[1]):
        H = operator @ first[:, part].contiguous()
        for weight in rest:
            H = operator @ (H.relu() @ weight[:, part])
        found.append(H.numpy())
    return np.stack(found)
