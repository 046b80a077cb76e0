"""GML and GraphML. They are read by networkx, and written here so that names keep their type."""

from __future__ import annotations

import io
import re
from typing import Any

from lovasz.base.errors import LovaszError
from lovasz.base.text import short_repr
from lovasz.graphs.convert import Weights, as_graph
from lovasz.graphs.formats.content import weighted_edges, written_names
from lovasz.graphs.graph import Graph
from lovasz.graphs.source import decode, parsing

_GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="name" for="node" attr.name="name" attr.type="{kind}"/>
<key id="weight" for="edge" attr.name="weight" attr.type="double"/>
<graph edgedefault="undirected">"""
"""The beginning of a GraphML file; ``kind`` is the type of the node names."""

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Matches a character that XML cannot hold."""


def read_gml(data: bytes, *, symmetrize: bool, weights: Weights) -> Graph:
    """Return the graph of a GML file; nodes are named by label, or by id if labels are missing."""
    import networkx as nx

    text = decode(data)
    if not re.search(r"\bmultigraph\b", text):
        # networkx refuses repeated edges unless the file announces them. Here they are dropped
        # with a note, as in every other format.
        text = re.sub(r"\bgraph\s*\[", "graph [ multigraph 1", text, count=1, flags=re.IGNORECASE)
    lines = text.split("\n")
    with parsing("GML"):
        try:
            graph = nx.parse_gml(lines)
        except nx.NetworkXError as error:
            if "no 'label' attribute" not in str(error):
                raise
            graph = nx.parse_gml(lines, label="id")
    return as_graph(graph, symmetrize=symmetrize, weights=weights)


def read_graphml(data: bytes, *, symmetrize: bool, weights: Weights) -> Graph:
    """Return the graph of a GraphML file; nodes are named by their id.

    If the ids are a mere counter (n0, n1, …) and every node has a ``name``, as igraph and
    :func:`write_graphml` write it, nodes are named by that.
    """
    import networkx as nx

    with parsing("GraphML"):
        _check_one_graph(data)
        graph: Any = nx.read_graphml(io.BytesIO(data))
    names = [name for _, name in graph.nodes(data="name")]
    numbered = list(graph) == [f"n{row}" for row in range(len(graph))]
    if numbered and None not in names and len(set(names)) == len(names):
        graph = nx.relabel_nodes(graph, dict(zip(graph, names, strict=True)))
    return as_graph(graph, symmetrize=symmetrize, weights=weights)


def _check_one_graph(data: bytes) -> None:
    """Raise if there are several graphs, or one in a node, of which networkx reads the first."""
    from xml.etree.ElementTree import iterparse

    graphs = 0
    for _, element in iterparse(io.BytesIO(data), events=("start",)):
        graphs += element.tag.rpartition("}")[2] == "graph"
        if graphs > 1:
            raise LovaszError("it holds several graphs, or a graph in a node; keep one of them")


def write_gml(graph: Graph) -> bytes:
    """Return a GML file, in which integer names are numbers and other names are text."""
    lines = ["graph ["]
    for row, name in enumerate(written_names(graph)):
        lines.append(f"  node [ id {row} label {_gml_value(name)} ]")
    for u, v, weight in weighted_edges(graph):
        shown = f" weight {_gml_real(weight)}" if graph.weighted else ""
        lines.append(f"  edge [ source {u} target {v}{shown} ]")
    return ("\n".join([*lines, "]"]) + "\n").encode("ascii")


def write_graphml(graph: Graph) -> bytes:
    """Return a GraphML file as igraph writes it: ids n0, n1, …, and names as an attribute."""
    names = written_names(graph)
    integers = all(isinstance(name, int) for name in names)
    lines = [_GRAPHML.format(kind="long" if integers else "string")]
    for row, name in enumerate(names):
        lines.append(f'<node id="n{row}"><data key="name">{_xml_text(str(name))}</data></node>')
    for u, v, weight in weighted_edges(graph):
        data = f'<data key="weight">{weight!r}</data>' if graph.weighted else ""
        lines.append(f'<edge source="n{u}" target="n{v}">{data}</edge>')
    return ("\n".join([*lines, "</graph>", "</graphml>"]) + "\n").encode()


def _gml_real(value: float) -> str:
    # A real number of GML needs a point, which 1e-05 lacks.
    mantissa, e, exponent = repr(value).partition("e")
    return (mantissa if "." in mantissa else mantissa + ".0") + e + exponent


def _gml_value(name: object) -> str:
    if not isinstance(name, str):
        return str(name)
    # GML is ASCII, and any other character is written as a character reference.
    return '"' + re.sub(r'[^ -~]|[&"]', lambda found: f"&#{ord(found[0])};", name) + '"'


def _xml_text(name: str) -> str:
    if (bad := _NO_XML.search(name)) is not None:
        raise LovaszError(
            f"the node name {short_repr(name)} holds {bad[0]!r}, which XML lacks; "
            "rename it or write .csv"
        )
    from xml.sax.saxutils import escape  # imports urllib.request

    return escape(name, {"\r": "&#13;"})
