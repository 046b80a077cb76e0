"""The posterior of a block model in which some labels are known, by belief propagation.

The model is the degree-corrected block model (Karrer and Newman, 2011) with any matrix of
affinities, so classes may attract or avoid each other:

    P(i ~ j | classes a, b) = θ_i θ_j ω_ab,    θ_i = d_i / ⟨d⟩.

Neighbours exchange messages ψ_{i→j}, probability vectors over the classes (Decelle, Krzakala,
Moore and Zdeborová, 2011):

    h_i(a) = u_i(a) + Σ_{j~i} log Σ_b ω_ab ψ_{j→i}(b) + θ_i Σ_b log(1 − ω_ab) Σ_{j≁i} θ_j ψ_j(b),
    ψ_{i→j} ∝ exp(h_i − the term of j),    ψ_i ∝ exp(h_i).

The non-neighbours act through their mean. u_i is the logarithm of the prior: of the class shares,
plus what the features of node i say, so that graph and features add up as evidence (the contextual
block model: Deshpande, Sen, Montanari and Mossel, 2018). Labelled nodes keep their class. ω, the
shares and the distribution of the features in each class
(:mod:`lovasz.clustering.feature_evidence`) are learned from the messages (expectation
maximisation), starting from the labelled nodes alone.

On block models this reaches the accuracy of the Bayes rule, where a network that has to learn the
weight of every neighbour does not; :func:`lovasz.communities` needs no labels, and assumes that
classes attract.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import softmax

from lovasz.base.compiled import compiled
from lovasz.clustering.feature_evidence import GaussianEvidence
from lovasz.graphs import Graph
from lovasz.graphs.adjacency_lists import AdjacencyLists

SWEEPS = 60
"""Largest number of sweeps over the nodes."""
TOLERANCE = 1e-3
"""The sweeps end when the marginals of a node change by less than this on average."""
PSEUDO_EDGES = 5.0
"""Strength of the prior of each ω_ab, in edges: it is drawn towards one value for pairs inside
a class and one for pairs between classes."""
POOLED_EDGES = 2.0
"""Strength of the prior of those two values, which is the density of the whole graph."""
LEAST_AFFINITY = 1e-9
"""Lower bound of ω_ab."""
MOST_AFFINITY = 0.99
"""Upper bound of ω_ab, so that the logarithm of 1 − ω_ab exists."""
LEAST_PROBABILITY = 1e-30
"""Lower bound of a reported probability, so that its logarithm exists."""
PLAIN_ENTRIES = 1000
"""Up to this many products of edge ends and squared classes, plain Python is done before the
compiler is imported."""

MANY_TERMS = 1_500_000
"""From this many products of edge ends and classes on, sweeps multiply likelihoods instead of
adding their logarithms, which is several times faster and the same to rounding."""
BEFORE_LOGARITHM = 16
"""Number of likelihoods that are multiplied before a logarithm is taken. Each is at least
``LEAST_AFFINITY``, so their product is above the smallest positive number."""


@dataclass(frozen=True)
class BlockPosterior:
    """The probabilities of the classes of every node, and the affinities of the classes."""

    marginals: np.ndarray
    """(n, classes) probabilities; one where the class of a node is given."""
    affinity: np.ndarray
    """(classes, classes) ω."""
    sweeps: int
    """Number of sweeps that were made."""
    messages: np.ndarray
    """(2 m, classes) ψ_{j→i}, one row per entry (i, j) of the sorted adjacency matrix."""
    evidence: np.ndarray
    """(n, classes) u_i without the class shares: what is known of a node beside its edges."""

    @property
    def logits(self) -> np.ndarray:
        """(n, classes) logarithms of the probabilities."""
        return np.asarray(np.log(np.maximum(self.marginals, LEAST_PROBABILITY)))


def block_posterior(
    graph: Graph,
    codes: np.ndarray,
    classes: int,
    *,
    prior: np.ndarray | None = None,
    features: np.ndarray | None = None,
    seed: int = 0,
) -> BlockPosterior:
    """Infer the class of every node from the classes ``codes`` of some (-1 where unknown).

    ``prior`` is an (n, classes) array of log-probabilities of the classes given the node alone.
    ``features`` is an (n, d) array with columns on a common scale, whose means in the classes are
    learned together with the affinities. ``seed`` orders the nodes within a sweep.

    >>> from lovasz.graphs.families import sbm
    >>> affinity = [[0.04, 0.12], [0.12, 0.04]]  # the classes avoid each other
    >>> graph, y, _ = sbm([150, 150], affinity, seed=0)
    >>> found = block_posterior(graph, np.where(np.arange(300) % 10 == 0, y, -1), 2)
    >>> bool((found.marginals.argmax(1) == y).mean() > 0.95)
    True
    """
    n, known = graph.n, codes >= 0
    mean_degree = max(2 * graph.m / max(n, 1), 1e-300)
    theta = graph.degrees / mean_degree
    every = max(float(theta.sum() ** 2 - (theta**2).sum()), 1e-300)
    density = min(max(2 * graph.m / every, LEAST_AFFINITY), MOST_AFFINITY)
    given = np.bincount(codes[known], minlength=classes) + 1.0
    share = given / given.sum()
    told = np.zeros((n, classes))
    told[known, codes[known]] = 1
    fixed = np.zeros((n, classes)) if prior is None else prior - np.log(share)
    evidence = None if features is None else GaussianEvidence(features)
    own = fixed if evidence is None else fixed + evidence(told)
    state = softmax(own + np.log(share), axis=1)
    state[known] = told[known]

    lists = AdjacencyLists(graph)
    indptr, indices = lists.indptr, lists.indices
    # Sorted by (column, row), entry k is the mirror image of entry k by (row, column).
    reverse = np.argsort(indices, kind="stable")
    messages = state[indices]
    rng = np.random.default_rng(seed)
    linked = sparse.csr_array((np.ones(indices.size), indices, indptr), shape=(n, n))
    together = state[known].T @ (linked[known][:, known] @ state[known])
    affinity = _affinity(together, _pairs(theta[known], state[known]), density)
    # The size alone decides, so that a fit does not depend on what the process did before.
    plain = indices.size * classes**2 <= PLAIN_ENTRIES
    products = indices.size * classes >= MANY_TERMS
    step, count = (_sweep.plain, _edges.plain) if plain else (_sweep.fast, _edges.fast)
    if products:
        step, count = _sweep_by_products.fast, _edges_in_pairs.fast
    sweep = 0
    for sweep in range(1, SWEEPS + 1):
        change = step(
            indptr, indices, reverse, messages, state, theta, own + np.log(share), affinity,
            np.log1p(-affinity), rng.permutation(n), known,
        )  # fmt: skip
        if change < TOLERANCE * n and sweep > 5:
            break
        if sweep >= 2:
            together = count(reverse, messages, affinity)
            found = _affinity(together, _pairs(theta, state), density)
            affinity = np.sqrt(affinity * found)  # halfway, on the scale of logarithms
            share = (state.sum(axis=0) + 1) / (n + classes)
            if evidence is not None:
                own = fixed + evidence(state)
    return BlockPosterior(state, affinity, sweep, messages, own)


def _pairs(theta: np.ndarray, state: np.ndarray) -> np.ndarray:
    """(classes, classes) expected sum of θ_i θ_j over ordered pairs of nodes of two classes."""
    weighted = theta[:, None] * state
    total = weighted.sum(axis=0)
    return np.asarray(np.outer(total, total) - weighted.T @ weighted)


def _affinity(together: np.ndarray, pairs: np.ndarray, density: float) -> np.ndarray:
    """ω from the expected numbers of edges and pairs, drawn towards two pooled values."""
    inside = np.eye(len(together), dtype=bool)
    pooled = np.empty_like(together)
    for part in (inside, ~inside):
        if part.any():
            edges = together[part].sum() + POOLED_EDGES
            pooled[part] = edges / (max(pairs[part].sum(), 0.0) + POOLED_EDGES / density)
    found = (together + PSEUDO_EDGES) / (np.maximum(pairs, 0.0) + PSEUDO_EDGES / pooled)
    found = (found + found.T) / 2
    return np.asarray(np.clip(found, LEAST_AFFINITY, MOST_AFFINITY))


@compiled(fastmath=True)
def _sweep(
    indptr: np.ndarray,
    indices: np.ndarray,
    reverse: np.ndarray,
    messages: np.ndarray,
    state: np.ndarray,
    theta: np.ndarray,
    own: np.ndarray,
    affinity: np.ndarray,
    apart: np.ndarray,
    order: np.ndarray,
    known: np.ndarray,
) -> float:
    """Update every unlabelled node once; return the sum of the changes of the marginals."""
    n, k = state.shape
    total = np.zeros(k)
    longest = 0
    for i in range(n):
        longest = max(longest, indptr[i + 1] - indptr[i])
        for a in range(k):
            total[a] += theta[i] * state[i, a]
    heard = np.empty((longest, k))
    h, far = np.empty(k), np.empty(k)
    change = 0.0
    for i in order:
        if known[i]:
            continue
        first, last = indptr[i], indptr[i + 1]
        for a in range(k):
            far[a] = total[a] - theta[i] * state[i, a]
            h[a] = own[i, a]
        for e in range(first, last):
            j = indices[e]
            for a in range(k):
                far[a] -= theta[j] * state[j, a]
                likelihood = 0.0
                for b in range(k):
                    likelihood += affinity[a, b] * messages[e, b]
                heard[e - first, a] = np.log(likelihood)
                h[a] += heard[e - first, a]
        for a in range(k):
            pull = 0.0
            for b in range(k):
                pull += apart[a, b] * far[b]
            h[a] += theta[i] * pull
        top, norm = h.max(), 0.0
        for a in range(k):
            norm += np.exp(h[a] - top)
        for a in range(k):
            new = np.exp(h[a] - top) / norm
            change += abs(new - state[i, a])
            total[a] += theta[i] * (new - state[i, a])
            state[i, a] = new
        for e in range(first, last):
            row = heard[e - first]
            for a in range(k):
                row[a] = h[a] - row[a]
            top, norm = row.max(), 0.0
            for a in range(k):
                row[a] = np.exp(row[a] - top)
                norm += row[a]
            for a in range(k):
                messages[reverse[e], a] = row[a] / norm
    return change


@compiled(fastmath=True)
def _sweep_by_products(
    indptr: np.ndarray,
    indices: np.ndarray,
    reverse: np.ndarray,
    messages: np.ndarray,
    state: np.ndarray,
    theta: np.ndarray,
    own: np.ndarray,
    affinity: np.ndarray,
    apart: np.ndarray,
    order: np.ndarray,
    known: np.ndarray,
) -> float:
    """Do the same as :func:`_sweep`, to rounding, with ψ_{i→j} ∝ ψ_i / the likelihood of j.

    A likelihood lies between ``LEAST_AFFINITY`` and 1, so a class whose ψ_i is rounded to zero
    would have a message below 10⁻²⁹⁰.
    """
    k = state.shape[1]
    degrees = indptr[1:] - indptr[:-1]
    total = theta @ state
    heard = np.empty((degrees.max(), k))
    product, h, far = np.empty(k), np.empty(k), np.empty(k)
    change = 0.0
    for i in order:
        if known[i]:
            continue
        first = indptr[i]
        far[:] = total - theta[i] * state[i]
        h[:] = own[i]
        product[:] = 1.0
        for e in range(degrees[i]):
            j, row = indices[first + e], heard[e]
            row[:] = 0.0
            for b in range(k):
                message = messages[first + e, b]
                for a in range(k):  # affinities are symmetric
                    row[a] += affinity[b, a] * message
            for a in range(k):
                far[a] -= theta[j] * state[j, a]
                product[a] *= row[a]
            if e % BEFORE_LOGARITHM == BEFORE_LOGARITHM - 1:
                h += np.log(product)
                product[:] = 1.0
        h += np.log(product) + theta[i] * (apart @ far)
        h[:] = np.exp(h - h.max())
        new = h / h.sum()
        change += np.abs(new - state[i]).sum()
        total += theta[i] * (new - state[i])
        state[i] = new
        for e in range(degrees[i]):
            row, norm = heard[e], 0.0
            for a in range(k):
                row[a] = new[a] / row[a]
                norm += row[a]
            for a in range(k):
                messages[reverse[first + e], a] = row[a] / norm
    return change


@compiled(fastmath=True)
def _edges_in_pairs(reverse: np.ndarray, messages: np.ndarray, affinity: np.ndarray) -> np.ndarray:
    """Do the same as :func:`_edges`, to rounding, with both directions of an edge at once."""
    k = affinity.shape[0]
    found, likelihood = np.zeros((k, k)), np.empty(k)
    for e in range(reverse.size):
        if e < reverse[e]:
            there, back = messages[reverse[e]], messages[e]
            likelihood[:] = 0.0
            norm = 0.0
            for b in range(k):
                for a in range(k):  # affinities are symmetric
                    likelihood[a] += affinity[b, a] * back[b]
            for a in range(k):
                norm += there[a] * likelihood[a]
            for a in range(k):
                share = there[a] / norm
                for b in range(k):
                    found[a, b] += share * back[b]
    return affinity * (found + found.T)


@compiled(fastmath=True)
def _edges(reverse: np.ndarray, messages: np.ndarray, affinity: np.ndarray) -> np.ndarray:
    """(classes, classes) expected number of edges, each counted in both directions."""
    k = affinity.shape[0]
    found, joint = np.zeros((k, k)), np.empty((k, k))
    for e in range(reverse.size):
        norm = 0.0
        for a in range(k):
            for b in range(k):
                joint[a, b] = affinity[a, b] * messages[reverse[e], a] * messages[e, b]
                norm += joint[a, b]
        for a in range(k):
            for b in range(k):
                found[a, b] += joint[a, b] / norm
    return found
