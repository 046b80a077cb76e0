"""Files of hypergraphs: one hyperedge per line, the Hypergraph Interchange Format, and npz."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Callable, Hashable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.graphs.convert import Weights
from lovasz.graphs.counts import check_node_count
from lovasz.graphs.formats.archives import names_in, read_archive, sparse_matrix, stored_names
from lovasz.graphs.formats.arrays import name_array
from lovasz.graphs.formats.content import written_names
from lovasz.graphs.formats.lines import integers_if_all, quote, records
from lovasz.graphs.graph import Graph
from lovasz.graphs.hyperconvert import as_hypergraph, from_sets
from lovasz.graphs.hypergraph import Hypergraph
from lovasz.graphs.source import (
    ZIP,
    Source,
    containing,
    decode,
    naming,
    parsing,
    read_source,
    suffix_of,
    write_content,
)

_JSON_LIST = re.compile(rb'\s*\[\s*["\[{\]]')
"""Matches the beginning of a JSON list, which would be read as lines with odd names."""

SUFFIXES = (".hg", ".json")
"""Suffixes of the files that every reader takes for hypergraphs."""


def read_hypergraph(path: str | os.PathLike[str]) -> Hypergraph:
    """Read a hypergraph from a file; ``-`` is standard input, and gzip files are decompressed.

    - Text has one hyperedge per line, its nodes separated by commas, tabs or spaces. Names that
      are all integers become ``int``. A line with one node declares that node.
    - JSON is the Hypergraph Interchange Format (``xgi.write_hif``, HyperNetX).
    - ``.npz`` holds an incidence matrix written by ``scipy.sparse.save_npz``, or the arrays
      ``edge_indptr`` and ``edge_indices``, as in the data of HyperGCN.
    """
    source = read_source(path)
    with naming(source.name), containing():
        return parse_hypergraph(source)


def parse_hypergraph(source: Source) -> Hypergraph:
    """Return the hypergraph in ``source``; its content tells the format."""
    if source.data.startswith(ZIP):
        return _read_npz(source.data)
    if source.data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{":
        return _read_hif(source.data)
    if _JSON_LIST.match(source.data.removeprefix(b"\xef\xbb\xbf")):
        raise LovaszError(
            "it is a JSON list; write the Hypergraph Interchange Format, as xgi.write_hif does, or "
            "one hyperedge per line"
        )
    return _read_lines(decode(source.data))


def read_expansion(data: bytes, *, symmetrize: bool, weights: Weights) -> Graph:
    """Return the 2-section of the hypergraph in a file, for callers that want a graph."""
    return parse_hypergraph(Source("", "", data)).expansion()


def write_hypergraph(hypergraph: Hypergraph, path: str | os.PathLike[str]) -> None:
    """Write to ``path`` in the format of its suffix; a final ``.gz`` compresses.

    Suffixes are ``.hg`` (separated by spaces), ``.csv``, ``.tsv``, ``.json`` (Hypergraph
    Interchange Format) and ``.npz``. :func:`read_hypergraph` gives back the same nodes in order
    and the same hyperedges. ``.json`` and ``.npz`` keep the weights, and ``.json`` also keeps the
    names of the hyperedges. Text holds no weights; writing a weighted hypergraph to it is an
    error.
    """
    writer = _WRITERS.get(suffix_of(path))
    if writer is None:
        raise LovaszError(
            f"{os.fspath(path)}: its suffix names no format of hypergraphs; use one of "
            f"{' '.join(_WRITERS)}"
        )
    with naming(os.fspath(path)):
        data = writer(hypergraph)
    write_content(path, data)


def _read_lines(text: str) -> Hypergraph:
    sets = [[name for name in fields if name] for _, fields in records(text)]
    names = integers_if_all(chain.from_iterable(sets))
    named = [[names[name] for name in edge] for edge in sets]
    declared = [edge[0] for edge in named if len(edge) == 1]
    order: Sequence[Hashable] = tuple(dict.fromkeys(chain.from_iterable(named)))
    # If every node is declared, the file gives their order; otherwise integers are row numbers.
    if len(set(declared)) < len(order) and all(type(name) is int for name in order):
        order = tuple(sorted(order))  # type: ignore[type-var]
    return from_sets([edge for edge in named if len(edge) > 1], nodes=order)


def _write_lines(hypergraph: Hypergraph, delimiter: str) -> bytes:
    if hypergraph.weighted:
        raise LovaszError("text files hold no weights of hyperedges; write .json or .npz")
    names = written_names(_bare(hypergraph))
    fields = [quote(name) if isinstance(name, str) else str(name) for name in names]
    numbers = integers_if_all(fields).values()
    if isinstance(next(iter(names), 0), str) and all(isinstance(x, int) for x in numbers):
        raise LovaszError(
            "the names are numbers as text, which a text file would turn into integers; write .json"
        )
    lone = delimiter if delimiter != " " else ""
    # Every node is declared, which gives the order and the isolated nodes.
    lines = [name + lone for name in fields]
    lines += [delimiter.join(fields[row] for row in edge) for edge in hypergraph.rows()]
    return ("\n".join(lines) + "\n").encode()


def _bare(hypergraph: Hypergraph) -> Graph:
    """Return the graph without edges on the same nodes, for functions that write node names."""
    return Graph.from_edges([], [], n=hypergraph.n, nodes=hypergraph.nodes)


def _read_hif(data: bytes) -> Hypergraph:
    with parsing("JSON"):
        content = json.loads(data)
    incidences = content.get("incidences")
    if not isinstance(incidences, list):
        raise LovaszError(
            "the JSON has no list 'incidences'; JSON is read as a hypergraph in the Hypergraph "
            "Interchange Format, which xgi.write_hif writes; save a graph as GraphML or an edge "
            "list instead, such as by networkx.write_graphml"
        )
    if content.get("network-type", "undirected") == "directed":
        raise LovaszError("the hypergraph is directed; write it as undirected")
    with parsing("Hypergraph Interchange Format"):
        sets: dict[Any, list[Any]] = {entry["edge"]: [] for entry in content.get("edges") or []}
        for entry in incidences:
            sets.setdefault(entry["edge"], []).append(entry["node"])
        declared = [entry["node"] for entry in content.get("nodes") or []]
        given = {entry["edge"]: entry.get("weight", 1.0) for entry in content.get("edges") or []}
        order = tuple(dict.fromkeys([*declared, *chain.from_iterable(sets.values())]))
    return from_sets(
        list(sets.values()), list(sets), nodes=order, weights=[given.get(e, 1.0) for e in sets]
    )


def _write_hif(hypergraph: Hypergraph) -> bytes:
    nodes = written_names(_bare(hypergraph))
    names = [_json_name(name) for name in hypergraph.names]
    edges: list[dict[str, Any]] = [{"edge": name} for name in names]
    if hypergraph.weighted:
        for entry, weight in zip(edges, hypergraph.weights.tolist(), strict=True):
            entry["weight"] = weight
    pairs = zip(names, hypergraph.rows(), strict=True)
    content = {
        "network-type": "undirected",
        "nodes": [{"node": node} for node in nodes],
        "edges": edges,
        "incidences": [
            {"edge": name, "node": nodes[row]} for name, rows in pairs for row in rows.tolist()
        ],
    }
    return (json.dumps(content, ensure_ascii=False) + "\n").encode()


def _json_name(name: Hashable) -> str | int:
    return name if isinstance(name, str) or type(name) is int else str(name)


def _read_npz(data: bytes) -> Hypergraph:
    wanted = [name for name in names_in(data) if not name.startswith("feat")]
    held = read_archive(data, only=tuple(wanted))
    if "format" in held:
        return as_hypergraph(sparse_matrix(held))
    if not {"edge_indptr", "edge_indices"} <= held.keys():
        raise LovaszError(
            f"the npz file holds {', '.join(held) or 'nothing'} and no hypergraph; write one with "
            "write_hypergraph, or an incidence matrix with scipy.sparse.save_npz"
        )
    nodes, bounds = held["edge_indices"], held["edge_indptr"]
    for array in (nodes, bounds):
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise LovaszError(
                f"edge_indices and edge_indptr hold {array.dtype} of shape {array.shape}; save "
                "whole numbers in one dimension"
            )
    n = _declared(held["n_nodes"]) if "n_nodes" in held else int(nodes.max(initial=-1)) + 1
    check_node_count(n)
    if bounds.size and not (bounds[0] == 0 and bounds[-1] == nodes.size and _ascending(bounds)):
        raise LovaszError(
            f"edge_indptr does not rise from 0 to {nodes.size}, the length of edge_indices; "
            "save it again"
        )
    names = stored_names(held)
    return Hypergraph.from_rows(
        np.split(nodes, bounds[1:-1]) if bounds.size > 1 else [],
        n=n,
        weights=held.get("edge_weights"),
        nodes=None if names == tuple(range(n)) else names,
    )


def _declared(array: np.ndarray) -> int:
    """Return the number of nodes that an npz file declares."""
    if array.size != 1 or array.dtype.kind not in "iu" or array.item() < 0:
        raise LovaszError("n_nodes must be one whole number of at least 0; save it again")
    return int(array.item())


def _ascending(bounds: np.ndarray) -> bool:
    return bool((bounds[1:] >= bounds[:-1]).all())


def _write_npz(hypergraph: Hypergraph) -> bytes:
    rows = hypergraph.rows()
    out = io.BytesIO()
    np.savez_compressed(
        out,
        n_nodes=np.array(hypergraph.n),
        edge_indptr=np.concatenate([[0], np.cumsum(hypergraph.sizes)]).astype(np.int64),
        edge_indices=np.concatenate([*rows, np.empty(0, dtype=np.int64)]).astype(np.int64),
        edge_weights=hypergraph.weights,
        nodes=name_array(_bare(hypergraph)),
    )
    return out.getvalue()


# The writer of each suffix.
_WRITERS: dict[str, Callable[[Hypergraph], bytes]] = {
    ".hg": lambda hypergraph: _write_lines(hypergraph, " "),
    ".csv": lambda hypergraph: _write_lines(hypergraph, ","),
    ".tsv": lambda hypergraph: _write_lines(hypergraph, "\t"),
    ".json": _write_hif,
    ".npz": _write_npz,
}
