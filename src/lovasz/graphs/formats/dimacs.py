"""Formats with vertices numbered 1..n: DIMACS colouring and clique files, and Gset."""

from __future__ import annotations

from dataclasses import replace

from lovasz.base.errors import LovaszError
from lovasz.base.progress import progress
from lovasz.base.text import pluralize, truncate
from lovasz.graphs.convert import Weights, settle_weights
from lovasz.graphs.counts import parse_count, parse_node_count
from lovasz.graphs.formats.lines import LINES_PER_UPDATE, at_line, bad_line
from lovasz.graphs.graph import Graph
from lovasz.graphs.source import decode

_IGNORED = ("c", "n", "d", "v", "x")
"""First fields of comments and of lines that only colouring programs read."""


def read_dimacs(data: bytes, *, symmetrize: bool, weights: Weights) -> Graph:
    """Return the graph on 1..n of ``p edge n m`` and lines ``e i j``.

    The number m is often wrong, and where each edge counts twice it is twice the number of lines.
    If there are fewer lines than m for no such reason, a note says so, because the file may have
    been cut. Lines ``n i weight`` of node weights are ignored with a note.
    """
    n, m, node_weights = None, 0, 0
    source: list[int] = []
    target: list[int] = []
    lines = decode(data).split("\n")
    with progress("reading edges", len(lines)) as update:
        for number, line in enumerate(lines, 1):
            if number % LINES_PER_UPDATE == 0:
                update(number)
            fields = line.split()
            if not fields or fields[0] in _IGNORED:
                node_weights += fields[:1] == ["n"]
                continue
            if fields[0] == "p" and n is None:
                n, m = _node_count(number, fields), _announced(fields)
            elif fields[0] == "e" and n is not None:
                u, v = _ends(number, fields[1:], n, "'e i j'", count=2)
                source.append(u)
                target.append(v)
            else:
                raise bad_line(
                    number,
                    fields,
                    "is not a DIMACS line here; write 'p edge n m' once, then 'e i j'",
                )
    if n is None:
        raise LovaszError("no line 'p edge n m' says how many vertices there are; add it")
    graph = _numbered(n, source, target, both_directions=True)
    notes = []
    if len(source) < m != 2 * len(source):
        notes.append(
            f"it has {pluralize(len(source), 'edge line')}, and its header announces {m:,}; if it "
            "was cut, copy or download it again"
        )
    if node_weights:
        notes.append(
            f"ignored the node weights on {pluralize(node_weights, 'line')} 'n i weight'; "
            "lovasz.theta(graph, weights=...) takes them"
        )
    return replace(graph, notes=(*graph.notes, *notes))


def read_gset(data: bytes, *, symmetrize: bool, weights: Weights) -> Graph:
    """Return the graph on 1..n of a first line ``n m`` and m lines ``i j weight``."""
    rows = [(k, line.split()) for k, line in enumerate(decode(data).split("\n"), 1) if line.strip()]
    with at_line(rows[0][0]):
        n, m = parse_node_count(rows[0][1][0]), parse_count(rows[0][1][1], "edges")
    if len(rows) - 1 != m:
        raise LovaszError(
            f"line {rows[0][0]}: it declares {m} edges, but {len(rows) - 1} lines follow; "
            "if it is an edge, give every line the same number of fields"
        )
    ends = [_ends(number, fields, n, "'i j weight'", count=3) for number, fields in rows[1:]]
    values = []
    for number, fields in rows[1:]:
        try:
            values.append(float(fields[2]))
        except ValueError:
            raise bad_line(
                number, fields, f"has the weight {truncate(fields[2])!r}; write a number"
            ) from None
    source, target = [u for u, _ in ends], [v for _, v in ends]
    return _numbered(n, source, target, values=values, weights=weights)


def write_dimacs(graph: Graph) -> bytes:
    """Return ``p edge n m`` and one line ``e i j`` per edge; row k becomes vertex k+1."""
    if graph.weighted:
        raise LovaszError("DIMACS files hold no weights; write .csv, .gml, .mtx or .npz instead")
    lines = [f"p edge {graph.n} {graph.m}"]
    source, target = graph.edges()
    ends = zip((source + 1).tolist(), (target + 1).tolist(), strict=True)
    lines += [f"e {u} {v}" for u, v in ends]
    return ("\n".join(lines) + "\n").encode()


def _node_count(number: int, fields: list[str]) -> int:
    if len(fields) < 3 or not (fields[2].isascii() and fields[2].isdigit()):
        raise bad_line(number, fields, "is not a DIMACS header; write 'p edge n m' with numbers")
    with at_line(number):
        return parse_node_count(fields[2])


def _announced(fields: list[str]) -> int:
    """Return the number of edges in a header, or 0 if it has none."""
    text = fields[3] if len(fields) > 3 else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


def _ends(number: int, fields: list[str], n: int, form: str, *, count: int) -> tuple[int, int]:
    if len(fields) != count:
        raise bad_line(number, fields, f"does not have {count} numbers; write {form}")
    try:
        u, v = int(fields[0]), int(fields[1])
    except ValueError:
        raise bad_line(
            number, fields, f"does not name vertices; write {form} with numbers"
        ) from None
    for end in (u, v):
        if not 1 <= end <= n:
            raise bad_line(
                number, fields, f"names vertex {truncate(str(end))}, but the header says 1 to {n}; "
                "correct one of them",
            )  # fmt: skip
    return u, v


def _numbered(
    n: int,
    source: list[int],
    target: list[int],
    *,
    values: list[float] | None = None,
    weights: Weights = None,
    both_directions: bool = False,
) -> Graph:
    return Graph.from_edges(
        [u - 1 for u in source],
        [v - 1 for v in target],
        n=n,
        nodes=range(1, n + 1),
        weights=settle_weights(values, weights),
        both_directions=both_directions,
    )
