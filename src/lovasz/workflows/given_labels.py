"""Reading the labels of ``lovasz classify``, and which of them are for validation."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.base.text import pluralize, short_repr
from lovasz.graphs import Graph
from lovasz.graphs.labels import encode
from lovasz.graphs.node_tables import read_matched_labels, read_nodes


class GivenLabels(NamedTuple):
    """The labels of a graph."""

    classes: np.ndarray
    """The sorted classes."""
    codes: np.ndarray
    """(n,) index into ``classes`` of each node, -1 where it has no label."""
    validation: np.ndarray | None
    """Rows of the labelled nodes that judge and are not learned from, or None if none are named."""


def read_given_labels(
    labels: str, validation: str | None, graph: Graph, known: dict[Hashable, Any] | None = None
) -> GivenLabels:
    """Read the file of labels, and the file of validation nodes if there is one.

    A validation node has its class in either file. Messages begin with the name of a file.
    ``known`` are the labels in the file if it was read already, as a project of ``lovasz label``.
    """
    if known is None:
        with _in_file(labels):
            known = read_matched_labels(labels, graph)
    if validation is None:
        with _in_file(labels):
            return GivenLabels(*encode(known, graph), None)
    with _in_file(validation):
        nodes = read_nodes(validation, graph)
        for node, label in nodes.items():
            if label is not None and known.setdefault(node, label) != label:
                raise LovaszError(
                    f"node {short_repr(node)} is {short_repr(label)} here and "
                    f"{short_repr(known[node])} in {labels}; keep one"
                )
        if bare := [node for node in nodes if node not in known]:
            verb = "has" if len(bare) == 1 else "have"
            raise LovaszError(
                f"{pluralize(len(bare), 'validation node')} {verb} no class "
                f"({short_repr(bare[0])} is one); write node,class, or label them in {labels}"
            )
    with _in_file(labels):
        classes, codes = encode(known, graph)
    rows = np.array(sorted(graph.positions[node] for node in nodes), dtype=np.int64)
    return GivenLabels(classes, codes, rows)


@contextmanager
def _in_file(path: str) -> Iterator[None]:
    """Put the name of a file before a message, unless it is there already."""
    try:
        yield
    except LovaszError as error:
        text = str(error)
        raise error if text.startswith(path) else LovaszError(f"{path}: {text}") from None
