"""A graph to explore: pan, zoom, hover, pin, search, filter, lasso, and a table of all nodes.

A page, a notebook and the labelling app use the same script. :func:`graph_view` encodes a graph;
:meth:`GraphView.to_html` gives a fragment or a whole page, and :meth:`GraphView.to_json` the data
alone. A server with a strict content security policy serves :func:`viewer_script` and
:func:`viewer_style` as two files and the JSON as a third; its page then calls

    new LovaszViewer(element, data, {onselect, onpin, onhover})

The object has the methods ``update(data)``, ``focus(node)``, ``select(nodes)`` and
``card(node, lines)``, where a node is a row number or a name, and ``element`` gets the events
``lovasz:select``, ``lovasz:pin`` and ``lovasz:hover``. ``update`` takes all of the data or some of
its keys. The script never writes HTML: names are text wherever they appear. It sets no inline
style attribute and needs neither a nonce nor ``unsafe-inline``.

The picture is a 2D canvas, which every browser has. Edges and nodes are drawn a slice per frame
into a buffer that is larger than the view, and panning only moves the buffer.
"""

from lovasz.pages.viewer.assets import script_hash, viewer_script, viewer_style
from lovasz.pages.viewer.graph_view import GraphView, classifier_view, graph_view

__all__ = [
    "GraphView",
    "classifier_view",
    "graph_view",
    "script_hash",
    "viewer_script",
    "viewer_style",
]
