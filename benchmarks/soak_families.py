"""Random graphs of thirty families for ``soak.py``, with what is known about their ϑ."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

Edge = tuple[int, int]


@dataclass(frozen=True)
class Sample:
    """A graph and what is known about it."""

    n: int
    edges: frozenset[Edge]
    """Pairs i < j."""
    perfect: bool = False
    """Whether ϑ(G, w) = α(G, w) for all weights w."""
    transitive: bool = False
    """Whether all nodes look alike, so that ϑ(G) · ϑ(complement) = n."""
    closed: Callable[[], Any] | None = None
    """Returns ϑ as a Fraction or as a number of mpmath with 50 digits."""
    parts: tuple[Sample, ...] = ()
    """The parts of a disjoint union or of a join, in order."""
    joined: bool = False
    """Whether the parts are joined, so that ϑ is the largest of theirs instead of the sum."""


def draw(name: str, rng: random.Random, largest: int) -> Sample:
    """Return a graph of a family with at most about ``largest`` nodes."""
    return FAMILIES[name](rng, rng.randint(2, max(2, largest)))


def _sample(n: int, edges: Iterable[Edge], **known: Any) -> Sample:
    pairs = frozenset((min(e), max(e)) for e in edges if e[0] != e[1])
    return Sample(n, pairs, **known)


def _pairs(n: int) -> Iterable[Edge]:
    return itertools.combinations(range(n), 2)


def _gnp(rng: random.Random, n: int, p: float) -> Sample:
    return _sample(n, (e for e in _pairs(n) if rng.random() < p))


def _tree(rng: random.Random, n: int) -> Sample:
    return _sample(n, ((v, rng.randrange(v)) for v in range(1, n)), perfect=True)


def _forest(rng: random.Random, n: int) -> Sample:
    chosen = ((v, rng.randrange(v)) for v in range(1, n) if rng.random() < 0.8)
    return _sample(n, chosen, perfect=True)


def _cycle_edges(n: int) -> list[Edge]:
    return [(v, (v + 1) % n) for v in range(n)]


def _cycle_value(n: int) -> Any:
    import mpmath

    with mpmath.workdps(50):
        c = mpmath.cos(mpmath.pi / n)
        return n * c / (1 + c)


def _odd_cycle(rng: random.Random, n: int) -> Sample:
    n = max(5, n | 1)
    return _sample(n, _cycle_edges(n), transitive=True, closed=lambda: _cycle_value(n))


def _odd_anticycle(rng: random.Random, n: int) -> Sample:
    import mpmath

    n = max(5, n | 1)
    ring = _sample(n, _cycle_edges(n)).edges

    def value() -> Any:
        with mpmath.workdps(50):
            return n / _cycle_value(n)

    return _sample(n, set(_pairs(n)) - ring, transitive=True, closed=value)


def _even_cycle(rng: random.Random, n: int) -> Sample:
    n = max(4, n + n % 2)
    return _sample(n, _cycle_edges(n), perfect=True, transitive=True, closed=lambda: Fraction(n, 2))


def _path(rng: random.Random, n: int) -> Sample:
    return _sample(n, ((v, v + 1) for v in range(n - 1)), perfect=True)


def _colours(rng: random.Random, n: int, k: int) -> list[int]:
    return [rng.randrange(k) for _ in range(n)]


def _multipartite(rng: random.Random, n: int) -> Sample:
    part = _colours(rng, n, rng.randint(2, 5))
    largest = max(part.count(k) for k in part)
    edges = ((i, j) for i, j in _pairs(n) if part[i] != part[j])
    return _sample(n, edges, perfect=True, closed=lambda: Fraction(largest))


def _bipartite(rng: random.Random, n: int) -> Sample:
    side, p = _colours(rng, n, 2), rng.random()
    edges = ((i, j) for i, j in _pairs(n) if side[i] != side[j] and rng.random() < p)
    return _sample(n, edges, perfect=True)


def _cobipartite(rng: random.Random, n: int) -> Sample:
    return replace(_complement(_bipartite(rng, n)), perfect=True)


def _complement(sample: Sample) -> Sample:
    return _sample(sample.n, set(_pairs(sample.n)) - sample.edges)


def _interval(rng: random.Random, n: int) -> Sample:
    spans = [sorted((rng.random(), rng.random() ** 2)) for _ in range(n)]
    edges = (
        (i, j) for i, j in _pairs(n) if spans[i][0] <= spans[j][1] and spans[j][0] <= spans[i][1]
    )
    return _sample(n, edges, perfect=True)


def _split(rng: random.Random, n: int) -> Sample:
    side = _colours(rng, n, 2)
    edges = (
        (i, j)
        for i, j in _pairs(n)
        if side[i] == side[j] == 0 or (side[i] != side[j] and rng.random() < 0.5)
    )
    return _sample(n, edges, perfect=True)


def _threshold(rng: random.Random, n: int) -> Sample:
    size = [rng.random() for _ in range(n)]
    return _sample(n, ((i, j) for i, j in _pairs(n) if size[i] + size[j] > 1), perfect=True)


def _cograph(rng: random.Random, n: int) -> Sample:
    def build(nodes: list[int]) -> list[Edge]:
        if len(nodes) < 2:
            return []
        cut = rng.randint(1, len(nodes) - 1)
        left, right = nodes[:cut], nodes[cut:]
        across = list(itertools.product(left, right)) if rng.random() < 0.5 else []
        return build(left) + build(right) + across

    return _sample(n, build(list(range(n))), perfect=True)


def _permutation(rng: random.Random, n: int) -> Sample:
    place = rng.sample(range(n), n)
    return _sample(n, ((i, j) for i, j in _pairs(n) if place[i] > place[j]), perfect=True)


def _chordal(rng: random.Random, n: int) -> Sample:
    """Each node is joined to a part of a clique that is there."""
    cliques: list[list[int]] = [[0]]
    edges: list[Edge] = []
    for v in range(1, n):
        clique = rng.choice(cliques)
        kept = rng.sample(clique, rng.randint(1, len(clique)))
        edges += [(u, v) for u in kept]
        cliques.append([*kept, v])
    return _sample(n, edges, perfect=True)


def _line_graph(rng: random.Random, n: int, base: Sample) -> Sample:
    lines = rng.sample(sorted(base.edges), min(n, len(base.edges))) or [(0, 1)]
    edges = ((i, j) for i, j in _pairs(len(lines)) if set(lines[i]) & set(lines[j]))
    return _sample(len(lines), edges)


def _line(rng: random.Random, n: int) -> Sample:
    return _line_graph(rng, n, _gnp(rng, max(3, n // 2), 0.6))


def _bipartite_line(rng: random.Random, n: int) -> Sample:
    return replace(_line_graph(rng, n, _bipartite(rng, max(3, n // 2))), perfect=True)


def _circulant(rng: random.Random, n: int) -> Sample:
    steps = [s for s in range(1, n // 2 + 1) if rng.random() < 0.4]
    return _sample(n, ((v, (v + s) % n) for v in range(n) for s in steps), transitive=True)


def _cayley(rng: random.Random, n: int) -> Sample:
    n = 1 << min(5, max(2, n.bit_length() - 1))
    steps = [s for s in range(1, n) if rng.random() < 0.4]
    return _sample(n, ((v, v ^ s) for v in range(n) for s in steps), transitive=True)


def _sets(rng: random.Random, n: int) -> tuple[int, int, list[frozenset[int]]]:
    size, k = rng.choice([(5, 2), (6, 2), (7, 2), (4, 2), (6, 3), (7, 3)][: 3 if n < 20 else 6])
    return size, k, [frozenset(s) for s in itertools.combinations(range(size), k)]


def _kneser(rng: random.Random, n: int) -> Sample:
    from math import comb

    size, k, nodes = _sets(rng, n)
    edges = ((i, j) for i, j in _pairs(len(nodes)) if not nodes[i] & nodes[j])
    value = Fraction(comb(size - 1, k - 1))
    return _sample(len(nodes), edges, transitive=True, closed=lambda: value)


def _johnson(rng: random.Random, n: int) -> Sample:
    _, k, nodes = _sets(rng, n)
    edges = ((i, j) for i, j in _pairs(len(nodes)) if len(nodes[i] & nodes[j]) == k - 1)
    return _sample(len(nodes), edges, transitive=True)


def _hamming(rng: random.Random, n: int) -> Sample:
    d = min(5, max(2, n.bit_length() - 1))
    far = {k for k in range(1, d + 1) if rng.random() < 0.5}
    edges = ((i, j) for i, j in _pairs(1 << d) if (i ^ j).bit_count() in far)
    return _sample(1 << d, edges, transitive=True)


def _paley(rng: random.Random, n: int) -> Sample:
    import mpmath

    q = rng.choice([5, 13, 17, 29, 37][: 3 if n < 20 else 5])
    squares = {v * v % q for v in range(1, q)}

    def value() -> Any:
        with mpmath.workdps(50):
            return mpmath.sqrt(q)

    edges = ((i, j) for i, j in _pairs(q) if (i - j) % q in squares)
    return _sample(q, edges, transitive=True, closed=value)


def _regular(rng: random.Random, n: int) -> Sample:
    """Unions of random perfect matchings and cycles: nearly regular."""
    edges: list[Edge] = []
    for _ in range(rng.randint(1, 3)):
        order = rng.sample(range(n), n)
        edges += [(order[k], order[(k + 1) % n]) for k in range(n)]
    return _sample(n, edges)


def _geometric(rng: random.Random, n: int) -> Sample:
    spots = [complex(rng.random(), rng.random()) for _ in range(n)]
    radius = rng.uniform(0.1, 0.7)
    return _sample(n, ((i, j) for i, j in _pairs(n) if abs(spots[i] - spots[j]) < radius))


def _small_world(rng: random.Random, n: int) -> Sample:
    ring = ((v, (v + s) % n) for v in range(n) for s in (1, 2))
    return _sample(n, ((u, rng.randrange(n)) if rng.random() < 0.2 else (u, v) for u, v in ring))


def _scale_free(rng: random.Random, n: int) -> Sample:
    ends, edges = [0], []
    for v in range(1, n):
        for _ in range(rng.randint(1, 3)):
            u = rng.choice(ends)
            if u != v:
                edges.append((u, v))
                ends += [u, v]
        ends.append(v)
    return _sample(n, edges)


def _blocks(rng: random.Random, n: int) -> Sample:
    block = _colours(rng, n, 3)
    p, q = rng.random(), rng.random()
    return _sample(
        n, (e for e in _pairs(n) if rng.random() < (p if block[e[0]] == block[e[1]] else q))
    )


def _grid(rng: random.Random, n: int) -> Sample:
    wide = rng.randint(1, 6)
    high = max(1, n // wide)
    right = ((v, v + 1) for v in range(wide * high) if (v + 1) % wide)
    below = ((v, v + wide) for v in range(wide * (high - 1)))
    return _sample(wide * high, itertools.chain(right, below), perfect=True)


def _wheel(rng: random.Random, n: int) -> Sample:
    n = max(5, n | 1)
    edges = [*_cycle_edges(n), *((v, n) for v in range(n))]
    return _sample(n + 1, edges, closed=lambda: _cycle_value(n))


def _mycielski(rng: random.Random, n: int) -> Sample:
    base = _gnp(rng, max(2, n // 2), 0.4)
    k = base.n
    edges = [
        *base.edges,
        *((i, j + k) for i, j in base.edges),
        *((j, i + k) for i, j in base.edges),
    ]
    return _sample(2 * k + 1, [*edges, *((v + k, 2 * k) for v in range(k))])


def _two(rng: random.Random, n: int) -> tuple[Sample, Sample]:
    names = [name for name in FAMILIES if name not in ("disjoint union", "join")]
    first, second = (draw(rng.choice(names), rng, max(2, n // 2)) for _ in range(2))
    return first, second


def _union(rng: random.Random, n: int) -> Sample:
    first, second = _two(rng, n)
    edges = [*first.edges, *((i + first.n, j + first.n) for i, j in second.edges)]
    perfect = first.perfect and second.perfect
    return _sample(first.n + second.n, edges, perfect=perfect, parts=(first, second))


def _join(rng: random.Random, n: int) -> Sample:
    apart = _union(rng, n)
    first = apart.parts[0].n
    across = itertools.product(range(first), range(first, apart.n))
    return replace(apart, edges=apart.edges | frozenset(across), joined=True)


def _blow_up(rng: random.Random, n: int) -> Sample:
    """Each node of an odd cycle becomes a clique (ϑ stays); neighbours see each other."""
    k = max(5, (n // 2) | 1)
    owner = [*range(k), *_colours(rng, max(0, n - k), k)]
    ring = _sample(k, _cycle_edges(k)).edges
    near = (
        (i, j)
        for i, j in _pairs(len(owner))
        if owner[i] == owner[j] or tuple(sorted((owner[i], owner[j]))) in ring
    )
    return _sample(len(owner), near, closed=lambda: _cycle_value(k))


FAMILIES: dict[str, Callable[[random.Random, int], Sample]] = {
    "random, sparse": lambda rng, n: _gnp(rng, n, min(1.0, 3 / n)),
    "random, half": lambda rng, n: _gnp(rng, n, 0.5),
    "random, any density": lambda rng, n: _gnp(rng, n, rng.random()),
    "trees": _tree,
    "forests": _forest,
    "paths": _path,
    "odd cycles": _odd_cycle,
    "complements of odd cycles": _odd_anticycle,
    "even cycles": _even_cycle,
    "complete multipartite": _multipartite,
    "bipartite": _bipartite,
    "complements of bipartite": _cobipartite,
    "interval": _interval,
    "split": _split,
    "threshold": _threshold,
    "cographs": _cograph,
    "permutation": _permutation,
    "chordal": _chordal,
    "line": _line,
    "line of bipartite": _bipartite_line,
    "circulant": _circulant,
    "Cayley of Z2^k": _cayley,
    "Kneser": _kneser,
    "Johnson": _johnson,
    "Hamming": _hamming,
    "Paley": _paley,
    "nearly regular": _regular,
    "geometric": _geometric,
    "small world": _small_world,
    "scale-free": _scale_free,
    "blocks": _blocks,
    "grids": _grid,
    "wheels": _wheel,
    "Mycielski": _mycielski,
    "blown-up odd cycles": _blow_up,
    "disjoint union": _union,
    "join": _join,
}
"""What draws a graph with about n nodes, by the name of its family."""
