"""Node features: checked, and scaled for training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.base.text import pluralize, short_repr
from lovasz.classify.tails import Tails
from lovasz.graphs.labels import align_to_nodes

UNLIKE = 5.0
"""Entries are of another size if they are this many times as large or as small."""
HUGE = 1e100
"""The squares of larger numbers, and of the inverses of these, may leave the range of doubles."""


def check_features(features: Any, nodes: Any) -> Any:
    """Return features as a finite float matrix with one row per node, or None for None.

    ``features`` may also be a function that returns them, or a dict {node: row}.
    """
    features = features() if callable(features) else features
    if features is None:
        return None
    n = len(nodes)
    columns = getattr(features, "columns", None)
    if isinstance(features, Mapping):
        features = _list_rows(features, nodes)
    features = align_to_nodes(features, nodes)
    if "complex" in str(getattr(features, "dtype", "")):  # a cast would drop the imaginary parts
        raise LovaszError(f"features hold {features.dtype} entries; pass real numbers")
    with np.errstate(over="ignore"):  # a number beyond float32 becomes inf, which is refused below
        if sparse.issparse(features):
            features = features.tocsr().astype(np.float32)
            values = features.data
        else:
            try:
                features = values = np.asarray(features, dtype=np.float32)
            except (TypeError, ValueError, RuntimeError) as problem:  # torch raises the last
                raise LovaszError(
                    f"features are not numbers ({problem}); encode them first"
                ) from None
    if features.ndim != 2 or features.shape[0] != n:
        raise LovaszError(
            f"features have shape {features.shape} and the graph {n} nodes; give one row per node "
            "(under cross-validation pass features=lambda: table, so that a fold keeps it whole)"
        )
    if not features.shape[1]:
        raise LovaszError(
            f"features have shape {features.shape}, without a column; give at least one number per "
            "node, or leave features out"
        )
    if not np.isfinite(values).all():
        cells = sparse.coo_array(features)
        bad = int(np.flatnonzero(~np.isfinite(cells.data))[0])
        row, column = int(cells.row[bad]), int(cells.col[bad])
        name = column if columns is None else short_repr(columns[column])
        raise LovaszError(
            f"features hold NaN, inf or numbers beyond 3e38 (node {short_repr(nodes[row])}, "
            f"column {name}); fill, drop or scale them first"
        )
    return features


def _list_rows(features: Mapping[Any, Any], nodes: Any) -> list[Any]:
    """Return the rows of a dict {node: row} in the order of the nodes, or raise."""
    missing = [node for node in nodes if node not in features]
    unknown = features.keys() - set(nodes)
    for found, where in ((missing, "missing"), (unknown, "outside the graph")):
        if found:
            first = min(map(short_repr, found))
            raise LovaszError(
                f"features are a dict with {pluralize(len(found), 'node')} {where}: {first}; "
                "give one row for each node"
            )
    for node in nodes:
        row = features[node]
        if not _is_row(row) or len(row) != len(features[nodes[0]]):
            raise LovaszError(
                f"features are a dict with {short_repr(row)} for node {short_repr(node)}; give "
                "rows of numbers of equal length, {node: [f1, f2, …]}"
            )
    return [features[node] for node in nodes]


def _is_row(value: Any) -> bool:
    """Return whether a value is a sequence in one dimension, such as a list or an array."""
    if sparse.issparse(value):
        return False
    try:
        return np.ndim(value) == 1
    except ValueError:  # rows of different lengths inside a row
        return False


def scale_features(features: Any, scale: str | None) -> Any:
    """Scale rows to sum 1 ("rows") or columns to unit variance ("columns"); None changes nothing.

    "auto" looks at the numbers, not at how they are stored: the rows of most counts and bags of
    words (:func:`suggest_scale`) are scaled, and the columns of everything else, such as
    measurements in different units. Columns that are mostly zero are not centred, so that they stay
    sparse; others have mean 0, and those with heavy tails are squashed first
    (:mod:`lovasz.classify.tails`).

    >>> scale_features(np.array([[1.0, 0, 0, 3], [0, 2, 0, 0]]), "auto").toarray().tolist()
    [[0.25, 0.0, 0.0, 0.75], [0.0, 1.0, 0.0, 0.0]]
    """
    return None if features is None else Scaling.of(features, scale)(features)


@dataclass(frozen=True)
class Scaling:
    """How the features of a fit were scaled, so that rows that come later are scaled alike."""

    kind: str | None
    """Either "rows", "columns" or None, which changes nothing."""
    thin: bool
    """Whether most entries are zero; columns are then not centred."""
    mean: np.ndarray | None = None
    """(d,) means of the columns, if these are scaled."""
    spread: np.ndarray | None = None
    """(d,) standard deviations of the columns, if these are scaled."""
    tails: Tails | None = None
    """How columns with heavy tails are squashed first, if columns are scaled and centred."""

    @classmethod
    def of(cls, features: Any, scale: str | None) -> Scaling:
        """Return the scaling that :func:`scale_features` describes."""
        check_scale(scale)
        kind = suggest_scale(features) if scale == "auto" else scale
        thin = is_mostly_zero(features)
        if kind != "columns":
            return cls(kind, thin)
        if not thin:
            table = np.asarray(_dense(features), np.float64)
            tails = Tails.of(table)
            table = tails(table)
            return cls(kind, thin, table.mean(axis=0), table.std(axis=0), tails)
        table = sparse.csr_array(features)
        mean = np.asarray(table.mean(axis=0)).ravel()
        square = np.asarray(table.multiply(table).mean(axis=0)).ravel()
        return cls(kind, thin, mean, np.sqrt(np.maximum(square - mean**2, 0)))

    def __call__(self, features: Any) -> Any:
        """Return features scaled in this way."""
        if self.kind is None:
            return features
        table = sparse.csr_array(features) if self.thin else np.asarray(_dense(features), float)
        if self.mean is None or self.spread is None:
            return _scale_rows(table)
        if self.thin:
            factor = np.divide(
                1, self.spread, out=np.zeros_like(self.spread), where=self.spread > 1e-12
            )
            return _scale_rows(sparse.csr_array(table @ sparse.diags_array(factor)))
        table = self.tails(table) if self.tails is not None else table
        spread = np.where(self.spread > 0, self.spread, 1)
        return ((table - self.mean) / spread).astype(np.float32)


def check_scale(scale: Any) -> None:
    """Refuse a way to scale that does not exist."""
    if scale not in ("auto", "rows", "columns", None):
        raise LovaszError(f"scale={scale!r} is not known; use 'auto', 'rows', 'columns' or None")


def scale_table(table: np.ndarray, rows: np.ndarray | None, scale: str | None) -> np.ndarray:
    """Return a dense feature table, with new ``rows`` below it, scaled by the table alone.

    New rows change neither the scale that is chosen nor the means and variances.
    """
    whole = table if rows is None else np.vstack([table, rows])
    used = suggest_scale(table) if scale == "auto" else scale
    if used == "rows":
        return np.asarray(_scale_rows(whole.astype(np.float64)))
    if used == "columns":
        peak = np.abs(table).max(axis=0)
        if ((peak > HUGE) | ((peak > 0) & (peak < 1 / HUGE))).any():  # squares leave the range
            unit = np.where(peak > 0, peak, 1)
            table, whole = table / unit, whole / unit
        tails = Tails.of(table)
        table, whole = tails(table), tails(whole)
        spread = table.std(axis=0)
        return np.asarray((whole - table.mean(axis=0)) / np.where(spread > 0, spread, 1))
    return whole


def suggest_scale(features: Any) -> str:
    """Return "rows" for most counts and bags of words, and "columns" for everything else.

    Rows are scaled if no entry is negative, most are zero, and no column that is mostly not zero
    has entries of another size than the rest (:func:`has_other_units`). Such columns are
    measurements beside categories, for instance an income beside a city that is spread over columns
    of 0 and 1. Counts in which stop words are frequent look like that, too, and have their columns
    scaled.
    """
    values = features.data if sparse.issparse(features) else features
    plain = is_mostly_zero(features) and values.min(initial=0) >= 0
    return "rows" if plain and not has_other_units(features) else "columns"


def has_other_units(features: Any) -> bool:
    """Return whether columns without many zeros are of another size than the other columns.

    ``features`` has no negative entry. The size of a column is the mean of its positive entries.
    """
    if sparse.issparse(features):
        filled = np.asarray((features > 0).sum(axis=0)).ravel()
    else:
        filled = np.count_nonzero(features, axis=0)
    total = np.asarray(features.sum(axis=0, dtype=np.float64)).ravel()
    full = 2 * filled > features.shape[0]
    if not full.any() or not filled[~full].any():
        return False
    sizes = total[full] / filled[full]
    usual = float(total[~full].sum() / filled[~full].sum())
    return bool(sizes.max() > UNLIKE * usual or usual > UNLIKE * sizes.min())


def stored_by_content(features: Any) -> Any:
    """Return features as a sparse matrix if they are mostly zero, and as a dense one if not."""
    return sparse.csr_array(features) if is_mostly_zero(features) else _dense(features)


def stored_like(features: Any, others: Any) -> Any:
    """Return features as a sparse matrix if ``others`` are one, and as a dense one if not."""
    return sparse.csr_array(features) if sparse.issparse(others) else _dense(features)


def is_mostly_zero(features: Any) -> bool:
    """Return whether more than half of the entries are zero."""
    filled = features.count_nonzero() if sparse.issparse(features) else np.count_nonzero(features)
    return bool(2 * int(filled) < features.shape[0] * features.shape[1])


def other_scale(features: Any, scale: str | None) -> str:
    """Return the scale that was not chosen: rows instead of columns, or the reverse."""
    used = suggest_scale(features) if scale == "auto" else scale
    return "columns" if used == "rows" else "rows"


def _scale_rows(table: Any) -> Any:
    total = np.asarray(abs(table).sum(axis=1, dtype=np.float64)).ravel()
    factor = np.divide(1, total, out=np.zeros_like(total), where=total > 0)
    if sparse.issparse(table):
        return sparse.csr_array(sparse.diags_array(factor) @ table).astype(np.float32)
    return (table * factor[:, None]).astype(np.float32)


def _dense(table: Any) -> Any:
    return table.toarray() if sparse.issparse(table) else table
