"""Graphs: one immutable type, and every way in and out of it."""

from lovasz.graphs.convert import as_graph
from lovasz.graphs.graph import Graph
from lovasz.graphs.read import read_graph
from lovasz.graphs.write import write_graph

__all__ = ["Graph", "as_graph", "read_graph", "write_graph"]
