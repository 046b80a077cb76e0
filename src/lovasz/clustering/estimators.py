"""scikit-learn estimators: the embedding and the communities of a graph or a feature table."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from lovasz.base.errors import LovaszError
from lovasz.clustering.community_search import communities, spectrum_of
from lovasz.graphs import Graph, as_graph
from lovasz.graphs.similarity import AFFINITIES, similarity_graph


class _GraphEstimator(BaseEstimator):  # type: ignore[misc]
    """What the estimators share: reading a graph or a feature table."""

    affinity: str
    affinity_options: dict[str, Any] | None

    def _read(self, X: Any) -> Graph:
        """Return the graph of X, and remember the number of features if X is a table."""
        graph = read_input(X, self.affinity, self.affinity_options)
        if self.affinity != "precomputed":
            self.n_features_in_ = int(np.shape(X)[1])
        return graph

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that graphs and tables may be sparse matrices."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class LovaszEmbedding(_GraphEstimator):
    """Vectors u_i with u_i·u_j ≈ K_ij, K in 𝒦(G): the largest eigenpairs of the kernel.

    With K = Σ λ_l q_l q_lᵀ, row i is (√λ_1 q_1(i), √λ_2 q_2(i), …). Of all vectors with that
    many dimensions, these have the products nearest to K (Eckart and Young).

    Parameters
    ----------
    n_components : number of dimensions; None takes the eigenvalues above the bulk.
    kernel, kernel_options : see :func:`lovasz.communities`.
    affinity : "precomputed" when ``fit`` is given a graph; "rbf", "cosine" or "knn" when it is
        given an (n, d) feature table from which a graph is made with ``affinity_options``.
    normalize : whether to scale rows to length one.

    Attributes after ``fit``: ``embedding_`` (n, d), ``eigenvalues_``, ``cut_`` (eigenvalues above
    it stand for communities), ``nodes_``, ``graph_``.

    >>> LovaszEmbedding(2).fit_transform([(0, 1), (1, 2), (2, 0)]).shape
    (3, 2)
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        kernel: Any = "ls",
        kernel_options: dict[str, Any] | None = None,
        affinity: str = "precomputed",
        affinity_options: dict[str, Any] | None = None,
        normalize: bool = False,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.kernel_options = kernel_options
        self.affinity = affinity
        self.affinity_options = affinity_options
        self.normalize = normalize

    def fit(self, X: Any, y: Any = None) -> LovaszEmbedding:
        """Embed the nodes of the graph X, or the rows of the table X."""
        from lovasz.linalg.scaling import unit_rows

        graph = self._read(X)
        d = self.n_components
        if d is not None and not (isinstance(d, int | np.integer) and 1 <= d <= graph.n):
            raise LovaszError(f"n_components={d!r} must be a whole number from 1 to {graph.n}")
        spectrum = spectrum_of(graph, d, self.kernel, self.kernel_options)
        d = spectrum.signals if d is None else d
        values = np.maximum(spectrum.values[:d], 0)
        vectors = spectrum.vectors[:, :d] * np.sqrt(values)
        self.embedding_ = unit_rows(vectors) if self.normalize else vectors
        self.eigenvalues_, self.cut_ = spectrum.values[:d], spectrum.cut
        self.nodes_, self.graph_ = graph.nodes, graph
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """``fit(X).embedding_``. There is no transform, because a new node changes the graph."""
        return self.fit(X, y).embedding_


class LovaszClustering(ClusterMixin, _GraphEstimator):  # type: ignore[misc]
    """Communities of a graph, or clusters of a feature table, by :func:`lovasz.communities`.

    Parameters
    ----------
    n_clusters : number of clusters; None takes as many as there is evidence for.
    kernel, kernel_options, refine : see :func:`lovasz.communities`.
    affinity, affinity_options : as for :class:`LovaszEmbedding`.
    random_state : seed.

    Attributes after ``fit``: ``labels_`` (the cluster of every node, or its class if ``y`` is
    given), ``confidence_``, ``n_clusters_``, ``communities_`` (the sets), ``nodes_``, ``graph_``.
    ``y`` may hold the clusters of some nodes, as a dict or as an array with -1 for the others.

    >>> table = [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]]
    >>> LovaszClustering(2, affinity="rbf", random_state=0).fit_predict(table).tolist()
    [0, 0, 0, 1, 1, 1]
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        kernel: Any = "ls",
        kernel_options: dict[str, Any] | None = None,
        affinity: str = "precomputed",
        affinity_options: dict[str, Any] | None = None,
        refine: bool = True,
        random_state: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.kernel_options = kernel_options
        self.affinity = affinity
        self.affinity_options = affinity_options
        self.refine = refine
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> LovaszClustering:
        """Find the communities of the graph X, or of the graph on the rows of the table X."""
        graph = self._read(X)
        found = communities(
            graph,
            self.n_clusters,
            y,
            kernel=self.kernel,
            kernel_options=self.kernel_options,
            refine=self.refine,
            random_state=self.random_state,
        )
        self.labels_ = found.membership if y is None else np.array(found.names)[found.membership]
        self.confidence_ = found.confidence
        self.n_clusters_ = found.k
        self.communities_ = found
        self.nodes_, self.graph_ = graph.nodes, graph
        return self

    def fit_predict(self, X: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """``fit(X, y).labels_``."""
        return self.fit(X, y).labels_


def read_input(X: Any, affinity: str, options: dict[str, Any] | None) -> Graph:
    """The graph given to an estimator, or the graph made of the feature table given to it."""
    if affinity == "precomputed":
        return as_graph(X, weights="drop")
    if affinity not in AFFINITIES:
        known = ", ".join(("precomputed", *AFFINITIES))
        raise LovaszError(f"unknown affinity {affinity!r}; known: {known}")
    return similarity_graph(X, affinity, **(options or {}))
