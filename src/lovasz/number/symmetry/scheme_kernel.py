"""Kernels of symmetric graphs: one number per relation instead of one per pair of nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse

from lovasz.base.memory import refuse_if_too_large
from lovasz.graphs.schemes import Scheme
from lovasz.graphs.symmetric_graph import BYTES_PER_EDGE


@dataclass(frozen=True)
class SchemeKernel:
    """K = I + Σ value_i A_i, where A_i is the adjacency matrix of relation i of a scheme.

    It has no entries in memory. :meth:`tocsr` and :meth:`toarray` write it down if it is small.

    >>> import lovasz
    >>> from lovasz.graphs import families
    >>> K = lovasz.theta(families.kneser(5, 2)).kernel
    >>> K.values, K.toarray()[0, 9].item()
    ({2: Fraction(1, 2)}, 0.5)
    """

    scheme: Scheme
    values: Mapping[Any, Fraction | float]
    """The entry of K on each relation where it is not 0; fractions are exact."""

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of columns."""
        return self.scheme.n, self.scheme.n

    def tocsr(self) -> sparse.csr_array:
        """Return K as a sparse matrix of doubles, rows as in ``to_graph``."""
        n = self.scheme.n
        entries = n + 2 * sum(self.scheme.pairs(i) for i in self.values)
        refuse_if_too_large(
            f"a kernel of {entries:,} entries", entries, "read its values",
            bytes_per_entry=BYTES_PER_EDGE,
        )  # fmt: skip
        K = sparse.eye_array(n, format="csr")
        for relation, value in self.values.items():
            i, j = self.scheme.edges(frozenset({relation}))
            data = np.full(2 * len(i), float(value))
            ends = np.concatenate([i, j]), np.concatenate([j, i])
            K = K + sparse.coo_array((data, ends), shape=(n, n)).tocsr()
        return sparse.csr_array(K)

    def toarray(self) -> np.ndarray:
        """Return K as a dense matrix of doubles."""
        dense: np.ndarray = self.tocsr().toarray()
        return dense
