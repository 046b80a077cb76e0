"""The refinement of a partition: the probability of every community for every node.

The embedding gives a first partition but ignores the likelihood of the degree-corrected planted
partition (Karrer and Newman 2011), P(i ~ j) = θ_i θ_j ω_in inside a community and θ_i θ_j ω_out
between two, θ_i = d_i/⟨d⟩. Up to a constant its logarithm is

    J Σ_{i~j} δ(σ_i, σ_j) − L Σ_{i≁j} θ_i θ_j δ(σ_i, σ_j) + Σ_i log π(σ_i),
    J = log(ω_in/ω_out),    L = log((1−ω_out) / (1−ω_in)),

exact if θ = 1 and to first order in θ_iθ_jω otherwise: modularity at a temperature (Newman 2016).
Neighbours exchange messages by belief propagation, as in Decelle, Krzakala, Moore and Zdeborová
(2011) and Zhang and Moore (2014):

    h_i(a) = log π(a) + Σ_{j~i} log(1 + (e^J − 1) ψ_{j→i}(a)) − F_i(a),
    ψ_{i→j} ∝ exp(h_i − the term of j),    ψ_i ∝ exp(h_i),

and the non-neighbours act through the mean field F_i(a) = L θ_i Σ_{j≁i} θ_j ψ_j(a), minus its
part that is due to i itself (Onsager's reaction term, which vanishes in sparse graphs and matters
in dense ones). ω and π are learned from the messages along the way (expectation maximisation). On
sparse block models this is conjectured to be optimal down to the detectability threshold.

The logarithm of the probability of the graph is then approximated by Bethe's

    Σ_i log Σ_a e^{h_i(a)} − Σ_{i~j} log(1 + (e^J − 1) ψ_{i→j}·ψ_{j→i}) + L Σ_{i≁j} θ_iθ_j ψ_i·ψ_j
    + Σ_{i~j} log ω_out + Σ_{i≁j} θ_iθ_j log(1 − ω_out),

which grows with k while communities are real and falls when they are noise, so it compares ks.
"""

from __future__ import annotations

import math
from time import monotonic
from typing import NamedTuple

import numpy as np

from lovasz.base.compiled import compiled
from lovasz.base.deadline import Deadline
from lovasz.graphs import Graph
from lovasz.graphs.adjacency_lists import AdjacencyLists

SWEEPS = 100
"""Largest number of sweeps over all nodes."""
TOL = 1e-3
"""Mean change of a node's marginals below which the sweeps end."""
SWEEP_SECONDS = 5e-8
"""CPU seconds per edge and community, and OVERHEAD more, that a sweep is expected to take."""
OVERHEAD = 8
"""What a sweep takes per edge beside the communities, in communities."""
ECHO = 0.01
"""Density up to which the reaction term is left out. It is small there and costs n k² per sweep."""
FLOOR = 1e-9
"""Smallest probability of an edge."""
LEAST = 1e-100
"""Smallest probability of a community."""


class Posterior(NamedTuple):
    """Probabilities of the communities of every node, and of edges inside and between them."""

    marginals: np.ndarray
    """(n, k) the probability of every community for every node."""
    inside: float
    """ω_in, the probability of an edge inside a community."""
    between: float
    """ω_out, the probability of an edge between two communities."""
    evidence: float
    """The approximate log P(graph), −∞ if there was no time to propagate anything."""


def propagate_beliefs(
    graph: Graph,
    labels: np.ndarray,
    k: int,
    known: np.ndarray,
    rng: np.random.Generator,
    deadline: Deadline | None = None,
) -> Posterior:
    """Propagate beliefs from the partition ``labels``; nodes that are ``known`` keep theirs.

    The coupling starts at J* = log(1 + k/(√c − 1)), below which no community is seen and at
    which every detectable one is (Zhang and Moore 2014). The coupling that the first partition
    suggests is too strong if the partition fits noise. At the deadline the sweeps end.
    """
    deadline = Deadline() if deadline is None else deadline
    state = np.full((graph.n, k), 0.1 / k)
    state[np.arange(graph.n), labels] += 0.9
    state[known] = np.eye(k)[labels[known]]
    if not deadline.fits(3 * SWEEP_SECONDS * graph.m * (k + OVERHEAD)):  # with all around it
        return Posterior(state, math.nan, math.nan, -math.inf)
    lists = AdjacencyLists(graph)
    indptr, indices = lists.indptr, lists.indices
    # Sorted by (column, row), the k-th entry is the mirror image of the k-th by (row, column).
    reverse = np.argsort(indices, kind="stable")
    theta = graph.degrees / max(2 * graph.m / max(graph.n, 1), 1e-300)
    excess = max(float((graph.degrees.astype(float) ** 2).sum() / (2 * graph.m)) - 1, 1.5)
    density = 2 * graph.m / (graph.n * (graph.n - 1))
    contrast = np.exp(np.log1p(k / (np.sqrt(excess / max(1 - density, 0.1)) - 1)))
    messages = state[indices]
    share = np.full(k, 1 / k)
    inside, between = _densities(contrast, density, share)
    edges = (indptr, indices, reverse)
    for sweep in range(SWEEPS):
        began = monotonic()
        boost, L = inside / between - 1, np.log((1 - between) / (1 - inside))
        change = _sweep(
            *edges, messages, state, theta, np.log(share), boost, L,
            rng.permutation(graph.n), known, density > ECHO,
        )  # fmt: skip
        if change < TOL * graph.n and sweep > 5:
            break
        if not deadline.allows(2 * (monotonic() - began)):  # one more, and the evidence
            break
        if sweep >= 2:
            together = _together(reverse, messages, boost)
            inside, between = _learn(graph, state, theta, together, inside, between)
            share = (state.sum(axis=0) + 1) / (graph.n + k)
    evidence = _evidence(*edges, messages, state, theta, np.log(share), boost, L, known)
    return Posterior(state, inside, between, evidence + null_evidence(graph, between))


def null_evidence(graph: Graph, omega: float | None = None) -> float:
    """log P(graph) without communities, P(i ~ j) = θ_i θ_j ω; ω is the likeliest if None."""
    theta = graph.degrees / max(2 * graph.m / max(graph.n, 1), FLOOR)
    far = theta @ (theta.sum() - theta - graph.adjacency @ theta) / 2
    if omega is None:
        omega = graph.m / max((theta.sum() ** 2 - (theta**2).sum()) / 2, FLOOR)
    omega = float(np.clip(omega, FLOOR, 1 - FLOOR))
    return float(graph.m * np.log(omega) + far * np.log1p(-omega))


def _densities(contrast: float, density: float, share: np.ndarray) -> tuple[float, float]:
    """ω_in and ω_out = ω_in / contrast whose mean over all pairs is ``density``."""
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
    """ω from the expected edges and pairs inside communities, averaged with its former value."""
    weight = theta @ state
    square = theta**2
    pairs = ((weight**2).sum() - square @ (state**2).sum(axis=1)) / 2
    every = (theta.sum() ** 2 - square.sum()) / 2
    found = together / max(pairs, FLOOR), (graph.m - together) / max(every - pairs, FLOOR)
    inside = np.clip((inside + found[0]) / 2, FLOOR, 0.995)
    return float(inside), float(np.clip((between + found[1]) / 2, FLOOR, inside))


@compiled(fastmath=True)
def _sweep(
    indptr: np.ndarray,
    indices: np.ndarray,
    reverse: np.ndarray,
    messages: np.ndarray,
    state: np.ndarray,
    theta: np.ndarray,
    prior: np.ndarray,
    boost: float,
    L: float,
    order: np.ndarray,
    known: np.ndarray,
    echoes: bool,
) -> float:
    """Update every node once, in the given order, and return the total change of marginals."""
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


@compiled(fastmath=True)
def _listen(
    i: int,
    indptr: np.ndarray,
    indices: np.ndarray,
    messages: np.ndarray,
    state: np.ndarray,
    theta: np.ndarray,
    prior: np.ndarray,
    boost: float,
    L: float,
    total: np.ndarray,
    h: np.ndarray,
    far: np.ndarray,
    heard: np.ndarray,
) -> None:
    """Write h_i to ``h[0]``, its neighbours' factors to ``heard``, Σ_{j≁i} θ_j ψ_j to ``far``.

    Logarithms are slow, so one is taken of every product of sixteen factors.
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


@compiled(fastmath=True)
def _answer(
    i: int,
    h: np.ndarray,
    heard: np.ndarray,
    first: int,
    last: int,
    reverse: np.ndarray,
    messages: np.ndarray,
    state: np.ndarray,
    own: float,
    total: np.ndarray,
) -> float:
    """Update the marginal of node i and its messages, and return the change of the marginal.

    The message to a neighbour is the marginal without the factor of that neighbour.
    """
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


@compiled(fastmath=True)
def _together(reverse: np.ndarray, messages: np.ndarray, boost: float) -> float:
    """The expected number of edges inside communities."""
    found = 0.0
    for e in range(reverse.size):
        same = 0.0
        for a in range(messages.shape[1]):
            same += messages[e, a] * messages[reverse[e], a]
        found += (1 + boost) * same / (1 + boost * same)
    return found / 2


@compiled(fastmath=True)
def _evidence(
    indptr: np.ndarray,
    indices: np.ndarray,
    reverse: np.ndarray,
    messages: np.ndarray,
    state: np.ndarray,
    theta: np.ndarray,
    prior: np.ndarray,
    boost: float,
    L: float,
    known: np.ndarray,
) -> float:
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
