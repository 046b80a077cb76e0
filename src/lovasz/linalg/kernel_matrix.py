"""A kernel as users get it: a SciPy matrix that says what it is."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from lovasz.base.display import as_html
from lovasz.base.text import pluralize


class Kernel(sparse.csr_array):  # type: ignore[misc]  # SciPy has no types
    """A ``scipy.sparse.csr_array`` with the name of a kernel, which notebooks can show.

    In every other respect it is a csr_array. What is computed from it has no name, and is shown as
    SciPy shows its arrays.

    >>> import lovasz
    >>> lovasz.kernel([(0, 1), (1, 2)], "adjacency")
    Kernel('adjacency', 3 nodes, 4 entries, diagonal 0, others from 1 to 1)
    """

    name: str | None = None
    """The name of the kernel, or None for a matrix that was computed from one."""

    @classmethod
    def named(cls, name: str, K: sparse.csr_array) -> Kernel:
        """Return K with a name; the numbers are shared, not copied."""
        kernel = cls((K.data, K.indices, K.indptr), shape=K.shape)
        kernel.name = name
        return kernel

    def off_diagonal(self) -> np.ndarray:
        """Return the entries that are not on the diagonal, without zeros."""
        row = np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))
        return np.asarray(self.data[(row != self.indices) & (self.data != 0)])

    def facts(self) -> list[str]:
        """Return the numbers of nodes and entries, and the ranges of the values, in words."""
        facts = [pluralize(self.shape[0], "node"), pluralize(self.nnz, "entry", "entries")]
        diagonal, others = self.diagonal(), self.off_diagonal()
        low, high = diagonal.min(), diagonal.max()
        facts.append(f"diagonal {low:.4g}" if low == high else f"diagonal {low:.4g} to {high:.4g}")
        if len(others):
            facts.append(f"others from {others.min():.4g} to {others.max():.4g}")
        return facts

    def _repr_html_(self) -> str | None:
        return None if self.name is None else as_html(self)

    def __repr__(self) -> str:
        if self.name is None:
            return str(super().__repr__())
        return f"Kernel({self.name!r}, {', '.join(self.facts())})"
