"""Tables that go with a graph: the classes and the features of its nodes, and predictions."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping
from io import StringIO
from itertools import chain
from typing import Any

import numpy as np
from scipy import sparse

from lovasz.base.cells import guard_cell, unguard_cell
from lovasz.base.errors import LovaszError
from lovasz.base.tables import write_table
from lovasz.base.text import pluralize, short_repr, truncate
from lovasz.graphs.formats.archives import names_in, read_archive, read_array, sparse_matrix
from lovasz.graphs.formats.lines import (
    bad_line,
    integers_if_all,
    looks_numeric,
    records,
    sniff,
)
from lovasz.graphs.graph import Graph
from lovasz.graphs.source import ZIP, decode, naming, parsing, read_source

_NODE_WORDS = {"node", "nodes", "node_id", "nodeid", "id", "name", "names", "vertex", "vertices"}
"""Words that, at the beginning of the first line, make it a header."""

LARGEST = float(np.finfo(np.float32).max)
"""Largest absolute value of a feature; features are single precision when they are learned from."""


def read_labels(path: str | os.PathLike[str]) -> dict[str | int, str]:
    """Read the class of each labelled node from lines ``node,class``; ``-`` is standard input.

    Fields are separated by commas, tabs or spaces, and the file may be compressed with gzip. A
    first line that starts with a word such as ``node`` or ``id`` is a header. A node without a
    class is unlabelled and is left out. Names that are all integers become ``int``;
    :func:`match_labels` finds them in a graph either way.
    """
    source = read_source(path)
    with naming(source.name):
        return parse_labels(decode(source.data))


def parse_labels(text: str) -> dict[str | int, str]:
    """Return the class of each labelled node from the text of a file, see :func:`read_labels`."""
    labels = _parse_pairs(text)
    names = integers_if_all(labels)
    return {names[name]: label for name, label in labels.items() if label}


def _parse_pairs(text: str) -> dict[str, str]:
    labels: dict[str, str] = {}
    for row, (number, fields) in enumerate(records(text)):
        if row == 0 and fields[0].lower() in _NODE_WORDS:
            continue
        if len(fields) != 2 or not fields[0]:
            raise bad_line(
                number, fields, "is not a node and its class; write two fields, node,class, and "
                "quote those that hold spaces or commas",
            )  # fmt: skip
        name, label = fields[0], unguard_cell(fields[1])
        if labels.setdefault(name, label) != label:
            raise bad_line(
                number, fields, f"contradicts the class {labels[name]!r} given before; keep one"
            )
    return labels


def read_nodes(path: str | os.PathLike[str], graph: Graph) -> dict[Hashable, str | None]:
    """Read some nodes of ``graph``, each with its class or None, from lines ``node[,class]``.

    The file is like that of :func:`read_labels`, but the class may be left out. A line that is the
    name of a node is read as such, even if it contains spaces.
    """
    by_text = _names_by_text(graph)
    source = read_source(path)
    nodes: dict[Hashable, str | None] = {}
    with naming(source.name):
        text = decode(source.data)
        spaced = sniff(text) is None
        unknown = []
        for row, (number, fields) in enumerate(records(text)):
            if spaced and " ".join(fields) in by_text:
                fields = [" ".join(fields)]
            elif spaced and len(fields) > 1 and fields[0] not in by_text:
                unknown.append(" ".join(fields))
                continue
            if row == 0 and fields[0] not in by_text and fields[0].lower() in _NODE_WORDS:
                continue
            if len(fields) > 2 or not fields[0]:
                raise bad_line(
                    number, fields, "is not a node, or a node and its class; write node or "
                    "node,class, and quote names that hold spaces or commas",
                )  # fmt: skip
            if fields[0] not in by_text:
                unknown.append(fields[0])
                continue
            name = by_text[fields[0]]
            label = (unguard_cell(fields[1]) or None) if len(fields) > 1 else None
            if nodes.setdefault(name, label) != label:
                raise bad_line(number, fields, "repeats a node with another class; keep one")
        if unknown:
            raise LovaszError(
                f"{pluralize(len(unknown), 'node')} not in the graph: {_some(unknown)}; "
                "correct the names, or remove those lines"
            )
        if not nodes:
            raise LovaszError("no node is listed; write one node per line, or leave the option out")
    return nodes


def match_labels(labels: Mapping[Any, Any], graph: Graph) -> dict[Hashable, Any]:
    """Return ``labels`` with the node names of ``graph`` as keys.

    A file may have the text "7" where the graph has the integer 7, or the other way round, and a
    quote before a name that a spreadsheet would take for a formula.
    """
    by_text = _names_by_text(graph)
    matched: dict[Hashable, Any] = {}
    unknown = []
    for key, label in labels.items():
        text = str(key) if str(key) in by_text else unguard_cell(str(key))
        if key not in graph.positions and text not in by_text:
            unknown.append(key)
            continue
        name = key if key in graph.positions else by_text[text]
        if matched.setdefault(name, label) != label:
            raise LovaszError(
                f"node {short_repr(name)} is labelled {short_repr(matched[name])} and "
                f"{short_repr(label)}; keep one"
            )
    if unknown:
        raise LovaszError(
            f"{pluralize(len(unknown), 'labelled node')} not in the graph: {_some(unknown)}; "
            "correct the names, or remove those lines"
        )
    return matched


def read_matched_labels(path: str | os.PathLike[str], graph: Graph) -> dict[Hashable, str]:
    """Read labels as :func:`read_labels` does, with the node names of ``graph`` as keys."""
    labels = read_labels(path)
    with naming("standard input" if path == "-" else os.fspath(path)):
        return match_labels(labels, graph)


def read_features(path: str | os.PathLike[str], graph: Graph) -> np.ndarray | sparse.csr_array:
    """Read the features of ``graph``, one row per node in node order; ``-`` is standard input.

    A text file (separated by commas, tabs or spaces) has the node name in the first column and
    numbers in the others; its lines may be in any order, with or without a header. An ``.npy``
    or ``.npz`` file (one array, or what ``scipy.sparse.save_npz`` writes) has the rows in node
    order.
    """
    source = read_source(path)
    with naming(source.name):
        if source.data.startswith(b"\x93NUMPY"):
            with parsing("npy"):
                table = read_array(source.data)
            return _checked(table, graph)
        if source.data.startswith(ZIP):
            return _checked(_load_npz(source.data), graph)
        return _checked(_parse_features(decode(source.data), graph), graph)


def read_feature_names(path: str | os.PathLike[str]) -> tuple[str, ...] | None:
    """Return the names of the columns of a text file of features, or None if it has no header."""
    if os.fspath(path) == "-":
        return None
    data = read_source(path).data
    if data.startswith((b"\x93NUMPY", *ZIP)):
        return None
    _, fields = next(records(decode(data)), (0, []))
    header = len(fields) > 1 and not any(map(looks_numeric, fields[1:]))
    return tuple(fields[1:]) if header else None


def write_predictions(
    path: str | os.PathLike[str], nodes: Iterable[Any], labels: Iterable[Any], sure: Iterable[float]
) -> None:
    """Write a CSV file of node, class and probability, one line per node."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = zip(nodes, labels, (f"{p:.4f}" for p in sure), strict=True)
        write_table(file, chain([("node", "class", "probability")], rows))


def word_labels(labels: Mapping[Any, Any]) -> str:
    """Return a CSV file of node and class that :func:`parse_labels` reads back.

    No cell of it is a formula to a spreadsheet, whatever nodes and classes are called.
    """
    out = StringIO(newline="")
    rows = ((str(node), str(label)) for node, label in labels.items())
    write_table(out, chain([("node", "class")], rows), end="\n")
    return out.getvalue()


def _load_npz(data: bytes) -> Any:
    names = names_in(data)
    if "format" in names:
        return sparse_matrix(read_archive(data))
    if len(names) == 1:
        return read_archive(data)[names[0]]
    raise LovaszError(
        f"the npz file holds {len(names)} arrays ({truncate(', '.join(names))}); save one"
    )


def _parse_features(text: str, graph: Graph) -> np.ndarray:
    by_text = _names_by_text(graph)
    table: np.ndarray | None = None
    line_of: dict[Hashable, int] = {}
    unknown = []
    width, head = 0, None
    for row, (number, fields) in enumerate(records(text)):
        if row == 0:
            width = len(fields)
        if width < 2:
            raise bad_line(
                number, fields, "has no feature column; write the node and then one number per "
                "feature on every line, separated by commas",
            )  # fmt: skip
        if len(fields) != width:
            raise bad_line(
                number, fields, f"has {len(fields)} fields, the first line has {width}; write the "
                "node and then one number per feature on every line",
            )  # fmt: skip
        if row == 0 and fields[0] not in by_text and _is_header(fields):
            head = fields
            continue
        if fields[0] not in by_text:
            unknown.append(fields[0])
            continue
        name = by_text[fields[0]]
        if line_of.setdefault(name, number) != number:
            raise bad_line(number, fields, f"repeats the node of line {line_of[name]}; keep one")
        if table is None:
            table = np.zeros((graph.n, width - 1))
        table[graph.positions[name]] = _numbers(number, fields, head)
    if unknown:
        raise LovaszError(
            f"{pluralize(len(unknown), 'row')} for nodes not in the graph: {_some(unknown)}; "
            "correct the names, or remove those lines"
        )
    if missing := [name for name in graph.nodes if name not in line_of]:
        raise LovaszError(
            f"{pluralize(len(missing), 'node')} without features: {_some(missing)}; add them"
        )
    if table is None:
        return np.zeros((0, 0))
    if (bad := np.argwhere(~(np.abs(table) <= LARGEST))).size:
        places = [(line_of[graph.nodes[row]], row, column) for row, column in bad.tolist()]
        number, row, column = min(places)
        name = column + 2 if head is None else short_repr(head[column + 1])
        what = f"line {number}: column {name} of node {short_repr(graph.nodes[row])}"
        raise _unusable(what, table[row, column])
    return table


def _unusable(what: str, value: float) -> LovaszError:
    return LovaszError(
        f"{what} is {value:g}; replace it by a number between -{LARGEST:.1e} and {LARGEST:.1e}"
    )


def _is_header(fields: list[str]) -> bool:
    return fields[0].lower() in _NODE_WORDS or not any(map(looks_numeric, fields[1:]))


def _numbers(number: int, fields: list[str], head: list[str] | None) -> list[float]:
    """Return the features on a line; ``head`` has the names of the columns, if they are known."""
    try:
        return [float(cell) for cell in fields[1:]]
    except ValueError:
        cells = enumerate(fields[1:], 2)
        column, cell = next((k, c) for k, c in cells if not looks_numeric(c))
        name = column if head is None else short_repr(head[column - 1])
        raise LovaszError(
            f"line {number}: column {name} of node {short_repr(fields[0])} is {truncate(cell)!r}; "
            "features must be numbers; fill it in, or drop the column"
        ) from None


def _checked(table: Any, graph: Graph) -> np.ndarray | sparse.csr_array:
    """Return ``table`` as float64, or raise unless it has one finite row per node."""
    if table.dtype.kind not in "biuf" or table.ndim != 2:
        raise LovaszError(
            f"the features are {table.dtype} of shape {table.shape}; "
            "save numbers in two dimensions, one row per node"
        )
    if table.shape[0] != graph.n:
        raise LovaszError(
            f"the features have {table.shape[0]} rows and the graph has {graph.n} nodes; "
            "save one row per node, in node order"
        )
    floats = table.astype(np.float64)
    features = sparse.csr_array(floats) if sparse.issparse(table) else floats
    cells = sparse.coo_array(features)
    if (bad := np.flatnonzero(~(np.abs(cells.data) <= LARGEST))).size:
        row, column = int(cells.row[bad[0]]), int(cells.col[bad[0]])
        what = f"row {row + 1}, column {column + 1}, of node {short_repr(graph.nodes[row])}"
        raise _unusable(what, cells.data[bad[0]])
    return features


def _names_by_text(graph: Graph) -> dict[str, Hashable]:
    """Return the node of each written name; if 7 and "7" are both nodes, "7" is meant.

    A name that a spreadsheet would take for a formula is also known with a quote in front, as
    :func:`lovasz.base.tables.write_table` writes it.
    """
    by_text: dict[str, Hashable] = {}
    for name in graph.nodes:
        if isinstance(name, str):
            by_text[name] = name
        else:
            by_text.setdefault(str(name), name)
    for text, name in list(by_text.items()):
        by_text.setdefault(guard_cell(text), name)
    return by_text


def _some(items: Iterable[Any]) -> str:
    names = [short_repr(item) for item in items]
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
