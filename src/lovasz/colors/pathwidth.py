"""Whether k colours are enough, by dynamic programming along an order of small pathwidth.

Nodes are visited one by one. A visited node is in sight while it has neighbours still to visit.
All that matters of a colouring so far is which of the nodes in sight have the same colour, so the
states are partitions of the nodes in sight. If no state is left, k colours are proven not to be
enough. The number of states is bounded by the width of the order, not by the number of nodes.
"""

from __future__ import annotations

import numpy as np

from lovasz.graphs.adjacency_lists import AdjacencyLists

State = tuple[int, ...]


def color_by_pathwidth(lists: AdjacencyLists, k: int, *, most: int) -> np.ndarray | bool | None:
    """Colours from 0 to k − 1, or False if k colours are proven not to be enough.

    None if there are more than ``most`` states.
    """
    near = [set(lists.of(v).tolist()) for v in range(lists.n)]
    sights, order = _walk(near)
    layers: list[dict[State, tuple[State, int]]] = []
    states: list[State] = [()]
    for step, v in enumerate(order):
        before, after = sights[step], sights[step + 1]
        touching = [i for i, u in enumerate(before) if u in near[v]]
        kept = [before.index(u) if u != v else len(before) for u in after]
        layer: dict[State, tuple[State, int]] = {}
        for state in states:
            taken, used = {state[i] for i in touching}, len(set(state))
            for c in range(min(used + 1, k)):
                if c not in taken:
                    whole = (*state, c)
                    layer.setdefault(_canonical([whole[i] for i in kept]), (state, c))
            if len(layer) > most:
                return None
        if not layer:
            return False
        layers.append(layer)
        states = list(layer)
    return _trace(order, sights, layers, states[0])


def _walk(near: list[set[int]]) -> tuple[list[list[int]], list[int]]:
    """An order of the nodes that keeps few in sight, and what is in sight before each visit."""
    left, sight = set(range(len(near))), list[int]()
    sights, order = [sight], list[int]()
    while left:
        reach = set().union(*(near[u] & left for u in sight)) or left
        # Visit the node that leaves least in sight: itself, if it has neighbours left, minus those
        # for which it was the last neighbour.
        v = min(
            reach,
            key=lambda v: (
                bool(near[v] & left) - sum(near[u] & left == {v} for u in sight if u in near[v]),
                len(near[v] & left),
                v,
            ),
        )
        left.remove(v)
        order.append(v)
        sight = [u for u in (*sight, v) if near[u] & left]
        sights.append(sight)
    return sights, order


def _canonical(colors: list[int]) -> State:
    """The colours renamed in the order of appearance, which makes equal partitions equal."""
    name: dict[int, int] = {}
    return tuple(name.setdefault(c, len(name)) for c in colors)


def _trace(
    order: list[int],
    sights: list[list[int]],
    layers: list[dict[State, tuple[State, int]]],
    state: State,
) -> np.ndarray:
    """The colours on a path of states that ends in ``state``."""
    choices = []
    for layer in reversed(layers):
        state, c = layer[state]
        choices.append((state, c))
    colors = np.full(len(order), -1)
    for v, sight, (state, c) in zip(order, sights, reversed(choices), strict=False):
        own = [int(colors[u]) for u in sight]
        seen = dict(zip(state, own, strict=True))
        # Of the colours that nobody in sight has, any will do.
        colors[v] = seen[c] if c in seen else min(set(range(len(own) + 1)) - set(own))
    return colors
