"""Labels of nodes: from what a caller passes to one code per node."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.graphs.graph import Graph


def list_labels(y: Any, nodes: Any) -> list[Hashable | None]:
    """A label or None for each of ``nodes``, from an array with -1 or None, or from a dict."""
    if isinstance(y, Mapping):
        known = set(nodes)
        unknown = [name for name in y if name not in known]
        if unknown:
            shown = ", ".join(repr(name) for name in unknown[:3])
            raise LovaszError(
                f"{len(unknown)} labelled nodes are not in the graph: {shown}"
                f"{', …' if len(unknown) > 3 else ''}; check the spelling and the type of the names"
            )
        return [_label(y.get(name)) for name in nodes]
    y = align_to_nodes(y, nodes)
    values = y.tolist() if hasattr(y, "tolist") else list(y)
    if getattr(getattr(y, "dtype", None), "kind", "") in "US":  # numpy wrote -1 as "-1" here
        values = [None if value == "-1" else value for value in values]
    if len(values) != len(nodes):
        raise LovaszError(
            f"y has {len(values)} entries and the graph {len(nodes)} nodes; give one an entry a "
            "node (-1 where unlabelled) or a dict {node: class}"
        )
    return [_label(value) for value in values]


def align_to_nodes(table: Any, nodes: Any) -> Any:
    """A pandas object in node order when its index holds the node names; others as they are."""
    index = getattr(table, "index", None)
    if index is None or not hasattr(table, "reindex") or len(table) != len(nodes):
        return table
    if index.is_unique and set(index) == set(nodes):
        return table.reindex(list(nodes))
    if list(index) == list(range(len(index))):
        return table  # a plain counter: rows are in node order
    raise LovaszError(
        f"the index of a {type(table).__name__} is not the nodes of the graph ({index[0]!r} …); "
        "index it by node, or pass .to_numpy() with rows in node order"
    )


def _label(value: Any) -> Hashable | None:
    """None for every way to write "unlabelled"; numpy's scalars become Python's."""
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or value == "" or (value == -1 and not isinstance(value, str)):
        return None
    if isinstance(value, tuple | list | dict | set):
        raise LovaszError(f"a label is {value!r}; labels must be strings or numbers")
    if isinstance(value, float):
        if not np.isfinite(value):
            raise LovaszError(f"a label is {value}; mark unlabelled nodes with -1 or None")
        return int(value) if value.is_integer() else value
    return value


def encode(y: Any, graph: Graph, rows: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Sorted classes, and the class code of every node of the graph (-1: unlabelled)."""
    rows = np.arange(graph.n) if rows is None else rows
    names = graph.nodes if len(rows) == graph.n else [graph.nodes[int(row)] for row in rows]
    labels = list_labels(y, names)
    given = [label for label in labels if label is not None]
    if not given:
        raise LovaszError("no node is labelled; label at least one node of each class")
    kinds = {type(label).__name__ for label in given}
    if len(kinds) > 1 and not kinds <= {"int", "float", "bool"}:
        raise LovaszError(f"labels mix {' and '.join(sorted(kinds))}; use one type for all classes")
    classes = np.unique(np.array(given))
    if len(classes) < 2:
        raise LovaszError(
            f"all {len(given)} labels are {classes[0].item()!r}; label at least two classes"
        )
    codes = np.full(graph.n, -1, dtype=np.int64)
    known = np.array([label is not None for label in labels])
    codes[rows[known]] = np.searchsorted(classes, np.array(given))
    return classes, codes
