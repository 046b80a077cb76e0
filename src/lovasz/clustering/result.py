"""What :func:`lovasz.communities` returns."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from lovasz.clustering.spectrum import Spectrum


class Communities(list[set[Hashable]]):
    """The communities as a list of sets of nodes, with what is known of each node.

    Largest first, or in the order of the classes where labels were given.
    """

    membership: np.ndarray
    """(n,) position in the list of the community of each node, in the graph's node order."""
    confidence: np.ndarray
    """(n,) posterior probability of that community; without refinement a share of nearness."""
    nodes: Sequence[Hashable]
    names: Sequence[Hashable]
    """Of the communities: the classes of the labels, else their positions."""
    spectrum: Spectrum
    """Largest eigenvalues of the kernel (of the largest component where k was to be found)."""

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
        """How many there are."""
        return len(self)
