"""Refinement: the probabilities of the communities of every node, by belief propagation.

The embedding gives a first partition; what it leaves on the table is the likelihood of the
degree-corrected planted partition (Karrer and Newman 2011), P(i ~ j) = θ_i θ_j ω_in inside a
community and θ_i θ_j ω_out between two, θ_i = d_i/⟨d⟩. Up to a constant its logarithm is

    J Σ_{i~j} δ(σ_i, σ_j) − L Σ_{i≁j} θ_i θ_j δ(σ_i, σ_j) + Σ_i log π(σ_i),
    J = log(ω_in/ω_out),    L = log((1−ω_out) / (1−ω_in)),

exact where θ = 1 and to first order in θ_iθ_jω elsewhere: modularity at a temperature (Newman
2016). Neighbours exchange messages, as in Decelle, Krzakala,
Moore and Zdeborová (2011) and Zhang and Moore (2014):

    h_i(a) = log π(a) + Σ_{j~i} log(1 + (e^J − 1) ψ_{j→i}(a)) − F_i(a),
    ψ_{i→j} ∝ exp(h_i − the term of j),    ψ_i ∝ exp(h_i),

and the non-neighbours act through the mean field F_i(a) = L θ_i Σ_{j≁i} θ_j ψ_j(a), less what of
it is the echo of i itself (Onsager's reaction term; it vanishes in sparse graphs and counts in
dense ones). ω and π are learned from the messages as they go (expectation maximisation). On
sparse block models this is conjectured to be optimal down to the detectability threshold.

The logarithm of the probability of the graph is then near Bethe's

    Σ_i log Σ_a e^{h_i(a)} − Σ_{i~j} log(1 + (e^J − 1) ψ_{i→j}·ψ_{j→i}) + L Σ_{i≁j} θ_iθ_j ψ_i·ψ_j
    + Σ_{i~j} log ω_out + Σ_{i≁j} θ_iθ_j log(1 − ω_out),

which grows with k while communities are real and falls when they are noise: it compares ks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from lovasz.graphs import Graph

SWEEPS = 100
TOL = 1e-3
"""Change of a marginal, on average, below which the sweeps end."""
ECHO = 0.01
"""Density up to which the reaction term is left out: it is small there and costs n k² a sweep."""
FLOOR, LEAST = 1e-9, 1e-100
"""Of the probability of an edge, and of a community."""


class Posterior(NamedTuple):
    """Probabilities of the communities of every node, and of edges inside and between them."""

    marginals: np.ndarray
    """(n, k)"""
    inside: float
    between: float
    evidence: float
    """log P(graph), nearly."""


def propagate(
    graph: Graph, labels: np.ndarray, k: int, known: np.ndarray, rng: np.random.Generator
) -> Posterior:
    """Beliefs from the partition ``labels``; nodes where ``known`` keep theirs.

    The coupling starts at J* = log(1 + k/(√c − 1)), below which no community is seen and at
    which one that can be detected is (Zhang and Moore 2014); the one the first partition
    suggests is too strong where it fits noise.
    """
    indptr, indices, reverse, theta = _neighbours(graph)
    excess = max(float((graph.degrees.astype(float) ** 2).sum() / (2 * graph.m)) - 1, 1.5)
    density = 2 * graph.m / (graph.n * (graph.n - 1))
    contrast = np.exp(np.log1p(k / (np.sqrt(excess / max(1 - density, 0.1)) - 1)))
    state = np.full((graph.n, k), 0.1 / k)
    state[np.arange(graph.n), labels] += 0.9
    state[known] = np.eye(k)[labels[known]]
    messages = state[indices]
    share = np.full(k, 1 / k)
    inside, between = _densities(contrast, density, share)
    edges = (indptr, indices, reverse)
    for sweep in range(SWEEPS):
        boost, L = inside / between - 1, np.log((1 - between) / (1 - inside))
        change = _sweep(
            *edges, messages, state, theta, np.log(share), boost, L,
            rng.permutation(graph.n), known, density > ECHO,
        )  # fmt: skip
        if change < TOL * graph.n and sweep > 5:
            break
        if sweep >= 2:
            together = _together(reverse, messages, boost)
            inside, between = _learn(graph, state, theta, together, inside, between)
            share = (state.sum(axis=0) + 1) / (graph.n + k)
    evidence = _evidence(*edges, messages, state, theta, np.log(share), boost, L, known)
    return Posterior(state, inside, between, evidence + null_evidence(graph, between))


def null_evidence(graph: Graph, omega: float | None = None) -> float:
    """log P(graph) if there are no communities: P(i ~ j) = θ_i θ_j ω, ω the likeliest."""
    theta = graph.degrees / max(2 * graph.m / max(graph.n, 1), FLOOR)
    far = theta @ (theta.sum() - theta - graph.adjacency @ theta) / 2
    if omega is None:
        omega = graph.m / max((theta.sum() ** 2 - (theta**2).sum()) / 2, FLOOR)
    omega = float(np.clip(omega, FLOOR, 1 - FLOOR))
    return float(graph.m * np.log(omega) + far * np.log1p(-omega))


def _neighbours(graph: Graph) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Neighbour lists, where the message the other way round is stored, and θ."""
    A = graph.adjacency
    # One choice of dtypes whatever the graph has, so that numba compiles once.
    indptr, indices = A.indptr.astype(np.int64), A.indices.astype(np.int64)
    # Sorted by (column, row), the k-th entry is the mirror image of the k-th by (row, column).
    reverse = np.argsort(indices, kind="stable")
    mean = max(2 * graph.m / max(graph.n, 1), 1e-300)
    return indptr, indices, reverse, graph.degrees / mean


def _densities(contrast: float, density: float, share: np.ndarray) -> tuple[float, float]:
    """ω_in = contrast·ω_out, with the mean over pairs that is given."""
    same = float((share**2).sum())
    between = density / (1 + (contrast - 1) * same)
    return min(contrast * between, 0.98), max(between, FLOOR)


def _learn(
    graph: Graph,
    state: np.ndarray,
    theta: np.ndarray,
    together: float,
    inside: float,
    between: float,
) -> tuple[float, float]:
    """ω from the expected edges and pairs inside communities, halfway from where it was."""
    weight = theta @ state
    square = theta**2
    pairs = ((weight**2).sum() - square @ (state**2).sum(axis=1)) / 2
    every = (theta.sum() ** 2 - square.sum()) / 2
    found = together / max(pairs, FLOOR), (graph.m - together) / max(every - pairs, FLOOR)
    inside = np.clip((inside + found[0]) / 2, FLOOR, 0.995)
    return float(inside), float(np.clip((between + found[1]) / 2, FLOOR, inside))


@njit(cache=True, fastmath=True)
def _sweep(indptr, indices, reverse, messages, state, theta, prior, boost, L, order, known, echoes):
    """Update every node once, in the given order; the sum of the changes of the marginals."""
    n, k = state.shape
    total = theta @ state
    square, cross = np.zeros(k), np.zeros((k, k))
    if echoes:
        for i in range(n):
            for a in range(k):
                square[a] += theta[i] ** 2 * state[i, a]
                for b in range(k):
                    cross[a, b] += theta[i] ** 2 * state[i, a] * state[i, b]
    heard = np.empty((np.diff(indptr).max(), k))
    h, far = np.empty((2, k)), np.empty(k)
    change = 0.0
    for i in order:
        if known[i]:
            continue
        _listen(i, indptr, indices, messages, state, theta, prior, boost, L, total, h, far, heard)
        if echoes:
            share = L * L * theta[i] ** 2 * (1 - (indptr[i + 1] - indptr[i]) / n)
            for a in range(k):
                h[0, a] -= share * square[a] * state[i, a]
                for b in range(k):
                    h[0, a] += share * cross[a, b] * state[i, b]
        first, last = indptr[i], indptr[i + 1]
        change += _answer(i, h[0], heard, first, last, reverse, messages, state, theta[i], total)
    return change


@njit(cache=True, fastmath=True)
def _listen(i, indptr, indices, messages, state, theta, prior, boost, L, total, h, far, heard):
    """h_i in ``h[0]``, the factors of its neighbours in ``heard``, Σ_{j≁i} θ_j ψ_j in ``far``.

    Logarithms are slow: one is taken of the product of sixteen factors.
    """
    first = indptr[i]
    for a in range(far.size):
        far[a] = total[a] - theta[i] * state[i, a]
        h[0, a] = prior[a]
        h[1, a] = 1.0
    for e in range(first, indptr[i + 1]):
        j = indices[e]
        for a in range(far.size):
            factor = 1 + boost * messages[e, a]
            heard[e - first, a] = factor
            h[1, a] *= factor
            far[a] -= theta[j] * state[j, a]
        if (e - first) % 16 == 15:
            for a in range(far.size):
                h[0, a] += np.log(h[1, a])
                h[1, a] = 1.0
    for a in range(far.size):
        h[0, a] += np.log(h[1, a]) - L * theta[i] * far[a]


@njit(cache=True, fastmath=True)
def _answer(i, h, heard, first, last, reverse, messages, state, own, total):
    """Node i's marginal, and to each neighbour the same without what that one said."""
    k = h.size
    top = h.max()
    norm = 0.0
    for a in range(k):
        norm += np.exp(h[a] - top)
    change = 0.0
    for a in range(k):
        new = max(np.exp(h[a] - top) / norm, LEAST)
        change += abs(new - state[i, a])
        total[a] += own * (new - state[i, a])
        state[i, a] = new
    for e in range(first, last):
        norm = 0.0
        for a in range(k):
            heard[e - first, a] = state[i, a] / heard[e - first, a]
            norm += heard[e - first, a]
        for a in range(k):
            messages[reverse[e], a] = heard[e - first, a] / norm
    return change


@njit(cache=True, fastmath=True)
def _together(reverse, messages, boost):
    """The expected number of edges inside communities."""
    found = 0.0
    for e in range(reverse.size):
        same = 0.0
        for a in range(messages.shape[1]):
            same += messages[e, a] * messages[reverse[e], a]
        found += (1 + boost) * same / (1 + boost * same)
    return found / 2


@njit(cache=True, fastmath=True)
def _evidence(indptr, indices, reverse, messages, state, theta, prior, boost, L, known):
    """The first line of Bethe's logarithm."""
    n, k = state.shape
    total = theta @ state
    heard = np.empty((np.diff(indptr).max(), k))
    h, far = np.empty((2, k)), np.empty(k)
    found = 0.0
    for i in range(n):
        _listen(i, indptr, indices, messages, state, theta, prior, boost, L, total, h, far, heard)
        top = h[0].max()
        norm = 0.0
        for a in range(k):
            norm += np.exp(h[0, a] - top)
            found += L * theta[i] * far[a] * state[i, a] / 2
        found += h[0, state[i].argmax()] if known[i] else top + np.log(norm)
    for e in range(reverse.size):
        same = 0.0
        for a in range(k):
            same += messages[e, a] * messages[reverse[e], a]
        found -= np.log(1 + boost * same) / 2
    return found
