"""Labels of nodes: from what a caller passes to one class code per node."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from numbers import Number
from typing import Any

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.base.text import pluralize, short_repr
from lovasz.graphs.graph import Graph


def encode(y: Any, graph: Graph, rows: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted classes and the class code of every node, -1 if it is unlabelled.

    ``y`` is as for :func:`list_labels`. It labels the nodes in ``rows``, or all nodes if that is
    None. At least two classes must occur.

    >>> graph = Graph.from_edges([0, 1], [1, 2], nodes=("ann", "bob", "cem"))
    >>> classes, codes = encode({"ann": "red", "cem": "blue"}, graph)
    >>> classes.tolist(), codes.tolist()
    (['blue', 'red'], [1, -1, 0])
    """
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


def list_labels(y: Any, nodes: Any) -> list[Hashable | None]:
    """Return the label of each of ``nodes``, or None if the node is unlabelled.

    ``y`` is a dict {node: label}, or has one entry per node, which is -1, None or "" if the node
    is unlabelled. The word "-1" is a label in a dict and in an array of objects, and means
    "unlabelled" in a list and in an array of text. The index of a pandas Series may hold the names
    of the nodes, and a missing value in it, such as NaN, means "unlabelled".

    >>> list_labels({"bob": 2.0}, ["ann", "bob"]), list_labels(["x", -1], ["ann", "bob"])
    ([None, 2], ['x', None])
    """
    if isinstance(y, Mapping):
        known = set(nodes)
        unknown = [name for name in y if name not in known]
        if unknown:
            shown = ", ".join(short_repr(name) for name in unknown[:3])
            verb = "is" if len(unknown) == 1 else "are"
            raise LovaszError(
                f"{pluralize(len(unknown), 'labelled node')} {verb} not in the graph: {shown}"
                f"{', …' if len(unknown) > 3 else ''}; check the spelling and the type of the names"
            )
        return [_as_label(y.get(name)) for name in nodes]
    if not isinstance(y, Iterable):
        raise LovaszError(
            f"y is {short_repr(y)}; give one entry per node (-1 where unlabelled) "
            "or a dict {node: class}"
        )
    y = align_to_nodes(y, nodes)
    values = y.tolist() if hasattr(y, "tolist") else list(y)
    if hasattr(y, "tolist") and hasattr(y, "isna"):
        # pandas turns the None of a caller into NaN, among words as among numbers.
        values = [None if gone else v for v, gone in zip(values, y.isna().tolist(), strict=True)]
    if getattr(getattr(y, "dtype", None), "kind", None) in (None, "U", "S"):
        # NumPy turns the -1 among words into the word "-1", which therefore also counts in a list.
        values = [None if isinstance(v, str) and v == "-1" else v for v in values]
    if len(values) != len(nodes):
        raise LovaszError(
            f"y has {len(values)} entries and the graph {len(nodes)} nodes; give one entry per "
            "node (-1 where unlabelled) or a dict {node: class}"
        )
    return [_as_label(value) for value in values]


def align_to_nodes(table: Any, nodes: Any) -> Any:
    """Return a pandas object in node order if its index holds the node names.

    Any other object, and a pandas object with a plain counter for an index, has its rows in node
    order already and is returned as it is.
    """
    index = getattr(table, "index", None)
    if index is None or not hasattr(table, "reindex") or len(table) != len(nodes):
        return table
    if index.is_unique and set(index) == set(nodes):
        return table.reindex(list(nodes))
    if list(index) == list(range(len(index))):
        return table
    raise LovaszError(
        f"the index of a {type(table).__name__} is not the nodes of the graph ({index[0]!r} …); "
        "index it by node, or pass .to_numpy() with rows in node order"
    )


def _as_label(value: Any) -> Hashable | None:
    """Return ``value`` as a Python object, or None for every way to write "unlabelled"."""
    label: Hashable = value.item() if getattr(value, "shape", None) == () else value
    if label is None or (isinstance(label, str | Number) and label in ("", -1)):
        return None
    if not isinstance(label, str | bytes | Number) or isinstance(label, complex):
        shown = short_repr(label)
        raise LovaszError(f"a label is {shown}; labels must be strings or numbers, or None")
    if isinstance(label, float):
        if not np.isfinite(label):
            raise LovaszError(f"a label is {label}; mark unlabelled nodes with -1 or None")
        return int(label) if label.is_integer() else label
    return label
