"""What each candidate answers at one node if pieces of the evidence are removed.

A removal cuts entries {i, j} of the kernels, or drops the features of the node, or both. Everything
else is held fixed: the weights of networks, the other entries of the kernels and their scaling, the
balance of the classes in label spreading, the spectral coordinates' eigenvectors, and the
affinities, the class shares and all messages from further than two steps away in a block model.
Under that, answers are exact. They are computed for many removals at once, from as much of the
graph as walks of the length of the network reach.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy import sparse
from scipy.special import log_softmax

from lovasz.classify.roles import Roles, describe_degrees
from lovasz.classify.surroundings import LONGEST, Surroundings, describe_degree
from lovasz.clustering.block_model import LEAST_PROBABILITY, BlockPosterior
from lovasz.linalg.scaling import unit_rows


@dataclass(frozen=True)
class Removals:
    """Some ways to remove evidence, numbered from 0."""

    count: int
    """Number of removals."""
    owner: np.ndarray
    """(pairs,) the removal that each cut entry belongs to."""
    ends: np.ndarray
    """(pairs, 2) the two nodes of each cut entry."""
    features: np.ndarray
    """(count,) whether the node loses its features."""
    fraction: float = 1.0
    """How much of each cut entry is taken away; a small part gives the derivative."""

    @classmethod
    def of(cls, cuts: list[np.ndarray], features: list[bool], *, fraction: float = 1.0) -> Removals:
        """Return removals, each given as its (pairs, 2) cut entries and the fate of the features.

        An entry that occurs twice in a removal, in either direction, is cut once.
        """
        clean = [np.unique(np.sort(cut.reshape(-1, 2), axis=1), axis=0) for cut in cuts]
        owner = np.repeat(np.arange(len(cuts)), [len(cut) for cut in clean])
        ends = np.concatenate([*clean, np.empty((0, 2), dtype=np.int64)]).astype(np.int64)
        return cls(len(cuts), owner, ends, np.array(features, dtype=bool), fraction)

    def entries(self, M: sparse.csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return owner, row, column and lost value of every cut entry of M that is not zero."""
        owner = np.concatenate([self.owner, self.owner])
        rows = np.concatenate([self.ends[:, 0], self.ends[:, 1]])
        columns = np.concatenate([self.ends[:, 1], self.ends[:, 0]])
        values = np.asarray(M[rows, columns]).ravel() if len(rows) else np.empty(0)
        kept = np.flatnonzero(values)
        return owner[kept], rows[kept], columns[kept], self.fraction * values[kept]


class LocalAnswer(Protocol):
    """A fitted candidate, at one node at a time."""

    def logits(self, node: int, removals: Removals) -> np.ndarray:
        """Return (runs, removals, classes) logits of the node."""
        ...


def positions_in(rows: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return where each of ``wanted`` is in the ascending ``rows``, and -1 where it is not."""
    if not len(rows):
        return np.full(len(wanted), -1)
    where = np.minimum(np.searchsorted(rows, wanted), len(rows) - 1)
    return np.where(rows[where] == wanted, where, -1)


def neighbourhood(M: sparse.csr_array, rows: np.ndarray) -> np.ndarray:
    """Return the ``rows`` and the columns of their entries, ascending."""
    part = M[rows]
    return np.union1d(rows, part.indices)


def ball_around(M: sparse.csr_array, node: int, steps: int) -> np.ndarray:
    """Return the nodes that walks of at most so many steps from a node reach, ascending."""
    seen = np.zeros(M.shape[0], dtype=bool)
    frontier = np.array([node])
    for _ in range(steps):
        seen[frontier] = True
        near = M[frontier].indices
        frontier = np.unique(near[~seen[near]])
        if not len(frontier):
            break
    seen[frontier] = True
    return np.flatnonzero(seen)


def project(X: Any, W: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return (rows, runs, out) products of rows of X with (in, runs, out) weights; None is I."""
    if X is None:
        known = (rows < len(W))[:, None, None]  # a node that joined later has no row of its own
        return np.where(known, W[np.minimum(rows, len(W) - 1)], 0.0)
    flat = X[rows] @ W.reshape(len(W), -1)
    return np.asarray(flat).reshape(len(rows), *W.shape[1:])


@dataclass(frozen=True)
class LocalHops:
    """The network of the paper, K ReLU(K X W⁰) W¹, of any depth."""

    K: sparse.csr_array
    """The kernel."""
    X: Any
    """The features, or None for X = I."""
    matrices: list[np.ndarray]
    """One (in, runs, out) matrix per layer."""
    biases: list[np.ndarray]
    """One (1, runs, out) vector per layer, or none."""

    def answer_rows(self, rows: np.ndarray) -> np.ndarray:
        """Return (runs, rows, classes) logits of rows of features, without any kernel."""
        return perceptron(rows, np.arange(len(rows)), self).transpose(1, 0, 2)

    def logits(self, node: int, removals: Removals) -> np.ndarray:
        """Compute every layer for all removals, on the nodes that the next layer reads."""
        depth = len(self.matrices)
        fields = [np.array([node])]
        for _ in range(depth):
            fields.insert(0, neighbourhood(self.K, fields[0]))
        owner, rows, columns, values = removals.entries(self.K)
        H = project(self.X, self.matrices[0], fields[0])[:, None]
        if removals.features.any():
            H = np.repeat(H, removals.count, axis=1)
            H[positions_in(fields[0], np.array([node])), removals.features] = 0
        for layer in range(depth):
            if layer:
                H = np.einsum("nbri,iro->nbro", np.maximum(H, 0), self.matrices[layer])
            below, above = fields[layer], fields[layer + 1]
            part = self.K[above][:, below]
            out = (part @ H.reshape(len(below), -1)).reshape(len(above), *H.shape[1:])
            if out.shape[1] != removals.count:
                out = np.repeat(out, removals.count, axis=1)
            at = positions_in(above, rows)
            cut = np.flatnonzero(at >= 0)
            read = H[positions_in(below, columns[cut]), owner[cut] if H.shape[1] > 1 else 0]
            np.subtract.at(out, (at[cut], owner[cut]), values[cut, None, None] * read)
            H = out + self.biases[layer][0] if self.biases else out
        return np.asarray(H[0].transpose(1, 0, 2))


@dataclass(frozen=True)
class LocalWalks:
    """A polynomial of a matrix, Σ_k c_k B_k(S) H: walks from the node, which collect H."""

    S: sparse.csr_array
    """The matrix S. A walk from the node takes its columns, so what is not symmetric is given as
    its transpose."""
    coefficients: np.ndarray
    """(degrees + 1, runs) coefficients c."""
    H: np.ndarray
    """(n, runs, classes) what each node has to say."""
    without: np.ndarray | None
    """(runs, classes) what a node without features says, or None if H has none."""
    chebyshev: bool = False
    """Whether B_k is Chebyshev's polynomial instead of the power."""
    floor: float | None = None
    """What is added before logarithms are taken, where H are labels or probabilities that are
    smoothed; None where H are logits."""

    def logits(self, node: int, removals: Removals) -> np.ndarray:
        """Walk with every removal at once."""
        total, found = self.collect(node, removals)
        if self.without is not None and removals.features.any():
            change = self.without - self.H[node]
            found += (total * removals.features)[:, :, None] * change[:, None]
        return self.finish(found)

    def finish(self, found: np.ndarray) -> np.ndarray:
        """Return logits of what walks have collected."""
        if self.floor is not None:
            found = np.log(np.maximum(found, 0) + self.floor)
        return np.asarray(found)

    def collect(self, node: int, removals: Removals) -> tuple[np.ndarray, np.ndarray]:
        """Return (runs, removals) weights of the node itself, and what walks collect of all H."""
        ball = ball_around(self.S, node, len(self.coefficients) - 1)
        S = self.S if len(ball) == self.S.shape[0] else self.S[ball][:, ball]
        owner, rows, columns, values = removals.entries(self.S)
        rows, columns = positions_in(ball, rows), positions_in(ball, columns)
        inside = np.flatnonzero((rows >= 0) & (columns >= 0))
        owner, rows, columns = owner[inside], rows[inside], columns[inside]
        values = values[inside]

        def step(R: np.ndarray) -> np.ndarray:
            out = np.asarray(S @ R)
            np.subtract.at(out, (rows, owner), values * R[columns, owner])
            return out

        now = np.zeros((len(ball), removals.count))
        here = int(positions_in(ball, np.array([node]))[0])
        now[here] = 1
        total = np.multiply.outer(self.coefficients[0], now)
        before = np.zeros_like(now)
        for number, c in enumerate(self.coefficients[1:], start=1):
            before, now = (
                now,
                (2 * step(now) - before if self.chebyshev and number > 1 else step(now)),
            )
            total += np.multiply.outer(c, now)
        found = np.einsum("rnb,nrc->rbc", total, self.H[ball], optimize=True)
        return total[:, here], found


@dataclass(frozen=True)
class LocalBlocks:
    """The posterior of a block model."""

    adjacency: sparse.csr_array
    """The graph."""
    found: list[BlockPosterior]
    """One posterior per run."""
    labelled: np.ndarray
    """(n,) mask of the nodes whose label the model knows."""

    def logits(self, node: int, removals: Removals) -> np.ndarray:
        """Take the cut neighbours out of the messages to the node and to its neighbours."""
        return np.stack([self._run(run, node, removals) for run in self.found])

    def _run(self, found: BlockPosterior, node: int, removals: Removals) -> np.ndarray:
        indptr, indices = self.adjacency.indptr, self.adjacency.indices
        mine = np.arange(indptr[node], indptr[node + 1])
        beside = indices[mine]
        messages = np.log(np.maximum(found.messages[mine], LEAST_PROBABILITY))
        heard = np.log(found.messages[mine] @ found.affinity.T)
        known = np.log(np.maximum(found.marginals[[node]], LEAST_PROBABILITY))
        logits = np.repeat(known, removals.count, axis=0)
        owner, rows, columns, _ = removals.entries(self.adjacency)
        # An entry that is cut at a neighbour takes one factor out of its message to the node.
        at = positions_in(beside, rows)
        cut = np.flatnonzero((at >= 0) & (columns != node) & ~self.labelled[rows])
        slots, place = np.unique(owner[cut] * len(beside) + at[cut], return_inverse=True)
        changed = messages[slots % max(len(beside), 1)]
        entries = self._entries(rows[cut], columns[cut])
        terms = np.log(found.messages[entries] @ found.affinity.T)
        np.subtract.at(changed, place, removals.fraction * terms)
        whose, which = np.divmod(slots, max(len(beside), 1))
        again = np.log(np.exp(log_softmax(changed, axis=1)) @ found.affinity.T)
        gone = np.zeros((removals.count, len(beside)), dtype=bool)
        own = np.flatnonzero(rows == node)
        gone[owner[own], positions_in(beside, columns[own])] = True
        np.add.at(logits, whose, (again - heard[which]) * ~gone[whose, which][:, None])
        logits -= removals.fraction * gone @ heard
        logits -= removals.features[:, None] * found.evidence[node]
        return np.asarray(np.maximum(log_softmax(logits, axis=1), np.log(LEAST_PROBABILITY)))

    @cached_property
    def numbered(self) -> sparse.csr_array:
        """The adjacency matrix with the number of each entry, counted from 1, as its value."""
        A = self.adjacency
        return sparse.csr_array((np.arange(1, A.nnz + 1), A.indices, A.indptr), shape=A.shape)

    def _entries(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return the positions of entries of the adjacency matrix among its data."""
        if not len(rows):  # SciPy returns a matrix for an empty index
            return np.empty(0, dtype=np.int64)
        return np.asarray(self.numbered[rows, columns]).ravel().astype(np.int64) - 1


@dataclass(frozen=True)
class LocalSpectral:
    """A model of spectral coordinates, unit rows of S V."""

    S: sparse.csr_array
    """The scaled adjacency matrix."""
    vectors: np.ndarray
    """(n, d) eigenvectors V."""
    model: Callable[[np.ndarray], np.ndarray]
    """The model of the coordinates."""

    def logits(self, node: int, removals: Removals) -> np.ndarray:
        """Take the cut neighbours out of the coordinates of the node."""
        sums = np.repeat(np.asarray(self.S[[node]] @ self.vectors), removals.count, axis=0)
        owner, rows, columns, values = removals.entries(self.S)
        own = np.flatnonzero(rows == node)
        np.subtract.at(sums, owner[own], values[own, None] * self.vectors[columns[own]])
        return self.model(unit_rows(sums))[None]


@dataclass(frozen=True)
class LocalSurroundings:
    """A model of features that walks average."""

    walks: LocalWalks
    """The walks, which collect the features."""
    model: Callable[[np.ndarray], np.ndarray]
    """The model of the averages."""

    def logits(self, node: int, removals: Removals) -> np.ndarray:
        """Walk with every removal; a node without features counts as an average one."""
        return self.model(self.walks.logits(node, removals)[0])[None]


@dataclass(frozen=True)
class LocalBeside:
    """A model of features beside their averages, :mod:`lovasz.classify.surroundings`."""

    weights: sparse.csr_array
    """The absolute values of the adjacency matrix."""
    back: sparse.csr_array
    """Pᵀ, along which walks from the node average."""
    H: np.ndarray
    """(n, d) main coordinates of the features."""
    surroundings: Surroundings
    """How the columns were scaled, which is held fixed."""
    answer: Callable[[np.ndarray], np.ndarray]
    """A function of rows that gives (runs, rows, classes) logits."""

    def logits(self, node: int, removals: Removals) -> np.ndarray:
        """Average with every removal; a node without features counts as an average one."""
        nothing = np.zeros((1, self.H.shape[1]))
        blocks = [
            LocalWalks(self.back, np.eye(steps + 1)[:, -1:], self.H[:, None], nothing).logits(
                node, removals
            )[0]
            for steps in range(LONGEST + 1)
        ]
        degrees = np.full(removals.count, float(self.weights[[node]].sum()))
        owner, rows, _, values = removals.entries(self.weights)
        own = rows == node
        np.subtract.at(degrees, owner[own], values[own])
        columns = np.hstack([*blocks, describe_degree(degrees)])
        return self.answer(self.surroundings.scale(columns))


@dataclass(frozen=True)
class LocalRows:
    """A model of the features alone."""

    with_features: np.ndarray
    """(n, classes) logits of the nodes."""
    without: np.ndarray
    """(classes,) logits of a node without features."""

    def logits(self, node: int, removals: Removals) -> np.ndarray:
        """Look the node up, with its features and without."""
        found = np.where(removals.features[:, None], self.without, self.with_features[node])
        return np.asarray(found[None])


@dataclass(frozen=True)
class LocalRoles:
    """A model of the roles of the nodes, which degrees up to two steps away make up."""

    weights: sparse.csr_array
    """The absolute values of the adjacency matrix."""
    roles: Roles
    """The roles of all nodes, whose scaling is held fixed."""
    model: Callable[[np.ndarray], np.ndarray]
    """The model of the scaled roles."""

    def logits(self, node: int, removals: Removals) -> np.ndarray:
        """Take the cut entries out of the degrees, and out of what neighbours add up."""
        ball = ball_around(self.weights, node, 2)
        part = self.weights[ball][:, ball]
        owner, rows, columns, values = removals.entries(self.weights)
        rows, columns = positions_in(ball, rows), positions_in(ball, columns)
        start = np.asarray(self.weights[ball].sum(axis=1)).reshape(-1, 1)
        degrees = np.repeat(start, removals.count, axis=1)
        near = np.flatnonzero(rows >= 0)
        np.subtract.at(degrees, (rows[near], owner[near]), values[near])
        cut = np.flatnonzero((rows >= 0) & (columns >= 0))

        def add(H: np.ndarray) -> np.ndarray:
            out = np.asarray(part @ H)
            read = H[columns[cut], owner[cut]]
            np.subtract.at(out, (rows[cut], owner[cut]), values[cut] * read)
            return out

        here = int(positions_in(ball, np.array([node]))[0])
        columns_here = describe_degrees(degrees, add)[here]
        return self.model((columns_here - self.roles.mean) / self.roles.deviation)[None]


def perceptron(X: Any, rows: np.ndarray, layers: LocalHops) -> np.ndarray:
    """Return (rows, runs, classes): the layers without any kernel; ``rows`` of X."""
    H = project(X, layers.matrices[0], rows)
    for number in range(len(layers.matrices)):
        if number:
            H = np.einsum("nri,iro->nro", np.maximum(H, 0), layers.matrices[number])
        H = H + layers.biases[number] if layers.biases else H
    return H
