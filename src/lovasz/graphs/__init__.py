"""Graphs and hypergraphs: one immutable type for each, conversions, readers and writers."""

from lovasz.graphs.convert import as_graph
from lovasz.graphs.graph import Graph
from lovasz.graphs.hyperconvert import as_hypergraph
from lovasz.graphs.hypergraph import Hypergraph
from lovasz.graphs.read import read_graph
from lovasz.graphs.write import write_graph

__all__ = ["Graph", "Hypergraph", "as_graph", "as_hypergraph", "read_graph", "write_graph"]
