"""Edge lists: CSV, TSV and whitespace-separated text, one edge per line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.base.progress import progress
from lovasz.base.text import short_repr, truncate
from lovasz.graphs.convert import DIRECTED, Weights, settle_weights
from lovasz.graphs.formats.columns import Columns, is_header, named_columns
from lovasz.graphs.formats.content import weighted_edges, written_names
from lovasz.graphs.formats.lines import (
    LINES_PER_UPDATE,
    bad_line,
    integers_if_all,
    looks_numeric,
    quote,
    records,
    sniff,
)
from lovasz.graphs.graph import Graph
from lovasz.graphs.matrix_rows import is_small_matrix
from lovasz.graphs.source import decode

_TEXT_NAMES = "# lovasz: names are text"
"""The first line of a file whose names look like integers and are text; a comment to others."""

_KEEP_ORDER = "# lovasz: nodes in this order"
"""The first line of a file whose names are unsorted integers; a comment to others."""

MATRIX = (
    "write an adjacency matrix with scipy.sparse.save_npz, or call lovasz.as_graph(array) in Python"
)
"""What to do with an adjacency matrix instead of writing it as text."""

_NO_DATA = "{}"
"""What networkx.write_edgelist writes after an edge without attributes."""

_SURE_ENDS = {"source", "target"}
"""The names that :func:`write_edgelist` puts above the ends of edges."""


@dataclass
class _Edges:
    """The edges of a file, as its lines list them."""

    rows: dict[str, int] = field(default_factory=dict)
    """The row of every name, isolated nodes included, in the order of appearance."""
    source: list[int] = field(default_factory=list)
    """Row of the first end of each edge."""
    target: list[int] = field(default_factory=list)
    """Row of the second end of each edge."""
    weights: list[float] = field(default_factory=list)
    """Weight of each edge; empty if the file has no weights."""
    directed: bool = False
    """Whether some edge is marked as directed."""
    notes: tuple[str, ...] = ()
    """Notes for the graph, such as "ignored the column 'id'"."""


def read_edgelist(data: bytes, *, symmetrize: bool, weights: Weights) -> Graph:
    """Return the graph of lines ``source,target[,weight]``; a line ``name,`` declares a node."""
    text = decode(data)
    edges = _parse(text)
    if edges.directed and not symmetrize:
        raise LovaszError(DIRECTED)
    opening = text.partition("\n")[0].strip()
    names = list(edges.rows if opening == _TEXT_NAMES else integers_if_all(edges.rows).values())
    if is_small_matrix(
        [names[row] for row in edges.source], [names[row] for row in edges.target], edges.weights
    ):
        raise LovaszError(f"its lines are not edges but the rows of a matrix; {MATRIX}")
    place, names = _order(names, sort=opening != _KEEP_ORDER)
    graph = Graph.from_edges(
        place[edges.source],
        place[edges.target],
        n=len(names),
        nodes=range(len(names)) if names == list(range(len(names))) else tuple(names),
        weights=settle_weights(edges.weights or None, weights),
        both_directions=True,
    )
    return replace(graph, notes=graph.notes + edges.notes)


def _order(names: list[Any], *, sort: bool) -> tuple[np.ndarray, list[Any]]:
    """Return the new row of each row, and the names in order; ``sort`` sorts integers."""
    order = list(range(len(names)))
    if sort and all(isinstance(name, int) for name in names):
        order.sort(key=names.__getitem__)
    place = np.empty(len(names), dtype=np.int64)
    place[order] = np.arange(len(names))
    return place, [names[row] for row in order]


def _parse(text: str, *, header: bool = True) -> _Edges:
    """Return the edges of a file; unless ``header``, a first line like u,v is one of them."""
    edges = _Edges()
    columns: Columns | None = None
    head: list[str] = []  # the first line if it is a header
    opening: list[str] = []  # the first edge, unless one of its names has been declared as a node
    with progress("reading edges", text.count("\n") + 1) as update:
        for number, fields in records(text):
            if number % LINES_PER_UPDATE == 0:
                update(number)
            first = columns is None and not edges.rows
            if first and header and is_header(fields) and not _has_no_data(fields):
                columns, head = named_columns(fields), fields
                edges.notes = tuple(
                    f"ignored the column {short_repr(name)}" for name in columns.unused
                )
            elif len(fields) > 1 and fields[0] and not fields[1]:
                edges.rows.setdefault(fields[0], len(edges.rows))
                opening = [] if fields[0] in opening else opening
            else:
                opening = fields if first else opening
                columns = columns or _plain_columns(number, fields)
                _add(edges, number, fields, columns)
    if columns is None and not edges.rows:
        raise LovaszError("it holds only comments; write one edge per line: source,target")
    if head:
        return _settle_header(text, edges, head)
    if opening and header and _seems_header(opening, edges):
        edges.notes += (
            f"the first line {truncate(','.join(opening))!r} was read as an edge; "
            "if it is a header, name the columns source,target",
        )
    return edges


def _has_no_data(fields: list[str]) -> bool:
    """Whether a line ends as networkx writes edges, so that it is no header like u,v,weight."""
    return len(fields) == 3 and fields[2] == _NO_DATA and not _are_sure(fields)


def _are_sure(fields: list[str]) -> bool:
    """Whether the first two fields are the names of ends that are surely no nodes."""
    return {field.lower() for field in fields[:2]} == _SURE_ENDS


def _settle_header(text: str, edges: _Edges, head: list[str]) -> _Edges:
    """Return the edges of a file below ``head``, or with it if it is an edge.

    A graph may well have nodes u and v, or head and tail. So a line u,v is an edge if one of these
    is a node below, and u,v,2 also if no edge is below; a header u,v,2020 may name a year. Names of
    more columns, and source,target, which the writer puts above all edges, are a header always.
    """
    name = next((name for name in head[:2] if name in edges.rows), None)
    sure = _are_sure(head)
    if len(head) == 3 and looks_numeric(head[2]) and not sure:
        return edges if name is None and edges.source else _parse(text, header=False)
    if name is None:
        return edges
    line = truncate(",".join(head))
    if len(head) > 2 or sure:
        columns = ["source", "target", *(f"column{k}" for k in range(3, len(head) + 1))]
        what = "a header, though"
        remedy = f"if it is an edge, put the header {(sniff(text) or ' ').join(columns)} above it"
    else:
        edges = _parse(text, header=False)
        what, remedy = "an edge, as", "if it is a header, name the columns source,target"
    edges.notes += (f"the first line {line!r} was read as {what} {name!r} is a node; {remedy}",)
    return edges


def _seems_header(opening: list[str], edges: _Edges) -> bool:
    """Whether both names of the first edge are words that occur in no other edge."""
    if len(edges.source) == 1 or any(map(looks_numeric, opening)):
        return False
    rows = [edges.rows[name] for name in opening[:2]]
    return all(edges.source.count(row) + edges.target.count(row) == 1 for row in rows)


def _add(edges: _Edges, number: int, fields: list[str], columns: Columns) -> None:
    if len(fields) != columns.count or not fields[0] or not fields[1]:
        raise _malformed(number, fields, columns.count)
    if columns.weight is not None:
        edges.weights.append(_weight(number, fields, columns.weight))
    if columns.kind is not None and fields[columns.kind].lower() == "directed":
        edges.directed = True
    rows = edges.rows
    edges.source.append(rows.setdefault(fields[0], len(rows)))
    edges.target.append(rows.setdefault(fields[1], len(rows)))


def _plain_columns(number: int, fields: list[str]) -> Columns:
    if len(fields) > 3:
        matrix = not fields[0] or all(map(looks_numeric, fields))
        raise bad_line(
            number, fields, f"has {len(fields)} fields, and no header tells their meaning; put "
            "source,target,… with a name for every column on the first line, or quote names"
            + (f"; {MATRIX}" if matrix else ""),
        )  # fmt: skip
    return Columns(max(len(fields), 2), weight=2 if len(fields) == 3 else None)


def _weight(number: int, fields: list[str], column: int) -> float:
    try:
        value = float(fields[column])
    except ValueError:
        if fields[column] == _NO_DATA:
            return 1.0
        raise bad_line(
            number, fields, f"has the weight {truncate(fields[column])!r}; write a number such as "
            "0.5, or leave the column out",
        ) from None  # fmt: skip
    if not isfinite(value):
        raise bad_line(number, fields, f"has the weight {value}; weights must be finite numbers")
    return value


def _malformed(number: int, fields: list[str], count: int) -> LovaszError:
    if len(fields) == 1:
        what = "has one field; write source,target for an edge, or name, for a node without edges"
    elif len(fields) != count:
        what = f"has {len(fields)} fields, but lines before it {count}; "
        what += "quote names that hold spaces or commas"
    else:
        what = "starts with an empty name; write source,target"
    return bad_line(number, fields, what)


def write_edgelist(graph: Graph, *, delimiter: str) -> bytes:
    """Return a header and lines ``source,target[,weight]``, with ``name,`` to declare a node."""
    names = written_names(graph)
    fields = [quote(name) if isinstance(name, str) else str(name) for name in names]
    integers = [name for name in names if isinstance(name, int)]
    sort = len(integers) == len(names)
    lines = []
    if sort and any(a > b for a, b in pairwise(integers)):
        lines, sort = [_KEEP_ORDER], False
    elif not sort and all(isinstance(name, int) for name in integers_if_all(fields).values()):
        lines = [_TEXT_NAMES]
    lines.append(delimiter.join(["source", "target"] + ["weight"] * graph.weighted))
    lines += _edge_lines(graph, fields, delimiter, sort)
    return ("\n".join(lines) + "\n").encode()


def _edge_lines(graph: Graph, names: Sequence[str], delimiter: str, sort: bool) -> Iterator[str]:
    """Yield one line per edge, and a line per node that the edges do not put in its place.

    The reader numbers nodes in the order of appearance, or by name if ``sort``. A node is
    declared if an edge to a later node comes first, or if it has no edge.
    """
    empty = '""' if delimiter == " " else ""
    alone = delimiter + empty + (delimiter + empty) * graph.weighted
    seen = 0  # nodes 0..seen-1 have appeared
    degrees = graph.degrees.tolist()
    for u, v, weight in weighted_edges(graph):
        first_new = v if sort else v - (seen == u == v - 1)
        for row in range(seen, first_new):
            if not sort or not degrees[row]:
                yield names[row] + alone
        seen = max(seen, v + 1)
        line = names[u] + delimiter + names[v]
        yield line + delimiter + repr(weight) if graph.weighted else line
    for row in range(seen, graph.n):
        if not sort or not degrees[row]:
            yield names[row] + alone
