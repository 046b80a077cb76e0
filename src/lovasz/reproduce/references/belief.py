"""The best labels that any method can find in a block model, by belief propagation.

With the edge probabilities p_ab and the prior known, the labels σ of a block model have the
posterior

    P(σ | G, known labels) ∝ Π_i π(σ_i) Π_{i~j} p_{σ_i σ_j} Π_{i≁j} (1 − p_{σ_i σ_j}),

and no method is more accurate on average than the one that gives each node its most probable
label. Belief propagation approximates these probabilities. It is exact if at most two nodes are
unknown, and becomes exact as n grows if each pair carries little information, as in dense graphs
with p ≈ q (Decelle, Krzakala, Moore, Zdeborová 2011). In these graphs non-edges carry as much
information as edges, so messages run between all pairs, and the sparse approximation of that
paper does not apply.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph

TINY = 1e-300
"""Lower limit of probabilities, which keeps their logarithms finite."""


class Beliefs(NamedTuple):
    """Probabilities of the labels, and how the iteration ended."""

    marginals: np.ndarray
    """(n, k): row i is the distribution of the label of node i; known labels are certain."""
    converged: bool
    iterations: int
    change: float
    """The largest change of a message in the last iteration."""

    @property
    def labels(self) -> np.ndarray:
        """(n,) the most probable label of each node."""
        return np.asarray(self.marginals.argmax(axis=1))


def bayes_labels(
    graph: Graph,
    y_known: np.ndarray,
    *,
    probabilities: Any,
    sizes: Sequence[float],
    evidence: np.ndarray | None = None,
    iterations: int = 200,
    damping: float = 0.3,
    tol: float = 1e-5,
) -> Beliefs:
    """Marginals of the posterior above, given the labels ``y_known[i]`` ≥ 0.

    With M_ab(i, j) = p_ab on edges and 1 − p_ab on the other pairs, unknown nodes i, j send

        μ_{i→j}(a) ∝ exp(h_i(a) − F_{j→i}(a)),  F_{j→i}(a) = log Σ_b M_ab(i, j) μ_{j→i}(b),
        h_i(a) = log π(a) + Σ_{l known} log M_{a y_l}(i, l) + Σ_{j unknown} F_{j→i}(a),

    and the marginal of i is softmax(h_i). ``sizes`` are the sizes of the planted blocks. The prior
    π is proportional to the number of unknown nodes that each block has left, which relaxes the
    constraint on the sizes. If nodes have features, ``evidence`` is the (n, k) array of
    log P(features of i | label a), which is added to h_i(a). ``damping`` is the share of the old
    message that is kept. Blocks that the model cannot tell apart need at least one known label
    each; without known labels the marginals are symmetric.

    >>> from lovasz.graphs.families import planted_partition
    >>> graph, y, _ = planted_partition(60, 2, 0.9, 0.1, seed=0)
    >>> known = np.where(np.arange(60) % 10 == 0, y, -1)
    >>> found = bayes_labels(graph, known, probabilities=[[0.9, 0.1], [0.1, 0.9]], sizes=[30, 30])
    >>> bool((found.labels == y).all()), found.converged
    (True, True)
    """
    y_known = np.asarray(y_known)
    P, total = _checked(graph, y_known, probabilities, sizes)
    known, unknown = np.flatnonzero(y_known >= 0), np.flatnonzero(y_known < 0)
    marginals = np.zeros((graph.n, len(P)))
    marginals[known, y_known[known]] = 1.0
    if unknown.size == 0:
        return Beliefs(marginals, True, 0, 0.0)
    left = np.maximum(total - np.bincount(y_known[known], minlength=len(P)), 0)
    # If the known labels exhaust all sizes, the planted shares are the best guess.
    prior = left if left.sum() > 0 else total
    linked = graph.adjacency[unknown].toarray() != 0
    field = np.log(np.maximum(prior / prior.sum(), TINY))
    told = np.eye(len(P))[y_known[known]] @ P  # (known, k): p_{a y_l}
    edge, gap = np.log(np.maximum(told, TINY)), np.log(np.maximum(1 - told, TINY))
    field = field + linked[:, known] @ (edge - gap) + gap.sum(axis=0)
    if evidence is not None:
        field = field + evidence[unknown]
    h, converged, done, change = _propagate(
        linked[:, unknown], field.T, P, iterations, damping, tol
    )
    marginals[unknown] = _softmax(h).T
    return Beliefs(marginals, converged, done, change)


def _propagate(
    linked: np.ndarray,
    field: np.ndarray,
    P: np.ndarray,
    iterations: int,
    damping: float,
    tol: float,
) -> tuple[np.ndarray, bool, int, float]:
    """Return h (k, n) of the last iteration, whether it converged, iterations, last change.

    ``messages[:, i, j]`` = μ_{j→i}, the message that i receives from j. Its update needs F of the
    same pair in the other direction, hence the transpose. The labels are the first axis, which
    makes sums over them fast.
    """
    n = field.shape[1]
    messages = np.repeat(_softmax(field)[:, None], n, axis=1)
    own = np.arange(n)
    change, done = 0.0, 0
    for done in range(1, iterations + 1):  # noqa: B007
        h, heard = _gather(linked, field, P, messages)
        np.subtract(h[:, :, None], heard, out=heard)  # [:, i, j]: logarithm of μ_{i→j}
        step = _softmax(heard).transpose(0, 2, 1) - messages
        step *= 1 - damping
        step[:, own, own] = 0.0
        change = float(np.abs(step).max())
        messages += step
        if change < tol:
            break
    h, _ = _gather(linked, field, P, messages)
    return h, change < tol, done, change


def _gather(
    linked: np.ndarray, field: np.ndarray, P: np.ndarray, messages: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return h (k, n), and F[:, i, j] = F_{j→i} (k, n, n), which is 0 for i = j."""
    heard = np.tensordot(P, messages, axes=1)
    # Messages add up to 1, so Σ_b (1 − p_ab) μ(b) = 1 − Σ_b p_ab μ(b).
    np.subtract(1, heard, out=heard, where=~linked)
    np.log(np.maximum(heard, TINY, out=heard), out=heard)
    own = np.arange(len(linked))
    heard[:, own, own] = 0.0
    return field + heard.sum(axis=2), heard


def _softmax(logits: np.ndarray) -> np.ndarray:
    """The softmax over the first axis."""
    out: np.ndarray = np.exp(logits - logits.max(axis=0))
    out /= out.sum(axis=0)
    return out


def _checked(
    graph: Graph, y_known: np.ndarray, probabilities: Any, sizes: Sequence[float]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the matrix and the sizes as arrays; raise an error if they are wrong."""
    P, total = np.asarray(probabilities, dtype=np.float64), np.asarray(sizes, dtype=np.float64)
    k = len(total)
    if P.shape != (k, k) or not (P == P.T).all() or not ((P >= 0) & (P <= 1)).all():
        raise LovaszError(f"probabilities must be a symmetric {k} by {k} matrix within 0 and 1")
    if k == 0 or not (total > 0).all():
        raise LovaszError(f"sizes={total.tolist()} must be positive, one per block")
    if y_known.shape != (graph.n,) or (y_known >= k).any():
        raise LovaszError(
            f"y_known needs one entry for each of the {graph.n} nodes: -1, or a block below {k}"
        )
    return P, total
