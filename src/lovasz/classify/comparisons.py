"""Tables whose rows say something about nodes, so that similar rows may have the same class.

- "features": the features; if these are sparse, their main coordinates or all of them.
- "scaled features" and "features, other scale": all features, scaled as the data suggests, or by
  columns instead of rows or the reverse; they may be sparse.
- "surroundings": the main coordinates of the features, averaged over walks of some steps, or
  beside their averages over neighbours (:mod:`lovasz.classify.surroundings`).
- "spectrum": spectral coordinates of the graph.
- "roles": the degrees around a node, :mod:`lovasz.classify.roles`.

Where several tables are possible, with more or fewer steps or coordinates, the labels choose: the
table is taken whose labels, each left out once, are most likely (:mod:`lovasz.classify.ridge`).
It is then compared with more labelled rows, if the graph is not too large.
Scores that are linear in the rows are those of :mod:`lovasz.classify.logistic`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from lovasz.classify import ridge
from lovasz.classify.logistic import Logistic
from lovasz.classify.problem import Problem, scale_regularly
from lovasz.classify.ridge import Ridge
from lovasz.classify.roles import Roles
from lovasz.linalg.scaling import normalize, unit_rows

FEATURE_TABLES = ("features", "scaled features", "features, other scale")
"""The kinds of tables that are made of the features of a node alone."""
STEPS = (1, 2, 4, 8)
"""Numbers of steps of the walks that average features."""
MORE_LANDMARKS = 1000
"""Number of labelled rows, at most, that nodes are compared with in the table that is chosen."""
PAIRS = 2 * 10**7
"""More pairs of a node and a labelled row than this are not compared."""
MOST_COORDINATES = 64
"""Twice as many spectral coordinates as usual are tried as long as there are not more than this."""


def make_tables(problem: Problem, kind: str) -> list[Any]:
    """Return the tables of a kind, one row per node."""
    if kind == "roles":
        return [Roles.of(problem.graph).table]
    if kind == "spectrum":
        sums = scale_regularly(problem.graph.adjacency) @ spectral_vectors(problem)
        return [unit_rows(sums[:, :count]) for count in coordinate_counts(problem)]
    if kind == "surroundings":
        return [*walk_averages(problem), problem.surrounding_rows()]
    X = table_of_features(problem, kind)
    return [problem.principal_features, X] if kind == "features" and sparse.issparse(X) else [X]


def table_of_features(problem: Problem, kind: str) -> Any:
    """Return all features of a kind of ``FEATURE_TABLES``, or None if there are none."""
    return problem.other_features if kind == "features, other scale" else problem.features


def compare(
    tables: Sequence[Any], known: np.ndarray, problem: Problem, *, linear: bool = False
) -> tuple[int, Ridge | Logistic]:
    """Return the number of the table that the labels of the ``known`` nodes choose, and its model.

    Of equally good tables the first is taken.
    """
    codes, classes = problem.codes[known], len(problem.classes)
    kind = Logistic if linear else Ridge
    more = 0 if linear else min(MORE_LANDMARKS, PAIRS // problem.graph.n, len(known))
    again, best = more > ridge.LANDMARKS, 0
    if len(tables) > 1 or not again:
        models = [kind.of(table, known, codes, classes) for table in tables]
        best = min(range(len(models)), key=lambda number: models[number].surprise)
        if not again:
            return best, models[best]
    return best, Ridge.of(tables[best], known, codes, classes, most=more)


def coordinate_counts(problem: Problem) -> list[int]:
    """Return the numbers of spectral coordinates that are tried."""
    usual = 2 * len(problem.classes) + 2
    return [usual, 2 * usual] if 2 * usual <= MOST_COORDINATES else [usual]


def spectral_vectors(problem: Problem) -> np.ndarray:
    """Return (n, d) eigenvectors of :meth:`Problem.spectral_basis`, as many as are tried."""
    return problem.spectral_basis(coordinate_counts(problem)[-1])[1]


def walk_matrix(problem: Problem) -> sparse.csr_array:
    """Return D^-½ (A + I) D^-½."""
    loops = sparse.eye_array(problem.graph.n, format="csr")
    return normalize(sparse.csr_array(problem.graph.adjacency + loops))


def walk_averages(problem: Problem) -> list[np.ndarray]:
    """Return S^k X with X the main coordinates of the features, for every k in ``STEPS``."""
    S, H = walk_matrix(problem), problem.principal_features
    tables = []
    for step in range(1, max(STEPS) + 1):
        H = np.asarray(S @ H)
        if step in STEPS:
            tables.append(H)
    return tables
