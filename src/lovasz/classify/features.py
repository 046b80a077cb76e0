"""Node features: checked, and scaled for training."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.graphs.labels import align_to_nodes


def prepare_features(features: Any, nodes: Any, scale: str | None) -> Any:
    """Return features checked and scaled, or None if there are none."""
    return scale_features(check_features(features, nodes), scale)


def check_features(features: Any, nodes: Any) -> Any:
    """Return features as a finite float matrix with one row per node, or None for None.

    ``features`` may also be a function that returns them.
    """
    features = features() if callable(features) else features
    if features is None:
        return None
    n = len(nodes)
    features = align_to_nodes(features, nodes)
    with np.errstate(over="ignore"):  # a number beyond float32 becomes inf, which is refused below
        if sparse.issparse(features):
            features = features.tocsr().astype(np.float32)
            values = features.data
        else:
            try:
                features = values = np.asarray(features, dtype=np.float32)
            except (TypeError, ValueError) as problem:
                raise LovaszError(
                    f"features are not numbers ({problem}); encode them first"
                ) from None
    if features.ndim != 2 or features.shape[0] != n:
        raise LovaszError(
            f"features have shape {features.shape} and the graph {n} nodes; give one row per node "
            "(under cross-validation pass features=lambda: table, so that a fold keeps it whole)"
        )
    if not np.isfinite(values).all():
        bad = np.argwhere(~np.isfinite(values))[0]
        where = "" if sparse.issparse(features) else f" in row {bad[0]}, column {bad[1]}"
        raise LovaszError(
            f"features hold NaN, inf or numbers beyond 3e38{where}; fill, drop or scale them first"
        )
    return features


def scale_features(features: Any, scale: str | None) -> Any:
    """Scale rows to sum 1 ("rows") or columns to mean 0 and variance 1 ("columns").

    None leaves features as they are, and
    "auto" scales the rows of sparse tables (counts, bags of words) and the columns of dense ones
    (measurements in different units).
    """
    if scale not in ("auto", "rows", "columns", None):
        raise LovaszError(f"scale={scale!r} is not known; use 'auto', 'rows', 'columns' or None")
    if features is None or scale is None:
        return features
    if scale == "auto":
        scale = "rows" if sparse.issparse(features) else "columns"
    if scale == "rows":
        total = np.asarray(abs(features).sum(axis=1, dtype=np.float64)).ravel()
        factor = np.divide(1, total, out=np.zeros_like(total), where=total > 0)
        if sparse.issparse(features):
            return sparse.csr_array(sparse.diags_array(factor) @ features)
        return features * factor[:, None]
    dense = np.asarray(features.toarray() if sparse.issparse(features) else features, np.float64)
    spread = dense.std(axis=0)
    return ((dense - dense.mean(axis=0)) / np.where(spread > 0, spread, 1)).astype(np.float32)
