"""Graphs from pandas DataFrames, which are adjacency matrices or lists of edges."""

from __future__ import annotations

from dataclasses import replace
from numbers import Number
from typing import Any

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.base.text import short_repr
from lovasz.graphs.convert import DIRECTED, Weights, from_matrix, from_names, is_square
from lovasz.graphs.formats.columns import Columns, is_header, named_columns
from lovasz.graphs.graph import Graph


def from_dataframe(frame: Any, *, symmetrize: bool, weights: Weights) -> Graph:
    """Return the graph of a DataFrame: an adjacency matrix, or one edge per row."""
    if _is_matrix(frame):
        return from_matrix(
            frame.to_numpy(), nodes=tuple(frame.index), symmetrize=symmetrize, weights=weights
        )
    columns = _frame_columns(list(frame.columns))
    if _is_matrix_without_names(frame):
        raise LovaszError(
            "the DataFrame looks like an adjacency matrix whose index is not its columns; set "
            "frame.index = frame.columns, or name two columns source and target"
        )
    source, target = frame.iloc[:, columns.source], frame.iloc[:, columns.target]
    if source.isna().any() or target.isna().any():
        raise LovaszError("the DataFrame of edges has missing node names; drop those rows first")
    if columns.kind is not None and not symmetrize:
        kinds = frame.iloc[:, columns.kind].tolist()
        if any(str(kind).lower() == "directed" for kind in kinds):
            raise LovaszError(DIRECTED)
    graph = from_names(
        source.tolist(),
        target.tolist(),
        None if columns.weight is None else frame.iloc[:, columns.weight].to_numpy(),
        weights=weights,
    )
    ignored = tuple(f"ignored the column {short_repr(name)}" for name in columns.unused)
    return replace(graph, notes=graph.notes + ignored)


def _is_matrix(frame: Any) -> bool:
    """Whether a frame is an adjacency matrix; a frame with text must be a list of edges."""
    if not is_square(frame) or list(frame.index) != list(frame.columns):
        return False
    values = frame.to_numpy()
    if values.dtype.kind == "O":
        return all(isinstance(value, Number | np.bool_) for value in values.flat)
    return values.dtype.kind in "biufc"


def _is_matrix_without_names(frame: Any) -> bool:
    """Whether a frame is symmetric numbers under names, as ``read_csv`` gives a saved matrix."""
    if not is_square(frame) or len(frame) < 3 or is_header([str(x) for x in frame.columns]):
        return False
    values = frame.to_numpy()
    return values.dtype.kind in "biuf" and np.array_equal(values, values.T)


def _frame_columns(labels: list[Any]) -> Columns:
    if len(labels) < 2:
        raise LovaszError("a DataFrame of edges needs two columns, source and target")
    if labels != list(range(len(labels))):
        return named_columns([str(label) for label in labels])
    if len(labels) > 3:
        raise LovaszError(
            f"a DataFrame of {len(labels)} columns without names is not a list of edges; name two "
            "of them source and target"
        )
    return Columns(len(labels), weight=2 if len(labels) == 3 else None)
