"""File formats, one module per family, with its ``read_…`` and ``write_…`` functions.

A reader takes the bytes and returns a :class:`~lovasz.graphs.graph.Graph`; a writer takes a
graph and returns the bytes. :mod:`lovasz.graphs.read` and :mod:`lovasz.graphs.write` open and
compress the files and put their names into error messages.
"""
