"""The search for communities: its entry point, and how the four steps are put together."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lovasz.base.checks import random_generator
from lovasz.base.deadline import Deadline
from lovasz.base.errors import LovaszError
from lovasz.base.memory import refuse_if_too_large
from lovasz.clustering.communities_result import Communities
from lovasz.clustering.kmeans import partition_vectors, share_by_distance
from lovasz.clustering.spectrum import (
    MORE,
    WORK,
    Spectrum,
    kernel_spectrum,
    ls_spectrum,
    other_starts,
)
from lovasz.graphs import Graph, as_graph
from lovasz.graphs.partitions import number_by_size
from lovasz.kernels import kernel as make_kernel
from lovasz.kernels.given import check_given
from lovasz.linalg.scaling import unit_rows

if TYPE_CHECKING:  # numba takes a moment to load
    from lovasz.clustering.posterior import Posterior

SMALL = 4
"""Components with fewer nodes than this are one community each."""
NOTHING = Spectrum(np.ones(0), np.ones((0, 0)), np.nan)
"""The spectrum of a result for which no eigenvalue was needed."""
SPECTRUM_SHARE = 0.5
"""Share of a time limit that the eigenpairs of a kernel may take."""
CUT_SHORT = "time limit: allow more time_limit"
"""The status of a result if the search had to end early."""


class FoundPartition(NamedTuple):
    """The communities of a part of the graph."""

    membership: np.ndarray
    """(n,) the community of each node."""
    confidence: np.ndarray
    """(n,) how certain that is, from 0 to 1."""
    spectrum: Spectrum
    """The eigenpairs of the kernel that were used."""


def communities(
    graph: Any,
    k: int | None = None,
    labels: Any = None,
    *,
    kernel: Any = "ls",
    kernel_options: dict[str, Any] | None = None,
    refine: bool = True,
    random_state: int | None = 0,
    time_limit: float | None = None,
) -> Communities:
    """The communities of a graph: a list of sets of nodes, with a confidence for each node.

    There are ``k`` communities, or as many as there is evidence for. In the second case the
    eigenvalues of the Luz–Schrijver kernel above the bulk (:mod:`lovasz.clustering.spectrum`)
    propose a number, from which :mod:`lovasz.clustering.community_count` searches on. This is
    done in each connected component separately, because nodes of different components are
    orthogonal. A component without structure, such as an isolated node, is one community. If
    ``k`` is given, it is the number for all components together.

    ``labels``, a dict {node: class} or an array in node order with -1 for unlabelled nodes, are
    kept, and the communities are the classes. A larger ``k`` asks for more communities.

    ``kernel`` says where the vectors come from: "ls" is the kernel of that module, "lovasz" or
    any other name is a kernel of :func:`lovasz.kernel` with ``kernel_options``, and a matrix is
    used as it is. ``refine`` improves the partition of the vectors by belief propagation on the
    edges (:mod:`lovasz.clustering.posterior`), whose probabilities are the confidences. Edge
    weights are ignored. The same ``random_state`` gives the same answer; None draws one.

    After ``time_limit`` seconds the answer is the best one so far, and ``status`` of the result
    says so: steps end early, and what does not fit into the time that is left is not begun. A
    component that was not reached is one community. Of the kernels that have a name, "ls" and
    "lovasz" keep the limit; the others are computed first, however long that takes.

    >>> two_triangles = [*zip("abccxyz", "bcaxyzx")]
    >>> [sorted(community) for community in communities(two_triangles, 2)]
    [['a', 'b', 'c'], ['x', 'y', 'z']]
    """
    graph = as_graph(graph, weights="drop")
    classes, codes = _read_labels(labels, graph)
    k = _check_k(k, len(classes), graph.n)
    rng = random_generator(random_state, "random_state", optional=True)
    deadline = Deadline(time_limit)
    finder = CommunityFinder(kernel, kernel_options, refine, rng, deadline)
    if k is None:
        found = _by_component(graph, finder)
    else:
        found = finder(graph, k, codes)
        found = found._replace(membership=_fill(found.membership, found.confidence, k, codes))
    membership = found.membership if classes else number_by_size(found.membership)
    count = (k or 0) if classes else int(membership.max(initial=-1)) + 1
    names = [*classes, *(f"community {i}" for i in range(len(classes), count))]
    return Communities(
        membership, found.confidence, graph, names if classes else range(count),
        found.spectrum, status=CUT_SHORT if deadline.missed else "complete",
    )  # fmt: skip


class CommunityFinder(NamedTuple):
    """The steps spectrum, partition and refinement, for a whole graph or a component of it."""

    kernel: Any
    options: dict[str, Any] | None
    refine: bool
    rng: np.random.Generator
    deadline: Deadline

    def __call__(self, graph: Graph, k: int, codes: np.ndarray) -> FoundPartition:
        """``k`` communities of the graph; nodes with ``codes`` ≥ 0 keep theirs."""
        if k == graph.n and (codes < 0).all():
            return FoundPartition(np.arange(k), np.ones(k), NOTHING)
        d = min(2 * k if graph.m * k <= WORK else k, graph.n)
        spectrum = self.spectrum(graph, d)
        if k == 1:
            return _single(graph, spectrum)
        if not self.refine or graph.m == 0:
            return self.embedded(graph, spectrum, k, codes)
        shares, first = self.refined(graph, spectrum, k, codes, every=True)
        membership = np.where(codes >= 0, codes, shares.marginals.argmax(axis=1))
        # A community that refinement emptied was noise, but the caller asked for k.
        membership = membership if len(np.unique(membership)) == k else first
        return FoundPartition(
            membership, shares.marginals[np.arange(graph.n), membership], spectrum
        )

    def search(self, graph: Graph) -> FoundPartition:
        """As many communities of a connected graph as there is evidence for."""
        from lovasz.clustering.community_count import choose_count

        spectrum = self.spectrum(graph, None)
        free = np.full(graph.n, -1)
        if graph.n < SMALL:
            return _single(graph, spectrum)
        if not self.refine:
            return self.embedded(graph, spectrum, spectrum.signals, free)
        tried: dict[int, Posterior] = {}

        def evidence(k: int) -> float:
            tried[k] = self.refined(graph, spectrum, k, free, every=False)[0]
            return tried[k].evidence

        most = min(spectrum.vectors.shape[1], graph.n - 1)
        k = choose_count(graph, spectrum.signals, most, evidence, self.deadline.over)
        if k == 1 and tried and all(shares.evidence == -math.inf for shares in tried.values()):
            k = max(tried)  # what the spectrum proposes; nothing was refined in time
        if k == 1:
            return _single(graph, spectrum)
        if graph.m * k <= WORK:
            tried[k] = self.refined(graph, spectrum, k, free, every=True)[0]
        shares = tried[k].marginals
        return FoundPartition(shares.argmax(axis=1), shares.max(axis=1), spectrum)

    def embedded(
        self, graph: Graph, spectrum: Spectrum, k: int, codes: np.ndarray
    ) -> FoundPartition:
        """The partition of the vectors, without refinement."""
        vectors = unit_rows(spectrum.vectors[:, :k])
        membership = partition_vectors(vectors, k, codes, self.rng, self.deadline)
        shares = share_by_distance(vectors, membership, k)
        shares[codes >= 0] = np.eye(k)[codes[codes >= 0]]
        return FoundPartition(membership, shares[np.arange(graph.n), membership], spectrum)

    def refined(
        self, graph: Graph, spectrum: Spectrum, k: int, codes: np.ndarray, *, every: bool
    ) -> tuple[Posterior, np.ndarray]:
        """The posterior with most evidence, and the partition it started from.

        The starts are the first k eigenvectors and, with ``every``, the first 2k and those of
        other Luz–Schrijver kernels. A large graph has one start, and at the deadline no other one
        is begun.
        """
        found: list[tuple[Posterior, np.ndarray]] = []
        for vectors in self.starts(graph, spectrum, k, every=every):
            if found and self.deadline.over():
                break
            unit = unit_rows(vectors)
            membership = partition_vectors(unit, k, codes, self.rng, self.deadline)
            found.append((self.fit(graph, membership, k, codes >= 0), membership))
        return max(found, key=lambda pair: pair[0].evidence)

    def starts(
        self, graph: Graph, spectrum: Spectrum, k: int, *, every: bool
    ) -> Iterator[np.ndarray]:
        """The vectors from which :meth:`refined` starts, computed when they are asked for."""
        yield spectrum.vectors[:, :k]
        if every and graph.m * k <= WORK:
            yield spectrum.vectors[:, : 2 * k]
            if isinstance(self.kernel, str) and self.kernel == "ls" and not self.options:
                yield from other_starts(graph, k, self.deadline)

    def spectrum(self, graph: Graph, d: int | None) -> Spectrum:
        """The eigenpairs of :func:`spectrum_of`, in a share of the time that is left."""
        return spectrum_of(graph, d, self.kernel, self.options, self.deadline.share(SPECTRUM_SHARE))

    def fit(self, graph: Graph, membership: np.ndarray, k: int, known: np.ndarray) -> Posterior:
        """Run belief propagation from a partition, if there is memory for its messages."""
        from lovasz.clustering.posterior import propagate_beliefs

        refuse_if_too_large(
            f"refining {k} communities of {graph.m:,} edges",
            2 * graph.m * k,
            "ask for fewer, or pass refine=False",
            bytes_per_entry=8,
        )
        return propagate_beliefs(graph, membership, k, known, self.rng, self.deadline)


def _single(graph: Graph, spectrum: Spectrum) -> FoundPartition:
    return FoundPartition(np.zeros(graph.n, dtype=np.int64), np.ones(graph.n), spectrum)


def spectrum_of(
    graph: Graph,
    d: int | None,
    kernel: Any = "ls",
    options: dict[str, Any] | None = None,
    deadline: Deadline | None = None,
) -> Spectrum:
    """The ``d`` largest eigenpairs of a kernel, or as many as the "ls" spectrum shows if None."""
    deadline = Deadline() if deadline is None else deadline
    if isinstance(kernel, str) and kernel == "ls" and not options:
        return ls_spectrum(graph, d, deadline)
    signals = ls_spectrum(graph, None, deadline.share(0.2)).signals if d is None else d
    if isinstance(kernel, str):
        limit = {"time_limit": deadline.left() / 2} if kernel == "lovasz" else {}
        kernel = make_kernel(graph, kernel, **(limit | (options or {})))
    else:
        check_given(kernel, graph.n)
    if d is not None:
        return kernel_spectrum(kernel, d, deadline)
    # The bulk of another kernel is not known, so the cut is put below the signals counted for "ls".
    found = kernel_spectrum(kernel, 2 * signals + MORE, deadline)
    return found._replace(cut=float(found.values[signals - 1 : signals + 1].mean()))


def _by_component(graph: Graph, finder: CommunityFinder) -> FoundPartition:
    """The communities of every component separately, numbered consecutively."""
    from lovasz.graphs.operations import components, induced

    membership, confidence = np.zeros(graph.n, dtype=np.int64), np.ones(graph.n)
    parts = sorted(components(graph), key=len, reverse=True) if graph.n else []
    if len(parts) > 1 and not isinstance(finder.kernel, str):
        raise LovaszError("a kernel matrix needs k when the graph is not connected; pass k")
    spectrum, first = NOTHING, 0
    for number, rows in enumerate(parts):
        if number and (len(rows) < SMALL or finder.deadline.over()):
            membership[rows] = first
            first += 1
            continue
        found = finder.search(induced(graph, rows))
        codes = np.unique(found.membership, return_inverse=True)[1]
        membership[rows], confidence[rows] = first + codes, found.confidence
        first += int(codes.max()) + 1
        spectrum = found.spectrum if number == 0 else spectrum
    return FoundPartition(membership, confidence, spectrum)


def _read_labels(labels: Any, graph: Graph) -> tuple[list[Hashable], np.ndarray]:
    """The sorted classes, and the class of every node, -1 for unlabelled nodes."""
    codes = np.full(graph.n, -1, dtype=np.int64)
    if labels is None:
        return [], codes
    from lovasz.graphs.labels import list_labels

    given = list_labels(labels, graph.nodes)
    classes: list[Any] = sorted({label for label in given if label is not None}, key=_sort_key)
    place = {label: code for code, label in enumerate(classes)}
    for row, label in enumerate(given):
        codes[row] = -1 if label is None else place[label]
    if not classes:
        raise LovaszError("labels name no node; label one at least, or leave labels out")
    return classes, codes


def _sort_key(label: Any) -> tuple[bool, Any]:
    return (False, label) if isinstance(label, int | float) else (True, str(label))


def _check_k(k: int | None, classes: int, n: int) -> int | None:
    if k is None:
        return classes or None
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 1 <= k <= max(n, 1):
        raise LovaszError(f"k={k!r} communities of {n} nodes; pass a whole number from 1 to {n}")
    if k < classes:
        raise LovaszError(f"k={k} and the labels have {classes} classes; pass k={classes} or more")
    return int(k)


def _fill(membership: np.ndarray, confidence: np.ndarray, k: int, codes: np.ndarray) -> np.ndarray:
    """Give every empty community of the k asked for the least certain node of another one."""
    membership = membership.copy()
    sizes = np.bincount(membership, minlength=k)
    order = np.argsort(np.where(codes >= 0, np.inf, confidence), kind="stable")
    for empty in np.flatnonzero(sizes == 0):
        free = order[(sizes[membership[order]] > 1) & (codes[order] < 0)]
        if free.size == 0:
            break
        sizes[membership[free[0]]] -= 1
        membership[free[0]] = empty
        sizes[empty] = 1
    return membership
