"""The result of :func:`lovasz.communities`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from lovasz.clustering.spectrum import Spectrum


class Communities(list[set[Hashable]]):
    """The communities as a list of sets of nodes, with a confidence for each node.

    The largest comes first. If labels were given, communities are in the order of the classes.
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

    def __init__(
        self,
        membership: np.ndarray,
        confidence: np.ndarray,
        nodes: Sequence[Hashable],
        names: Sequence[Hashable],
        spectrum: Spectrum,
    ) -> None:
        super().__init__(set() for _ in names)
        for node, code in zip(nodes, membership.tolist(), strict=True):
            self[code].add(node)
        self.membership, self.confidence = membership, confidence
        self.nodes, self.names, self.spectrum = nodes, names, spectrum

    @property
    def k(self) -> int:
        """The number of communities."""
        return len(self)
