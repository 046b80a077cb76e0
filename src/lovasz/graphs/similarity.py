"""Graphs from a feature table, in which similar rows are adjacent."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.base.extras import needed_for
from lovasz.base.memory import refuse_if_too_large
from lovasz.base.text import pluralize
from lovasz.graphs.graph import Graph

Edges = tuple[np.ndarray, np.ndarray]
"""The rows of the two ends of each edge."""

Bands = Iterator[tuple[slice, np.ndarray]]
"""Bands of an n × n matrix: some rows, and their entries from the first of these rows on."""

BLOCK = 2**23
"""Number of entries of the similarity matrix that are held at once (64 MB)."""

SAMPLE = 500
"""Least number of rows from which the number of edges is estimated."""

BYTES_PER_EDGE = 120
"""Estimated peak memory per edge while a graph is made: the ends, their keys, and copies."""

NEIGHBOURS = 10
"""Number of nearest rows that "knn" joins to a row if it is not told how many."""

LARGEST = 1e150
"""Entries of at least this absolute value are refused, because their squares may overflow."""

TIE = 1e-12
"""Distances this close to the threshold count as equal to it, so that rounding does not decide."""


def similarity_graph(X: Any, affinity: str, **options: Any) -> Graph:
    """Return a graph on the rows of ``X``, an (n, d) array, sparse matrix or DataFrame.

    - ``"rbf"``: with s_ij = exp(−‖x_i − x_j‖² / 2σ²) and σ the mean distance over the pairs
      i < j, i ~ j if s_ij is larger than the mean of the whole n × n matrix s, its diagonal of
      ones included. Constant columns change nothing. About half of all pairs become edges.
    - ``"cosine"``: i ~ j if 1 − cos(x_i, x_j) < ``threshold`` (default 0.4). A row of zeros has
      no direction: it gets no edge, and the graph carries a note. Constant columns matter.
    - ``"knn"``: i ~ j if one is among the ``k`` nearest rows of the other under ``metric``
      ("euclidean", or any other metric of scikit-learn's NearestNeighbors). ``k`` is 10 if it is
      not given, or the number of other rows if there are fewer.

    Memory grows with the number of edges, not of pairs, and a graph that would not fit is
    refused. The rows of a DataFrame keep their names if these are unique.

    >>> similarity_graph([[0, 0], [0, 1], [9, 9], [9, 8]], "rbf")
    Graph(n=4, m=2)
    >>> similarity_graph([[1, 0], [5, 1], [0, 2]], "cosine", threshold=0.1)
    Graph(n=3, m=1)
    """
    if affinity not in AFFINITIES:
        raise LovaszError(f"affinity={affinity!r} is not known; use one of {', '.join(AFFINITIES)}")
    join = AFFINITIES[affinity]
    known = join.__kwdefaults__ or {}
    for name in options.keys() - known.keys():
        raise LovaszError(
            f"affinity {affinity!r} has no option {name!r}; it takes {', '.join(known) or 'none'}"
        )
    table = _as_table(X)
    spread = table.max(axis=0) - table.min(axis=0) if table.shape[0] > 1 else np.ones(1)
    if affinity == "rbf" and not spread.sum():
        raise LovaszError(
            "all rows of X are equal and no distance sets a scale; use other features"
        )
    if affinity != "knn" and table.shape[0] >= 2 * SAMPLE:
        _refuse_if_dense(table, lambda rows: join(rows, **options), affinity)
    source, target = join(table, **options)
    graph = Graph.from_edges(source, target, n=table.shape[0], nodes=_row_names(X))
    if affinity == "cosine" and (zero := int((_squared_norms(table) == 0).sum())):
        return replace(graph, notes=(f"left {pluralize(zero, 'all-zero row')} of X without edges",))
    return graph


def _rbf(table: Any) -> Edges:
    n = table.shape[0]
    if n < 2:
        return _NO_EDGES
    total = sum(float(np.sqrt(d2).sum()) for _, d2 in _squared_distances(table))
    sigma = total / (n * (n - 1) / 2)
    if sigma == 0:
        return _NO_EDGES  # all rows are equal, so no similarity is above the mean

    def similarities() -> Bands:
        for rows, d2 in _squared_distances(table):
            yield rows, np.triu(np.exp(d2 * (-0.5 / sigma**2)), k=1)

    mean = (2 * sum(float(s.sum()) for _, s in similarities()) + n) / n**2
    return _collect((rows, s > mean) for rows, s in similarities())


def _cosine(table: Any, *, threshold: float = 0.4) -> Edges:
    if not 0 < threshold <= 2:
        raise LovaszError(f"threshold={threshold}; cosine distances lie between 0 and 2")
    norms = np.sqrt(_squared_norms(table))
    rows = np.flatnonzero(norms)
    unit = sparse.diags_array(1 / norms[rows]) @ table[rows]
    near = ((block, np.triu(1 - dots < threshold - TIE, k=1)) for block, dots in _products(unit))
    source, target = _collect(near)
    return rows[source], rows[target]


def _knn(table: Any, *, k: int | None = None, metric: str = "euclidean") -> Edges:
    with needed_for("affinity 'knn'"):
        from sklearn.neighbors import NearestNeighbors
    n = table.shape[0]
    if n < 2:
        raise LovaszError(f"X has {pluralize(n, 'row')}; affinity 'knn' needs at least 2")
    k = min(NEIGHBOURS, n - 1) if k is None else k
    if not 1 <= k < n:
        raise LovaszError(
            f"k={k} neighbours among {n} rows; pass k from 1 to {n - 1} "
            f'(affinity_options={{"k": {n - 1}}} of an estimator)'
        )
    try:
        search = NearestNeighbors(n_neighbors=k, metric=metric).fit(table)
        near = search.kneighbors(return_distance=False).astype(np.int64).ravel()
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise LovaszError(f"metric={metric!r} does not work here: {reason[:200]}") from error
    node = np.repeat(np.arange(n), k)
    source, target = np.divmod(np.unique(np.minimum(node, near) * n + np.maximum(node, near)), n)
    return source, target


AFFINITIES: dict[str, Callable[..., Edges]] = {"rbf": _rbf, "cosine": _cosine, "knn": _knn}
_NO_EDGES: Edges = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


def _products(table: Any) -> Bands:
    """Yield bands of XXᵀ: ``rows``, and their products with all rows from the first of them."""
    n, start = table.shape[0], 0
    while start < n:
        rows = slice(start, min(n, start + max(1, BLOCK // (n - start))))
        band = table[rows] @ table[start:].T
        yield rows, band.toarray() if _is_sparse(band) else band
        start = rows.stop


def _squared_distances(table: Any) -> Bands:
    """Yield bands of ‖x_i − x_j‖² for i < j, with zeros below the diagonal."""
    if not _is_sparse(table):
        table = table - table.mean(axis=0)  # avoids cancellation far from the origin
    squares = _squared_norms(table)
    for rows, dots in _products(table):
        sums = squares[rows, None] + squares[rows.start :]
        distances = sums - 2 * dots
        distances[distances < 16 * np.finfo(float).eps * sums] = 0  # mere rounding
        yield rows, np.triu(distances, k=1)


def _collect(bands: Iterable[tuple[slice, np.ndarray]]) -> Edges:
    found = [_NO_EDGES]
    for rows, marked in bands:
        i, j = np.nonzero(marked)
        found.append((rows.start + i, rows.start + j))
    return np.concatenate([i for i, _ in found]), np.concatenate([j for _, j in found])


def _squared_norms(table: Any) -> np.ndarray:
    return np.asarray((table * table).sum(axis=1)).ravel()


def _refuse_if_dense(table: Any, join: Callable[[Any], Edges], affinity: str) -> None:
    """Raise if the graph, estimated from a sample of the rows, has more edges than fit."""
    n = table.shape[0]
    sample = table[:: n // SAMPLE]
    edges = join(sample)[0].size * (n / sample.shape[0]) ** 2
    refuse_if_too_large(
        f"affinity {affinity!r}, which joins about {edges:.2g} pairs of these {n:,} rows,",
        edges,
        "use 'knn' or fewer rows",
        bytes_per_entry=BYTES_PER_EDGE,
    )


def _as_table(X: Any) -> Any:
    """Return ``X`` as a float64 array or csr_array, or raise unless it is a finite table."""
    if np.iscomplexobj(X):  # the cast below would drop the imaginary part
        raise LovaszError("Complex data not supported: pass the real and imaginary parts")
    try:
        table = sparse.csr_array(X, dtype=np.float64) if _is_sparse(X) else np.asarray(X, float)
    except (TypeError, ValueError) as error:
        raise LovaszError(
            f"X is not a table of numbers ({error}); encode its other columns"
        ) from error
    if table.ndim != 2 or table.shape[1] == 0:
        raise LovaszError(
            f"X has shape {table.shape}; pass one row per node and one column per feature "
            "(X.reshape(-1, 1) for a single feature)"
        )
    rows, columns = _unusable(table)
    if len(rows):
        raise LovaszError(
            f"X[{rows[0]}, {columns[0]}] is {table[rows[0], columns[0]]}; "
            "drop or impute such rows, or rescale"
        )
    return table


def _unusable(table: Any) -> tuple[np.ndarray, ...]:
    """Return where entries are NaN, infinite, or so large that their squares overflow."""
    if _is_sparse(table):
        flags = ~(np.abs(table.data) < LARGEST)
        marked = sparse.csr_array((flags, table.indices, table.indptr), table.shape)
        return tuple(marked.nonzero())
    return np.nonzero(~(np.abs(table) < LARGEST))


def _row_names(X: Any) -> Sequence[Hashable] | None:
    named = hasattr(X, "columns") and hasattr(X, "index") and X.index.is_unique
    return tuple(X.index) if named else None


def _is_sparse(table: Any) -> bool:
    return bool(sparse.issparse(table))  # SciPy's own guard narrows to a type without methods
