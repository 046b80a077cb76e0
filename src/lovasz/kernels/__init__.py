"""Kernels, the matrices with which a network propagates: one registry and one entry point.

========================  ==================================================================
``lovasz``                optimal for ϑ(G) up to ``epsilon``, in 𝒦(G), by ``choice``; sparse
``ls``                    I + C / |λ_min(C)|, the Luz–Schrijver kernel, in 𝒦(G); sparse
``gcn``                   D̃^-½ (A + I) D̃^-½, Kipf and Welling's propagation; sparse
``adjacency``             A; sparse
``laplacian``             (c I + L)⁻¹, L = D − A
``normalized-laplacian``  (c I + D^-½ L D^-½)⁻¹
``k-scaling``             S^-½ (c I + L)⁻¹ S^-½, S the diagonal of the inverse
``ppr``                   α (I − (1−α) Â)⁻¹, personalised PageRank, Â the ``gcn`` kernel
``heat``                  exp(−t D^-½ L D^-½)
``node2vec``              Z Zᵀ, the rows of Z being unit vectors of node2vec
========================  ==================================================================

The last six are full matrices, all but ``node2vec`` only on each connected component. If a kernel
would not fit in memory, an error says so before anything is allocated.

To add a kernel, write a function of a :class:`~lovasz.graphs.Graph` and keyword options that
returns a symmetric csr_array, and enter it in ``KERNELS``.

>>> sorted(KERNELS)[:3]
['adjacency', 'gcn', 'heat']
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.graphs import Graph, as_graph
from lovasz.graphs.weight_sums import check_weight_sums
from lovasz.kernels.adjacency import adjacency, gcn
from lovasz.kernels.diffusion import heat, ppr
from lovasz.kernels.laplacian import k_scaling, laplacian, normalized_laplacian
from lovasz.kernels.luz_schrijver import ls
from lovasz.kernels.node2vec import node2vec
from lovasz.kernels.optimal import lovasz
from lovasz.linalg.kernel_matrix import Kernel

KERNELS: dict[str, Callable[..., sparse.csr_array]] = {
    "lovasz": lovasz,
    "ls": ls,
    "gcn": gcn,
    "adjacency": adjacency,
    "laplacian": laplacian,
    "normalized-laplacian": normalized_laplacian,
    "k-scaling": k_scaling,
    "ppr": ppr,
    "heat": heat,
    "node2vec": node2vec,
}
"""The kernels by name, each a function of a graph and keyword options."""

__all__ = ["KERNELS", "kernel", "make_kernel"]


def kernel(graph: Any, name: str, **options: Any) -> Kernel:
    """The kernel ``name`` of a graph: symmetric, float64, with rows in the order of its nodes.

    It is a SciPy csr_array that notebooks can show (:class:`lovasz.linalg.kernel_matrix.Kernel`).

    ``graph`` is anything that :func:`lovasz.as_graph` takes. ``options`` belong to the kernel:
    those of :func:`lovasz.kernels.optimal.lovasz` for ``lovasz``, ``weights``, ``features`` and
    ``tol`` for ``ls``, ``c`` for the Laplacian kernels, ``alpha`` for ``ppr``, ``t`` for
    ``heat``, and those of :func:`lovasz.kernels.node2vec.node2vec_vectors` for ``node2vec``.

    >>> kernel([("a", "b"), ("b", "c")], "gcn").shape
    (3, 3)
    """
    check_kernel(name, options)
    return Kernel.named(name, make_kernel(as_graph(graph), name, **options))


def make_kernel(graph: Graph, name: str, **options: Any) -> sparse.csr_array:
    """Return the kernel ``name`` of a :class:`lovasz.Graph`; see :func:`kernel`.

    >>> from lovasz import as_graph
    >>> make_kernel(as_graph([(0, 1), (1, 2)]), "adjacency").toarray().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    check_kernel(name, options)
    if graph.n == 0:
        raise LovaszError("the graph has no nodes; a kernel needs at least one")
    check_weight_sums(graph)
    return KERNELS[name](graph, **options)


def check_kernel(name: str, options: dict[str, Any]) -> None:
    """Refuse a kernel or an option that does not exist."""
    if not isinstance(name, str) or name not in KERNELS:
        raise LovaszError(f"unknown kernel {name!r}; known: {', '.join(KERNELS)}")
    known = [p for p in inspect.signature(KERNELS[name]).parameters if p != "graph"]
    if unknown := [option for option in options if option not in known]:
        raise LovaszError(
            f"kernel {name!r} has no option {unknown[0]!r}; "
            f"its options: {', '.join(known) or 'none'}"
        )
