"""Which nodes are drawn, and where they and their names are placed."""

import numpy as np

from lovasz.graphs import Graph
from lovasz.pages.layout import neighbourhood, place_names, spring


def test_a_neighbourhood_is_connected_to_its_labels_and_fills_up():
    n = 5_000
    path = Graph.from_edges(np.arange(n - 1), np.arange(1, n), n=n)
    rows = neighbourhood(path, np.array([2_500]), 101)
    assert rows.size == 101
    isolated = Graph.from_edges([], [], n=n)
    assert neighbourhood(isolated, np.array([7]), 100).size == 100
    assert 7 in neighbourhood(isolated, np.array([7]), 100)


def test_spring_puts_neighbours_closer_than_strangers():
    two = np.kron(np.eye(2, dtype=int), np.ones((6, 6), dtype=int)) - np.eye(12, dtype=int)
    i, j = np.nonzero(np.triu(two))
    position = spring(Graph.from_edges([*i, 0], [*j, 6], n=12).adjacency)
    assert np.abs(position).max() <= 1 + 1e-6
    distance = np.linalg.norm(position[:, None] - position, axis=2)
    assert distance[two == 1].mean() < 0.6 * distance[(two == 0) & ~np.eye(12, dtype=bool)].mean()


def test_names_avoid_each_other():
    position = np.array([[0.0, 0.0], [12.0, 0.0]])
    (ax, ay), (bx, by) = place_names(position, np.array([60.0, 60.0]), 10, 5, 200)
    assert abs(ax - bx) >= 60 or abs(ay - by) >= 10
