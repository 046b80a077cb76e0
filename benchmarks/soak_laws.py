"""What must hold for every interval of ϑ, decided in exact arithmetic, for ``soak.py``."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

BUDGET = 20_000
"""Number of branches after which the search for the heaviest independent set is given up."""


def neighbourhoods(n: int, edges: Iterable[tuple[int, int]]) -> list[int]:
    """Return the neighbours of each node as the bits of an integer."""
    near = [0] * n
    for i, j in edges:
        near[i] |= 1 << j
        near[j] |= 1 << i
    return near


def whole(weights: list[float]) -> tuple[list[int], int]:
    """Return integers w and a common denominator d with w/d = weights exactly."""
    exact = [Fraction(value) for value in weights]
    common = max(value.denominator for value in exact)  # powers of 2
    return [int(value * common) for value in exact], common


def heaviest_independent_set(near: list[int], w: list[int]) -> tuple[int, bool]:
    """Return the weight of an independent set, and whether none is heavier."""
    best, left = 0, BUDGET

    def search(candidates: int, weight: int) -> None:
        nonlocal best, left
        left -= 1
        best = max(best, weight)
        if left < 0 or weight + _cover_bound(near, w, candidates) <= best:
            return
        node = max(_bits(candidates), key=lambda v: ((near[v] & candidates).bit_count(), w[v]))
        search(candidates & ~near[node] & ~(1 << node), weight + w[node])
        if near[node] & candidates:
            search(candidates & ~(1 << node), weight)

    search((1 << len(near)) - 1, 0)
    return best, left >= 0


def _bits(mask: int) -> Iterable[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _cover_bound(near: list[int], w: list[int], candidates: int) -> int:
    total = 0
    while candidates:
        clique, most = candidates, 0
        while clique:
            node = (clique & -clique).bit_length() - 1
            most = max(most, w[node])
            candidates &= ~(1 << node)
            clique &= near[node]
        total += most
    return total


def clique_cover(near: list[int], w: list[int]) -> int:
    """Return the weight of cliques that cover every node as often as it weighs."""
    rest, total = list(w), 0
    alive = (1 << len(w)) - 1
    while alive:
        node = min(_bits(alive), key=lambda v: (rest[v], (near[v] & alive).bit_count()))
        clique, candidates = [node], near[node] & alive
        while candidates:
            following = max(_bits(candidates), key=lambda v: (near[v] & candidates).bit_count())
            clique.append(following)
            candidates &= near[following]
        amount = rest[node]
        total += amount
        for v in clique:
            rest[v] -= amount
            if rest[v] == 0:
                alive &= ~(1 << v)
    return total


def clique_cover_number(near: list[int]) -> int:
    """Return the least number of cliques that cover the nodes, by exhaustive search."""
    n = len(near)
    best = clique_cover(near, [1] * n)

    def search(node: int, cliques: list[int]) -> None:
        nonlocal best
        if len(cliques) >= best:
            return
        if node == n:
            best = len(cliques)
            return
        for k, clique in enumerate(cliques):
            if clique & ~near[node] == 0:
                cliques[k] |= 1 << node
                search(node + 1, cliques)
                cliques[k] = clique
        cliques.append(1 << node)
        search(node + 1, cliques)
        cliques.pop()

    search(0, [])
    return best
