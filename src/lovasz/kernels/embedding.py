"""Orthonormal embeddings: unit vectors close to one handle, orthogonal for non-neighbours."""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import scipy.linalg

from lovasz.base.checks import check_whole
from lovasz.base.deadline import Deadline, crowding
from lovasz.base.errors import LovaszError
from lovasz.base.files import atomic
from lovasz.base.memory import refuse_if_too_large
from lovasz.base.tables import write_table
from lovasz.graphs import Graph, as_graph
from lovasz.graphs.formats.arrays import name_array
from lovasz.linalg.eigenvalues import DENSE_SECONDS

GRACE = 1.0
"""Seconds by which the last step of an embedding may exceed a time limit."""


@dataclass(frozen=True)
class Embedding:
    """Unit vectors u_i with u_i·u_j = K_ij, and a unit handle c with 1/(c·u_i)² = ``upper``.

    >>> E = embedding([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)])
    >>> near = (E.vectors @ E.handle) ** 2  # one number for all nodes
    >>> bool(np.allclose(1 / near, E.upper))
    True
    """

    vectors: np.ndarray
    """(n, d) unit vectors, one row per node."""
    handle: np.ndarray
    """(d,) the unit vector (1, 0, …, 0)."""
    nodes: Sequence[Hashable]
    """The names of the nodes, one per row of ``vectors``."""
    upper: float
    """The proven upper bound on ϑ that the handle attains."""


def embedding(
    graph: Any, dim: int | None = None, *, time_limit: float | None = None, **options: Any
) -> Embedding:
    """The optimal orthonormal representation of a graph; ``options`` are passed to ``theta``.

    Y = tK − J ⪰ 0 has a factor Y = PᵀP. With u_i = (c + p_i)/√t and c orthogonal to every p_i,
    u_i·u_j = K_ij and c·u_i = 1/√t. ``dim`` keeps the handle and the ``dim − 1`` largest
    directions, and rescales the p_i so that the u_i stay unit vectors. Orthogonality then holds
    only approximately.

    ``time_limit`` is in seconds. The vectors are then those of the best upper bound on ϑ that is
    proven in time. If not even the eigendecomposition of K, for which time is set aside, fits into
    the limit, that is an error.

    >>> E = embedding([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)])
    >>> bool(abs(E.vectors[0] @ E.vectors[2]) < 1e-6)
    True
    """
    from lovasz.number import theta
    from lovasz.number.solvers.contract import never

    deadline = Deadline(time_limit)
    graph = as_graph(graph, weights="drop")
    if dim is not None:  # the handle and one direction
        dim = check_whole(dim, "dim", least=2)
    refuse_if_too_large("the embedding", graph.n**2, "embed a part of the graph")
    last = DENSE_SECONDS * graph.n**3 * crowding()
    if not deadline.allows(last - GRACE):
        raise LovaszError(
            f"time_limit={time_limit:g}: the last step of the embedding of {graph.n:,} nodes takes "
            f"about {math.ceil(last):,} seconds; allow more, or embed a part of the graph"
        )
    left = max(deadline.left() - last, 0.0)
    defaults: dict[str, Any] = {"stop": never, "proven": True, "time_limit": left}
    result = theta(graph, **(defaults | options))
    t = result.upper
    values, Q = scipy.linalg.eigh(t * result.kernel.toarray() - 1.0, overwrite_a=True)
    kept = np.flatnonzero(values > 1e-12 * max(values[-1], 1.0))[::-1]
    kept = kept if dim is None else kept[: dim - 1]
    P = Q[:, kept] * np.sqrt(values[kept])
    if dim is not None and len(kept):
        P[~P.any(axis=1), 0] = 1.0  # such a row lost all of its directions, so any one will do
        P *= np.sqrt(max(t - 1, 0.0)) / np.linalg.norm(P, axis=1, keepdims=True)
    vectors = np.hstack([np.ones((graph.n, 1)), P]) / np.sqrt(t)
    handle = np.zeros(vectors.shape[1])
    handle[0] = 1.0
    return Embedding(vectors, handle, result.nodes, t)


def embedding_file(path: Path | None) -> AbstractContextManager[Path | None]:
    """A temporary file for :func:`write_embedding`; the suffix is checked before any work."""
    if path is None:
        return nullcontext()
    if path.suffix not in (".csv", ".npz"):
        raise LovaszError(f"cannot write an embedding as {path.name!r}; end it in .csv or .npz")
    return atomic(path)


def write_embedding(E: Embedding, graph: Graph, path: Path | None) -> None:
    """Write .npz (``vectors``, ``handle``, ``nodes``, ``upper``) or .csv; None is CSV on stdout."""
    if path is None:
        _write_csv(E, sys.stdout)
    elif path.suffix == ".npz":
        np.savez_compressed(
            path, vectors=E.vectors, handle=E.handle, nodes=name_array(graph), upper=E.upper
        )
    else:
        with open(path, "w", newline="", encoding="utf-8") as file:
            _write_csv(E, file)


def _write_csv(E: Embedding, file: TextIO) -> None:
    """One row per node. The handle is the first axis, so the column "handle" holds c·u_i."""
    header = ["node", "handle", *(f"x{k}" for k in range(2, E.vectors.shape[1] + 1))]
    rows = zip(E.nodes, E.vectors.tolist(), strict=True)
    write_table(file, chain([header], ([node, *vector] for node, vector in rows)))
