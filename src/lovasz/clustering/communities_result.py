"""The result of :func:`lovasz.communities`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from lovasz.base.display import as_html
from lovasz.base.frames import make_frame
from lovasz.base.text import pluralize
from lovasz.clustering.spectrum import Spectrum
from lovasz.graphs import Graph

LISTED_SIZES = 8
"""Number of communities whose sizes the repr says."""


class Communities(list[set[Hashable]]):
    """The communities as a list of sets of nodes, with a confidence for each node.

    The largest comes first. If labels were given, communities are in the order of the classes.

    >>> import lovasz
    >>> two_triangles = [*zip("abccxyz", "bcaxyzx")]
    >>> found = lovasz.communities(two_triangles, k=2)
    >>> found
    Communities(2 of 6 nodes: 3, 3)
    >>> sorted(map(sorted, found))
    [['a', 'b', 'c'], ['x', 'y', 'z']]
    """

    membership: np.ndarray
    """(n,) the index of each node's community in the list, in the graph's node order."""
    confidence: np.ndarray
    """(n,) the posterior probability of that community, or, without refinement, a share by the
    distance to the centres."""
    nodes: Sequence[Hashable]
    """The names of the nodes."""
    names: Sequence[Hashable]
    """The names of the communities: the classes of the labels, or their indices."""
    spectrum: Spectrum
    """The largest eigenvalues of the kernel, of the largest component only if k was not given."""
    graph: Graph
    """The graph, whose nodes these are."""
    status: str
    """"complete", or a text that begins with "time limit" if the search had to end early."""

    def __init__(
        self,
        membership: np.ndarray,
        confidence: np.ndarray,
        graph: Graph,
        names: Sequence[Hashable],
        spectrum: Spectrum,
        *,
        status: str = "complete",
    ) -> None:
        super().__init__(set() for _ in names)
        for node, code in zip(graph.nodes, membership.tolist(), strict=True):
            self[code].add(node)
        self.membership, self.confidence, self.status = membership, confidence, status
        self.graph, self.nodes, self.names, self.spectrum = graph, graph.nodes, names, spectrum

    @property
    def k(self) -> int:
        """The number of communities."""
        return len(self)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with the columns node, community and confidence."""
        named = [self.names[code] for code in self.membership.tolist()]
        return make_frame(
            {"node": list(self.nodes), "community": named, "confidence": self.confidence}
        )

    def to_networkx(self) -> Any:
        """Return a networkx graph; its nodes have the attributes community and confidence."""
        named = [self.names[code] for code in self.membership.tolist()]
        return self.graph.to_networkx(community=named, confidence=self.confidence)

    def _repr_html_(self) -> str | None:
        return as_html(self)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{len(community):,}" for community in self[:LISTED_SIZES])
        more = ", …" if self.k > LISTED_SIZES else ""
        return f"Communities({self.k} of {pluralize(len(self.nodes), 'node')}: {sizes}{more})"
