"""Colouring along an order of small pathwidth."""

import networkx as nx

import lovasz


def test_long_narrow_graphs_are_solved_whatever_their_length():
    # Moser spindles in a row: χ = 4 and ω = 3, where backtracking forgets what it has proven.
    spindle = nx.Graph([(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (0, 4), (0, 5), (4, 5), (4, 6)])
    spindle.add_edges_from([(5, 6), (3, 6)])
    row = nx.disjoint_union_all([spindle] * 40)
    row.add_edges_from((7 * i + 6, 7 * i + 7) for i in range(39))
    found = lovasz.coloring(row)
    assert found.size == 4 and found.lower == 4 and len(found.witness) == 3
