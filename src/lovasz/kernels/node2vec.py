"""node2vec (Grover and Leskovec 2016): skip-gram on biased random walks.

With walks as sentences, two vectors a node, z and c, are trained to tell the pairs (u, v) that
are at most ``window`` steps apart on a walk from pairs (u, v') with v' drawn from noise:

    max  Σ_(u,v)  log σ(z_u · c_v) + Σ_k log σ(−z_u · c_v'),    v' ~ visits^¾

by stochastic gradient with a step that falls linearly (Mikolov et al. 2013). One thread, one
stream of random numbers: a seed gives the same vectors every time.
"""

from __future__ import annotations

from functools import wraps
from operator import index
from typing import Any

import numpy as np
from numba import njit
from scipy import sparse

from lovasz.errors import LovaszError
from lovasz.graphs import Graph, as_graph
from lovasz.kernels.full import is_number, refuse_if_too_large
from lovasz.kernels.walks import random_walks

LEAST_STEP = 1e-4  # of the first; word2vec's


def node2vec_vectors(
    graph: Any,
    *,
    dim: int = 128,
    walks: int = 10,
    length: int = 80,
    window: int = 10,
    p: float = 1.0,
    q: float = 1.0,
    negatives: int = 5,
    epochs: int = 1,
    lr: float = 0.025,
    seed: int = 0,
) -> np.ndarray:
    """The (n, ``dim``) vectors z of the nodes, one a row; see :mod:`lovasz.kernels.node2vec`.

    ``walks`` of ``length`` nodes start at every node; ``p`` and ``q`` bias them as in
    :mod:`lovasz.kernels.walks`. Weights of edges are respected. A node without neighbours is on
    no walk and keeps the small random vector all nodes begin with.

    >>> node2vec_vectors([("a", "b"), ("b", "c")], dim=4, walks=2, length=5).shape
    (3, 4)
    """
    sizes = {"dim": dim, "walks": walks, "length": length, "window": window}
    for name, value in {**sizes, "negatives": negatives, "epochs": epochs}.items():
        _whole(name, value, least=2 if name == "length" else 1)
    for name, number in {"p": p, "q": q, "lr": lr}.items():
        if not (is_number(number) and number > 0):
            raise LovaszError(f"{name}={number!r} must be a number > 0")
    graph = as_graph(graph)
    rng = np.random.default_rng(_whole("seed", seed, least=0))
    vectors = ((rng.random((graph.n, dim)) - 0.5) / dim).astype(np.float32)
    if graph.m:
        paths = random_walks(graph, walks=walks, length=length, p=p, q=q, rng=rng)
        noise = np.cumsum(np.bincount(paths.ravel(), minlength=graph.n) ** 0.75)
        noise /= noise[-1]
        # Where to begin the search in ``noise`` for a number in [k/n, (k+1)/n): two steps, on
        # average, find it.
        guide = np.searchsorted(noise, np.arange(graph.n) / graph.n, side="right")
        contexts = np.zeros_like(vectors)
        step = np.float32(lr)
        _skip_gram(paths, vectors, contexts, noise, guide, window, negatives, epochs, step, rng)
    return vectors.astype(np.float64)


@wraps(node2vec_vectors, assigned=())  # inspect.signature then finds the options
def node2vec(graph: Graph, **options: Any) -> sparse.csr_array:
    """K = Z Zᵀ with the unit vectors of :func:`node2vec_vectors` as rows of Z; a full matrix.

    For large graphs train on ``LowRank(unit_rows(node2vec_vectors(graph)))`` of
    :class:`lovasz.nn.LowRank`, which never forms it.
    """
    remedy = "train on lovasz.nn.LowRank of lovasz.kernels.node2vec.node2vec_vectors instead"
    refuse_if_too_large("kernel 'node2vec'", graph.n**2, remedy)
    Z = unit_rows(node2vec_vectors(graph, **options))
    return sparse.csr_array(Z @ Z.T)


def unit_rows(vectors: np.ndarray) -> np.ndarray:
    """Each row divided by its length.

    >>> unit_rows(np.array([[3.0, 4.0]]))
    array([[0.6, 0.8]])
    """
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _whole(name: str, value: Any, *, least: int) -> int:
    try:
        number = index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise LovaszError(f"{name}={value!r} must be a whole number >= {least}")
    return number


@njit(cache=True, fastmath=True)
def _skip_gram(paths, vectors, contexts, noise, guide, window, negatives, epochs, lr, rng):
    count, length = paths.shape
    change = np.empty(vectors.shape[1], dtype=np.float32)
    for turn in range(epochs * count):
        rate = lr * np.float32(max(LEAST_STEP, 1 - turn / (epochs * count)))
        path = paths[turn % count]
        for i in range(length):
            reach = 1 + int(rng.random() * window)  # so that near nodes count more
            for j in range(max(0, i - reach), min(length, i + reach + 1)):
                if j != i:
                    _learn(
                        vectors[path[j]], path[i], contexts, noise, guide, negatives, rate,
                        change, rng,
                    )  # fmt: skip


@njit(cache=True, fastmath=True)
def _learn(vector, seen, contexts, noise, guide, negatives, rate, change, rng):
    """One step: ``vector`` towards the context of ``seen``, away from those of the noise."""
    change[:] = 0
    for k in range(negatives + 1):
        node = seen if k == 0 else _noise(noise, guide, rng)
        if k > 0 and node == seen:
            continue
        context = contexts[node]
        score = np.float32(0)
        for d in range(vector.size):
            score += vector[d] * context[d]
        wanted = np.float32(1 if k == 0 else 0)
        step = rate * (wanted - np.float32(1) / (np.float32(1) + np.exp(-score)))
        for d in range(vector.size):
            change[d] += step * context[d]
            context[d] += step * vector[d]
    for d in range(vector.size):
        vector[d] += change[d]


@njit(cache=True)
def _noise(noise, guide, rng):
    u = rng.random()
    node = guide[int(u * guide.size)]
    while noise[node] <= u:
        node += 1
    return node
