"""One module a family of file formats; each has its ``read_…`` and, beside it, its ``write_…``.

A reader takes the bytes and returns a :class:`~lovasz.graphs.graph.Graph`; a writer takes a
graph and returns the bytes. Opening, compressing and naming the file in errors is the work of
:mod:`lovasz.graphs.read` and :mod:`lovasz.graphs.write`.
"""
