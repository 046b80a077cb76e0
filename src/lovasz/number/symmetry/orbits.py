"""ϑ of an explicit graph with symmetry: a semidefinite programme over classes of pairs.

In the algebra of a coherent configuration (:mod:`.coherent`) B = t I + Σ y_e A_e, one unknown per
class of edges. Let P_v be the matrix of the classes of pairs (v, ·), one normalised column each.

*B − c cᵀ is positive semidefinite if and only if P_vᵀ (B − c cᵀ) P_v is, for one node v of each
cell.* For the projection E onto the eigenvectors of negative eigenvalues is in the algebra. If it
is not 0, some E_vv > 0, and E e_v ≠ 0 is a negative direction that is constant on the classes of
(v, ·). ∎

*Back.* If X_v are the dual matrices of the blocks, X = Σ_v mean over the cell of v of P_u X_v P_uᵀ
is in the algebra and has the same products with I, A_e and c cᵀ. So it vanishes on the edges.

Nothing here is trusted: the approximation that comes out is certified like any other. Only where
the classes are proven to be an association scheme, in integers, is ϑ itself returned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy import sparse

from lovasz.graphs import Graph
from lovasz.number.solvers.contract import Approximation, never
from lovasz.number.symmetry.block_barrier import minimise_blocks
from lovasz.number.symmetry.coherent import Configuration, find_configuration
from lovasz.number.symmetry.orbit_blocks import Block, Classes, find_blocks
from lovasz.number.symmetry.rational_scheme import eigenvalue_table
from lovasz.number.symmetry.scheme import relation_values, solve_table
from lovasz.number.variants import Variant

MOST_WORK = 2e9
"""Largest number of operations of a Newton step."""


class OrbitSolution(NamedTuple):
    """A nearly optimal pair that is constant on orbits, and ϑ itself if it is proven."""

    approximation: Approximation
    exact: Fraction | None = None


def solve_by_orbits(
    graph: Graph,
    c: np.ndarray,
    variant: Variant,
    stop: Callable[[], bool] = never,
    left: float = math.inf,
) -> OrbitSolution | None:
    """Return a nearly optimal pair, constant on orbits, or None if there is too little symmetry.

    ``left`` are the seconds that are left. In an association scheme with rational eigenvalues ϑ
    is exact (:mod:`.rational_scheme`).

    >>> import networkx as nx
    >>> from lovasz.graphs import as_graph
    >>> graph = as_graph(nx.circulant_graph(80, [1, 4, 9]))
    >>> X = solve_by_orbits(graph, np.ones(80), Variant.LOVASZ).approximation.matrix
    >>> round(float(X.sum() / X.trace()), 6)
    35.777088
    """
    configuration = find_configuration(graph, c, left)
    if configuration is None or stop():
        return None
    classes = Classes.of(graph, configuration)
    if (c == 1).all():
        known = _solve_rational(graph, configuration, variant, stop)
        if known is not None:
            return known
    found = _solve_blocks(graph, c, variant, stop, configuration, classes)
    return None if found is None else OrbitSolution(found)


def _solve_rational(
    graph: Graph, configuration: Configuration, variant: Variant, stop: Callable[[], bool]
) -> OrbitSolution | None:
    """ϑ of a union of classes of an association scheme with rational eigenvalues."""
    found = eigenvalue_table(configuration)
    if found is None:
        return None
    table, order = found
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    i, j = graph.edges()
    kinds = place[configuration.classes]
    edges = np.unique(kinds[i, j])
    if np.count_nonzero(np.isin(kinds, edges)) != 2 * graph.m:
        return None  # a class of edges and others; only a collision of random sums makes one
    solution = solve_table(table, frozenset(edges.tolist()), variant, stop)
    if not solution.prices:
        return None
    y = np.zeros(len(order))
    y[list(solution.edge_values)] = [float(v) for v in solution.edge_values.values()]
    x = np.array([float(v) for v in relation_values(solution, table)])
    excess = None
    if variant is Variant.SCHRIJVER:
        excess = (-y * ~np.isin(np.arange(len(y)), edges))[kinds]
    pair = Approximation(
        y[kinds[i, j]], matrix=x[kinds] / graph.n, t=float(solution.value), excess=excess,
        converged=True,
    )  # fmt: skip
    return OrbitSolution(pair, solution.value)


def _solve_blocks(
    graph: Graph,
    c: np.ndarray,
    variant: Variant,
    stop: Callable[[], bool],
    configuration: Configuration,
    classes: Classes,
) -> Approximation | None:
    """A nearly optimal pair by the blocks of the algebra."""
    unknowns = classes.edges
    if variant is Variant.SCHRIJVER:
        unknowns = np.concatenate([classes.edges, classes.others])
    blocks = find_blocks(configuration, classes, c, unknowns)
    if blocks is None or _work(blocks, len(unknowns) + 1) > MOST_WORK:
        return None
    found = _minimise(blocks, c, _signs(variant, len(classes.edges), len(unknowns)), stop)
    if found is None:
        return None
    v, dual = found
    values = np.zeros(classes.count)
    values[unknowns] = v[1:]
    i, j = graph.edges()
    excess = None
    if variant is Variant.SCHRIJVER:
        excess = np.where(np.isin(classes.of_pairs, classes.others), -values[classes.of_pairs], 0)
    return Approximation(
        values[classes.of_pairs[i, j]],
        matrix=lift_matrix(configuration, blocks, dual),
        t=float(v[0]),
        excess=excess,
        converged=True,
    )


def _work(blocks: Sequence[Block], unknowns: int) -> float:
    sizes = [len(block.constant) for block in blocks]
    return sum(unknowns * s**3 + unknowns**2 * s**2 for s in sizes) + unknowns**3


def _signs(variant: Variant, edges: int, unknowns: int) -> np.ndarray:
    """One column per unknown with a sign: the coefficients of the condition that it has it."""
    which = np.arange(0)
    if variant is Variant.SZEGEDY:
        which = np.arange(edges)
    elif variant is Variant.SCHRIJVER:
        which = np.arange(edges, unknowns)
    columns = np.zeros((unknowns + 1, len(which)))
    columns[1 + which, np.arange(len(which))] = -variant.sign
    return columns


def _minimise(
    blocks: Sequence[Block], c: np.ndarray, signs: np.ndarray, stop: Callable[[], bool]
) -> tuple[np.ndarray, list[np.ndarray]] | None:
    """The unknowns and one dual matrix per block; blocks of one row are solved as one diagonal."""
    single = [k for k, block in enumerate(blocks) if len(block.constant) == 1]
    larger = [k for k, block in enumerate(blocks) if len(block.constant) > 1]
    diagonal = [blocks[k].coefficients[:, 0, 0] for k in single]
    coefficients = [blocks[k].coefficients for k in larger]
    constants = [blocks[k].constant for k in larger]
    coefficients.append(np.column_stack([*diagonal, signs]))
    constants.append(
        np.append([blocks[k].constant[0, 0] for k in single], np.zeros(signs.shape[1]))
    )
    total = float(c @ c)
    start = np.append(1.1 * total, 1e-4 * signs.sum(axis=1)[1:])
    while not all(_is_positive(A, C, start) for A, C in zip(coefficients, constants, strict=True)):
        start[1:] /= 2
        if start[0] > 100 * total:
            return None
        start[0] *= 1.5
    found = minimise_blocks(coefficients, constants, start, stop=stop)
    if not np.isfinite(found.gap):
        return None
    dual = [np.zeros((1, 1)) for _ in blocks]
    for k, X in zip(larger, found.dual, strict=False):
        dual[k] = X
    if len(constants[-1]):
        for k, x in zip(single, found.dual[-1].tolist(), strict=False):
            dual[k] = np.array([[x]])
    return found.v, dual


def _is_positive(A: np.ndarray, C: np.ndarray, v: np.ndarray) -> bool:
    S = np.tensordot(v, A, axes=1) - C
    return bool((S if S.ndim == 1 else np.linalg.eigvalsh(S)).min(initial=1.0) > 0)


def lift_matrix(
    configuration: Configuration, blocks: Sequence[Block], dual: Sequence[np.ndarray]
) -> np.ndarray:
    """X = Σ_v mean of P_u X_v P_uᵀ over the cell of v, where X_v is the sum over its blocks."""
    R, count = configuration.classes, configuration.count
    first = np.unique(R, return_index=True)[1]
    a, b = np.unravel_index(first, R.shape)
    cells = np.diag(R)
    values = np.zeros(count)
    for v in {block.node for block in blocks}:
        kinds, counts = np.unique(R[v], return_counts=True)
        place = np.zeros(count, dtype=np.int64)
        place[kinds] = np.arange(len(kinds))
        seen = [(block.basis, X) for block, X in zip(blocks, dual, strict=True) if block.node == v]
        Q = np.column_stack([basis for basis, _ in seen])
        X_v = Q @ sparse.block_diag([X for _, X in seen], format="csr") @ Q.T
        scaled = X_v / np.sqrt(np.outer(counts, counts))
        rows = place[R[cells == cells[v]]]
        for k in range(count):
            values[k] += scaled[rows[:, a[k]], rows[:, b[k]]].mean()
    lifted = values[R]
    return np.asarray((lifted + lifted.T) / 2)
