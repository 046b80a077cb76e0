"""What a node looks like from degrees alone: the columns of the candidate "similar roles"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lovasz.graphs import Graph


@dataclass(frozen=True)
class Roles:
    """The rows of all nodes, and how they were scaled."""

    table: np.ndarray
    """(n, 4) columns of mean 0 and variance 1; a column without variance is 0."""
    mean: np.ndarray
    """(4,) means of the columns before they were scaled."""
    deviation: np.ndarray
    """(4,) standard deviations of the columns before they were scaled; inf for 0."""

    @classmethod
    def of(cls, graph: Graph) -> Roles:
        """Return the roles of the nodes of a graph.

        Nodes of equal role, such as the centres of two stars, have equal rows however far apart
        they are.

        >>> star = Graph.from_edges([0, 0, 0], [1, 2, 3])
        >>> Roles.of(star).table.round(2).tolist()[:2]
        [[1.73, -1.73, 0.0, 1.73], [-0.58, 0.58, 0.0, -0.58]]
        """
        A = abs(graph.adjacency)
        columns = describe_degrees(np.asarray(A.sum(axis=1)).ravel(), lambda values: A @ values)
        deviation = columns.std(axis=0)
        deviation = np.where(deviation > 1e-6, deviation, np.inf)
        mean = columns.mean(axis=0)
        return cls((columns - mean) / deviation, mean, deviation)


def describe_degrees(degrees: np.ndarray, add: Callable[[np.ndarray], Any]) -> np.ndarray:
    """Return four columns, in a last axis that is added to the shape of ``degrees``.

    They are the logarithm of 1 + degree, its mean and its standard deviation over the neighbours,
    and the mean of that mean over the neighbours. ``add`` multiplies by the adjacency matrix.
    """
    size = np.log1p(np.maximum(degrees, 0))

    def average(values: np.ndarray) -> np.ndarray:
        return np.asarray(add(values) / np.where(degrees > 0, degrees, 1))

    mean = average(size)
    spread = np.sqrt(np.maximum(average(size**2) - mean**2, 0))
    return np.stack([size, mean, spread, average(mean)], axis=-1)
