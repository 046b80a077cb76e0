"""The blocks of the algebra of a coherent configuration, as small as it allows.

P_vᵀ A P_v (:mod:`.orbits`) still splits: a random combination T of the matrices has eigenvectors
Q, and in their basis the other matrices are zero between different constituents of the algebra.
What is connected by entries that are not zero is a block, or several copies of one. The same
constituent is found from several nodes v, with the same eigenvalues of T, and is kept once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lovasz.graphs import Graph
from lovasz.number.symmetry.coherent import Configuration
from lovasz.number.symmetry.refinement import SEED

ZERO = 1e-9
"""Entries below this share of the largest count as zero."""
SAME = 1e-7
"""Eigenvalues of T that are this near to each other, in units of the largest, count as equal."""
MOST_WORK = 2e10
"""Largest number of operations to split the blocks of one node."""


@dataclass(frozen=True)
class Classes:
    """The classes of a configuration without directions, and which are edges."""

    of_pairs: np.ndarray
    """(n, n) class of each pair, the same in both directions."""
    count: int
    """Number of classes."""
    edges: np.ndarray
    """The classes whose pairs are edges."""
    others: np.ndarray
    """The classes of different nodes that are not adjacent."""

    @classmethod
    def of(cls, graph: Graph, configuration: Configuration) -> Classes:
        """Join each class with its reverse."""
        R, count = configuration.classes, configuration.count
        reverse = np.zeros(count, dtype=np.int64)
        reverse[R.ravel()] = R.T.ravel()
        joined = np.unique(np.minimum(np.arange(count), reverse), return_inverse=True)[1]
        of_pairs = joined[R].astype(np.int32)
        i, j = graph.edges()
        edges, own = np.unique(of_pairs[i, j]), np.unique(np.diag(of_pairs))
        total = int(joined.max()) + 1
        others = np.setdiff1d(np.arange(total), np.concatenate([edges, own]))
        return cls(of_pairs, total, edges, others)


@dataclass(frozen=True)
class Block:
    """One constituent of the algebra, seen from a node."""

    node: int
    basis: np.ndarray
    """(parts, s) orthonormal columns in the space of the classes of pairs (node, ·)."""
    coefficients: np.ndarray
    """(p, s, s) the identity and the classes of the unknowns."""
    constant: np.ndarray
    """(s, s) c cᵀ."""


def find_blocks(
    configuration: Configuration, classes: Classes, c: np.ndarray, unknowns: np.ndarray
) -> list[Block] | None:
    """Return all constituents, each once, or None if that would take too long."""
    rng = np.random.default_rng(SEED)
    weights, more = rng.standard_normal((2, len(unknowns) + 1))
    nodes, _ = configuration.representatives()
    widths = {v: len(np.unique(configuration.classes[v])) for v in nodes.tolist()}
    if sum((len(unknowns) + 1) * width**3 for width in widths.values()) > MOST_WORK:
        return None
    found: list[Block] = []
    spectra: list[np.ndarray] = []
    size = 0.0
    for v in sorted(widths, key=lambda node: -widths[node]):
        A, C = _compressed(configuration, classes, c, v, unknowns)
        T = np.tensordot(weights[1:], A[1:], axes=1) + weights[0] * C
        values, Q = np.linalg.eigh(T)
        size = size or max(float(np.abs(values).max()), 1.0)
        A, C = Q.T @ A @ Q, Q.T @ C @ Q
        earlier = list(spectra)  # those found from other nodes
        for part in _components(A, C):
            inner, constant = A[:, part][:, :, part], C[np.ix_(part, part)]
            spectrum, turn = _one_copy(values[part] / size, inner, more)
            if any(_same(spectrum, other) for other in earlier):
                continue
            spectra.append(spectrum)
            inner = turn.T @ inner @ turn
            inner = (inner + inner.transpose(0, 2, 1)) / 2
            found.append(Block(v, Q[:, part] @ turn, inner, turn.T @ constant @ turn))
    return found


def _one_copy(
    spectrum: np.ndarray, A: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The eigenvalues of T and a basis of one of several equal constituents, side by side.

    There every eigenvalue is as often there as there are copies. An element W of the algebra maps
    an eigenvector e_1 ⊗ x of the first to Σ w_i e_i ⊗ x, so its parts in the eigenspaces of the
    others are of the same copy x.
    """
    ends = np.flatnonzero(np.diff(spectrum) > SAME) + 1
    spaces = np.split(np.arange(len(spectrum)), ends)
    whole = np.eye(len(spectrum))
    if len(spaces[0]) == 1 or len({len(space) for space in spaces}) > 1:
        return spectrum, whole
    W = np.tensordot(weights, A, axes=1)
    W /= max(float(np.abs(W).sum(axis=0).max()), 1e-300)
    image = whole[:, 0]
    mapped = image
    for _ in range(len(spaces)):  # W alone may be zero between some eigenspaces
        mapped = W @ mapped
        image = image + mapped
    turn = np.zeros((len(spectrum), len(spaces)))
    for k, space in enumerate(spaces):
        size = float(np.linalg.norm(image[space]))
        if size < 1e-4:
            return spectrum, whole
        turn[space, k] = image[space] / size
    return spectrum[[space[0] for space in spaces]], turn


def _same(first: np.ndarray, second: np.ndarray) -> bool:
    return len(first) == len(second) and bool(np.abs(first - second).max() < SAME)


def _components(A: np.ndarray, C: np.ndarray) -> list[np.ndarray]:
    """The sets of rows between which all matrices vanish."""
    strength = np.zeros(C.shape)
    for matrix in (*A[1:], C):
        size = np.abs(matrix)
        np.maximum(strength, size / max(float(size.max()), 1e-300), out=strength)
    linked = sparse.csr_array(strength > ZERO)
    count, labels = sparse.csgraph.connected_components(linked, directed=False)
    return [np.flatnonzero(labels == k) for k in range(count)]


def _compressed(
    configuration: Configuration, classes: Classes, c: np.ndarray, node: int, unknowns: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """P_vᵀ A P_v for A = I and the classes of ``unknowns``, and P_vᵀ c cᵀ P_v."""
    _, firsts, part = np.unique(configuration.classes[node], return_index=True, return_inverse=True)
    sizes = np.bincount(part)
    width = len(sizes)
    place = np.full(classes.count, len(unknowns))
    place[unknowns] = np.arange(len(unknowns))
    counts = np.zeros((width, len(unknowns) + 1, width))
    # All nodes of a part have as many pairs of a class into another part as the first one has.
    for a, u in enumerate(firsts.tolist()):
        np.add.at(counts[a], (place[classes.of_pairs[u]], part), 1.0)
    scale = np.sqrt(sizes)
    A = np.empty((1 + len(unknowns), width, width))
    A[0] = np.eye(width)
    A[1:] = counts[:, :-1].transpose(1, 0, 2) * (scale[:, None] / scale)
    root = np.bincount(part, weights=c) / scale
    return A, np.outer(root, root)
