"""Formats that number the vertices 1..n: DIMACS colouring and clique files, and Gset."""

from __future__ import annotations

from lovasz.base.errors import LovaszError
from lovasz.base.progress import progress
from lovasz.graphs.convert import Weights, settle_weights
from lovasz.graphs.formats.lines import at_line, bad_line
from lovasz.graphs.graph import Graph
from lovasz.graphs.size import declared, declared_nodes
from lovasz.graphs.source import decode, shorten

_LINES_A_STEP = 1 << 16  # of the progress bar
_IGNORED = ("c", "n", "d", "v", "x")  # comments, and what only colouring programs read


def read_dimacs(data: bytes, *, symmetrize: bool, weights: Weights) -> Graph:
    """Graph on 1..n from ``p edge n m`` and lines ``e i j``; m is often wrong and not used."""
    n = None
    source: list[int] = []
    target: list[int] = []
    lines = decode(data).split("\n")
    with progress("reading edges", len(lines)) as update:
        for number, line in enumerate(lines, 1):
            if number % _LINES_A_STEP == 0:
                update(number)
            fields = line.split()
            if not fields or fields[0] in _IGNORED:
                continue
            if fields[0] == "p" and n is None:
                n = _node_count(number, fields)
            elif fields[0] == "e" and n is not None:
                u, v = _ends(number, fields[1:], n, "'e i j'", count=2)
                source.append(u)
                target.append(v)
            else:
                raise bad_line(
                    number, fields, "is no DIMACS line here; write 'p edge n m' once, then 'e i j'"
                )
    if n is None:
        raise LovaszError("no line 'p edge n m' says how many vertices there are; add it")
    return _numbered(n, source, target, both_directions=True)


def read_gset(data: bytes, *, symmetrize: bool, weights: Weights) -> Graph:
    """Graph on 1..n from a first line ``n m`` and m lines ``i j weight``."""
    rows = [(k, line.split()) for k, line in enumerate(decode(data).split("\n"), 1) if line.strip()]
    with at_line(rows[0][0]):
        n, m = declared_nodes(rows[0][1][0]), declared(rows[0][1][1], "edges")
    if len(rows) - 1 != m:
        raise LovaszError(
            f"line {rows[0][0]}: it promises {m} edges and {len(rows) - 1} lines follow; "
            "if it is an edge, give every line the same number of fields"
        )
    ends = [_ends(number, fields, n, "'i j weight'", count=3) for number, fields in rows[1:]]
    values = []
    for number, fields in rows[1:]:
        try:
            values.append(float(fields[2]))
        except ValueError:
            raise bad_line(
                number, fields, f"has the weight {fields[2]!r}; write a number"
            ) from None
    source, target = [u for u, _ in ends], [v for _, v in ends]
    return _numbered(n, source, target, values=values, weights=weights)


def write_dimacs(graph: Graph) -> bytes:
    """``p edge n m`` and one line ``e i j`` an edge; node k of the graph becomes vertex k+1."""
    if graph.weighted:
        raise LovaszError("DIMACS files hold no weights; write .csv, .gml, .mtx or .npz instead")
    lines = [f"p edge {graph.n} {graph.m}"]
    source, target = graph.edges()
    ends = zip((source + 1).tolist(), (target + 1).tolist(), strict=True)
    lines += [f"e {u} {v}" for u, v in ends]
    return ("\n".join(lines) + "\n").encode()


def _node_count(number: int, fields: list[str]) -> int:
    if len(fields) < 3 or not (fields[2].isascii() and fields[2].isdigit()):
        raise bad_line(number, fields, "is no DIMACS header; write 'p edge n m' with numbers")
    with at_line(number):
        return declared_nodes(fields[2])


def _ends(number: int, fields: list[str], n: int, form: str, *, count: int) -> tuple[int, int]:
    if len(fields) != count:
        raise bad_line(number, fields, f"does not have {count} numbers; write {form}")
    try:
        u, v = int(fields[0]), int(fields[1])
    except ValueError:
        raise bad_line(number, fields, f"names no vertices; write {form} with numbers") from None
    for end in (u, v):
        if not 1 <= end <= n:
            raise bad_line(
                number, fields, f"names vertex {shorten(str(end))}, the header says 1 to {n}; "
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
