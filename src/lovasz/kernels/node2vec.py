"""node2vec (Grover and Leskovec 2016): skip-gram on biased random walks.

The walks are those of :mod:`lovasz.kernels.random_walks`, the vectors those of
:mod:`lovasz.kernels.skip_gram`. One thread, one stream of random numbers: a seed gives the same
vectors every time.
"""

from __future__ import annotations

from functools import wraps
from typing import Any

import numpy as np
from scipy import sparse

from lovasz.base.checks import check_whole, is_number, random_generator
from lovasz.base.errors import LovaszError
from lovasz.base.memory import refuse_if_too_large
from lovasz.graphs import Graph, as_graph


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
    :mod:`lovasz.kernels.random_walks`. Weights of edges are respected. A node without neighbours
    is on no walk and keeps the small random vector all nodes begin with.

    >>> node2vec_vectors([("a", "b"), ("b", "c")], dim=4, walks=2, length=5).shape
    (3, 4)
    """
    # Importing numba takes a moment, which the other kernels need not wait for.
    from lovasz.kernels.random_walks import random_walks
    from lovasz.kernels.skip_gram import skip_gram

    sizes = {"dim": dim, "walks": walks, "length": length, "window": window}
    for name, value in {**sizes, "negatives": negatives, "epochs": epochs}.items():
        check_whole(value, name, least=2 if name == "length" else 1)
    for name, number in {"p": p, "q": q, "lr": lr}.items():
        if not (is_number(number) and number > 0):
            raise LovaszError(f"{name}={number!r} must be a number > 0")
    graph = as_graph(graph)
    rng = random_generator(seed)
    vectors = ((rng.random((graph.n, dim)) - 0.5) / dim).astype(np.float32)
    if graph.m:
        paths = random_walks(graph, walks=walks, length=length, p=p, q=q, rng=rng)
        skip_gram(paths, vectors, window=window, negatives=negatives, epochs=epochs, lr=lr, rng=rng)
    return vectors.astype(np.float64)


@wraps(node2vec_vectors, assigned=())  # inspect.signature then finds the options
def node2vec(graph: Graph, **options: Any) -> sparse.csr_array:
    """K = Z Zᵀ with the unit vectors of :func:`node2vec_vectors` as rows of Z; a full matrix.

    Vectors of one graph share a direction, so nearly all of K is positive (on Cora 0.35 on
    average, λ_max = 939): a network whose ReLUs see it as it is tends to die and to name one
    class. Rows of Z with their mean taken off before they are scaled learn.

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
