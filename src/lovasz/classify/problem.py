"""A labelling problem: a graph, the classes of some of its nodes, features, and its kernels.

It is made once. The fit, the comparison of methods and the report page all use the same
:class:`Problem`, so labels are encoded once, features are scaled once and every kernel is built
once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from scipy import sparse

from lovasz.base.errors import LovaszError
from lovasz.classify.features import (
    Scaling,
    check_features,
    check_scale,
    other_scale,
    stored_by_content,
)
from lovasz.classify.node_vectors import node_vectors
from lovasz.classify.surroundings import Surroundings
from lovasz.graphs import Graph
from lovasz.graphs.weight_sums import check_weight_sums
from lovasz.kernels import make_kernel
from lovasz.kernels.given import check_given
from lovasz.linalg.eigenvalues import largest_eigenpairs
from lovasz.linalg.low_rank import LowRank
from lovasz.linalg.principal import PrincipalAxes
from lovasz.linalg.scaling import scale_symmetrically, unit_rows

GIVEN = "given"
"""The name of a kernel that was given as a matrix."""
PRINCIPAL = 32
"""Largest number of main coordinates of the features."""


_BUILDING = Lock()
"""Held while a kernel is built: candidates ask for kernels from several threads."""


class Kernels:
    """The kernels of one graph, each of which is built when it is first asked for."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._built: dict[Any, sparse.csr_array] = {}

    def get(self, name: str, options: dict[str, Any] | None = None) -> sparse.csr_array:
        """Return the kernel ``name`` with these options."""
        options = options or {}
        key = (name, tuple(sorted(options.items())))
        try:
            hash(key)
        except TypeError:  # an option such as a matrix cannot be a key
            return make_kernel(self.graph, name, **options)
        with _BUILDING:
            if key not in self._built:
                self._built[key] = make_kernel(self.graph, name, **options)
        return self._built[key]

    def resolve(self, kernel: Any, options: dict[str, Any] | None = None) -> tuple[str, Any]:
        """Return the name and the matrix of a kernel that a caller gave by name or as a matrix."""
        if isinstance(kernel, str):
            return kernel, self.get(kernel, options)
        check_given(kernel, self.graph.n)
        if isinstance(kernel, LowRank):  # its constructor has checked it
            return GIVEN, kernel
        matrix = sparse.csr_array(kernel) if sparse.issparse(kernel) else np.asarray(kernel)
        if not np.isfinite(matrix.data if sparse.issparse(matrix) else matrix).all():
            raise LovaszError(
                "the given kernel holds NaN or inf; every entry must be a finite number"
            )
        return GIVEN, matrix


def make_problem(
    graph: Graph,
    classes: np.ndarray,
    codes: np.ndarray,
    features: Any,
    scale: str | None,
    table: np.ndarray | None = None,
) -> Problem:
    """Return the problem with its features checked, and scaled in both ways."""
    check_scale(scale)
    check_weight_sums(graph)
    checked = check_features(features, graph.nodes)
    if checked is None:
        return Problem(graph, classes, codes, table=table)
    if scale is None and table is None:  # the answers must not depend on how they are stored
        checked = stored_by_content(checked)
    scaling, other = Scaling.of(checked, scale), None
    if scale == "auto":
        other = Scaling.of(checked, other_scale(checked, scale))
    return Problem(
        graph, classes, codes, scaling(checked), other and other(checked), table, scaling, other
    )


@dataclass(frozen=True)
class Problem:
    """A graph, some of whose nodes have a class."""

    graph: Graph
    classes: np.ndarray
    """The sorted classes."""
    codes: np.ndarray
    """(n,) index into ``classes`` of each node, -1 where it has no label."""
    features: Any = None
    """(n, d) checked and scaled features; None gives every node a feature of its own (X = I)."""
    other_features: Any = None
    """The same features scaled the other way, by columns instead of rows or the reverse."""
    table: np.ndarray | None = None
    """The feature table that the graph was made of, or None if a graph was given."""
    scaling: Scaling | None = None
    """How the features were scaled."""
    other_scaling: Scaling | None = None
    """How the other features were scaled."""

    @property
    def kernels(self) -> Kernels:
        """The kernels of the graph."""
        found: Kernels = vars(self).setdefault("_kernels", Kernels(self.graph))
        return found

    @cached_property
    def node_vectors(self) -> np.ndarray:
        """(n, d) unit vectors, :func:`lovasz.classify.node_vectors.node_vectors`."""
        return node_vectors(self.graph, self.features)

    def spectral_coordinates(self, d: int) -> np.ndarray:
        """Return (n, d) spectral coordinates of the graph as unit rows.

        They are the eigenvectors of (D + τI)^-½ A (D + τI)^-½ with the eigenvalues λ of largest
        magnitude, times λ; τ is the mean degree (regularised spectral clustering: Qin and Rohe,
        2013). Negative λ belong to classes that avoid each other. K_LS of the same weights has the
        same eigenvectors.
        """
        values, vectors = self.spectral_basis(d)
        return unit_rows(vectors * values).astype(np.float32)

    def spectral_basis(self, d: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the eigenvalues and the (n, d) eigenvectors of :meth:`spectral_coordinates`."""
        scaled = scale_regularly(self.graph.adjacency)
        return largest_eigenpairs(scaled, min(d, self.graph.n - 1), magnitude=True)

    @cached_property
    def long_features(self) -> Any:
        """The features; rows of counts, which are sparse, have length 1."""
        X = self.features
        if not sparse.issparse(X):
            return X
        length = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
        return sparse.csr_array(sparse.diags_array(1 / np.maximum(length, 1e-12)) @ X)

    @cached_property
    def principal_axes(self) -> PrincipalAxes:
        """The ``PRINCIPAL`` main directions of the features."""
        return PrincipalAxes.of(self.long_features, PRINCIPAL)

    @cached_property
    def principal_features(self) -> np.ndarray:
        """(n, ≤ ``PRINCIPAL``) main coordinates of the features."""
        return self.principal_axes(self.long_features)

    @cached_property
    def surroundings(self) -> Surroundings:
        """How :meth:`surrounding_rows` are scaled."""
        return Surroundings.of(self.graph, self.principal_features)

    def surrounding_rows(self, fitted: Problem | None = None) -> np.ndarray:
        """Return one row per node, :mod:`lovasz.classify.surroundings`.

        The columns mean what they do in the problem ``fitted``, by default in this one.
        """
        known = fitted or self
        return known.surroundings(self.graph, known.principal_axes(self.long_features))

    def with_codes(self, codes: np.ndarray) -> Problem:
        """Return the same problem with other labels; both share their kernels and vectors."""
        return self.with_labels(self.classes, codes)

    def with_labels(self, classes: np.ndarray, codes: np.ndarray) -> Problem:
        """Return the same problem with other classes and labels, sharing kernels and vectors."""
        other = replace(self, classes=classes, codes=codes)
        vars(other)["_kernels"] = self.kernels
        for name in ("node_vectors", "principal_axes", "surroundings"):
            if name in vars(self):
                vars(other)[name] = vars(self)[name]
        return other


def scale_regularly(A: sparse.csr_array, mean: float | None = None) -> sparse.csr_array:
    """(D + τI)^-½ A (D + τI)^-½, D the row sums of |A| and τ their ``mean``, or a given one."""
    degrees = np.asarray(abs(A).sum(axis=1)).ravel()
    mean = float(degrees.mean()) if mean is None else mean
    return scale_symmetrically(A, 1 / np.sqrt(degrees + max(mean, 1e-12)))
