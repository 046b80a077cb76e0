"""Whether k colours are enough, for graphs that can be walked through with few nodes in sight.

Nodes are visited one by one. In sight are visited nodes with neighbours still to visit; all that
matters of a colouring so far is which of those have the same colour. So the states are partitions
of the nodes in sight, and no state left proves that k colours are not enough. The number of
states is bounded by the width of the order, not by the number of nodes.
"""

from __future__ import annotations

import numpy as np

from lovasz.colors.tabu import Lists

State = tuple[int, ...]


def color_by_frontier(lists: Lists, k: int, *, most: int) -> np.ndarray | bool | None:
    """Colours from 0 to k − 1, False (proven: k are not enough), or None (over ``most`` states)."""
    near = [
        set(lists.indices[lists.indptr[v] : lists.indptr[v + 1]].tolist()) for v in range(lists.n)
    ]
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
    """What is in sight before and after each node of an order that keeps it small."""
    left, sight = set(range(len(near))), list[int]()
    sights, order = [sight], list[int]()
    while left:
        reach = set().union(*(near[u] & left for u in sight)) or left
        # The visit that leaves least in sight: v itself if it has more to see, less those done.
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
    """Colours renamed in the order they appear: equal for equal partitions."""
    name: dict[int, int] = {}
    return tuple(name.setdefault(c, len(name)) for c in colors)


def _trace(
    order: list[int],
    sights: list[list[int]],
    layers: list[dict[State, tuple[State, int]]],
    state: State,
) -> np.ndarray:
    """The colours of a way to ``state``, found backwards and painted forwards."""
    choices = []
    for layer in reversed(layers):
        state, c = layer[state]
        choices.append((state, c))
    colors = np.full(len(order), -1)
    for v, sight, (state, c) in zip(order, sights, reversed(choices), strict=False):
        own = [int(colors[u]) for u in sight]
        seen = dict(zip(state, own, strict=True))
        # A colour that nobody in sight has: they are all alike.
        colors[v] = seen[c] if c in seen else min(set(range(len(own) + 1)) - set(own))
    return colors
