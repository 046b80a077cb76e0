"""node2vec (Grover and Leskovec 2016): skip-gram on biased random walks.

The walks come from :mod:`lovasz.kernels.random_walks`, the vectors from
:mod:`lovasz.kernels.skip_gram`. There is one thread and one stream of random numbers, so the same
seed gives the same vectors every time.
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
from lovasz.linalg.scaling import unit_rows


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
    """The (n, ``dim``) vectors z of the nodes, one row per node.

    ``walks`` of ``length`` nodes start at every node; ``p`` and ``q`` bias them as in
    :mod:`lovasz.kernels.random_walks`. Edge weights are respected. A node without neighbours is
    on no walk and keeps its small random initial vector.

    >>> node2vec_vectors([("a", "b"), ("b", "c")], dim=4, walks=2, length=5).shape
    (3, 4)
    """
    # Importing numba takes a moment, and the other kernels do not need it.
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
    """The full matrix K = Z Zᵀ, with the unit vectors of :func:`node2vec_vectors` as rows of Z.

    Vectors of one graph share a direction, so nearly all entries of K are positive (on Cora they
    are 0.35 on average, and λ_max = 939). A network with ReLUs on this kernel tends to die and to
    predict a single class. It learns if the mean is subtracted from the rows of Z before they are
    scaled.

    For large graphs train on :class:`lovasz.nn.LowRank` of ``unit_rows(vectors)``, which never
    forms K.
    """
    remedy = "train on lovasz.nn.LowRank of lovasz.kernels.node2vec.node2vec_vectors instead"
    refuse_if_too_large("kernel 'node2vec'", graph.n**2, remedy)
    Z = unit_rows(node2vec_vectors(graph, **options), least=0.0)
    return sparse.csr_array(Z @ Z.T)
