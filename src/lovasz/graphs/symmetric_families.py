"""Families of symmetric graphs of any size; see :class:`~.symmetric_graph.SymmetricGraph`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from inspect import signature
from itertools import combinations
from math import comb, prod
from typing import Any

import numpy as np

from lovasz.base.checks import check_whole
from lovasz.base.errors import LovaszError
from lovasz.base.memory import refuse_if_too_large
from lovasz.base.text import truncate
from lovasz.graphs.family_sizes import (
    check_channel,
    check_entries,
    check_order,
    check_subsets,
    check_words,
)
from lovasz.graphs.finite_fields import nonzero_squares, prime_power
from lovasz.graphs.schemes import (
    ChannelOrbits,
    ConferenceScheme,
    GroupScheme,
    MetricScheme,
    check_distances,
    integral_spectrum,
)
from lovasz.graphs.symmetric_graph import SymmetricGraph

Edges = tuple[np.ndarray, np.ndarray]
"""The rows of both ends of every edge."""
LONGEST_RANGE = 10**5
"""Largest end of a range in :func:`parse_family`."""


def hamming(n: int, distances: Iterable[int], q: int = 2) -> SymmetricGraph:
    """Words of ``n`` letters from ``q``, adjacent if they differ in one of these numbers of places.

    The rows of :meth:`~.symmetric_graph.SymmetricGraph.to_graph` read the words as numbers to
    the base q. An independent set of ``hamming(n, range(1, d))`` is a code of minimum distance d.

    >>> import lovasz
    >>> lovasz.theta(hamming(23, {1})).upper
    4194304.0
    """
    n, q = check_whole(n, "n", least=1), check_whole(q, "q", least=2)
    check_words(n, q)
    relations = check_distances(distances, n)
    scheme = MetricScheme(
        farther=tuple((n - i) * (q - 1) for i in range(n)),
        closer=tuple(range(1, n + 1)),
        spectrum=tuple((q - 1) * n - q * j for j in range(n + 1)),
        write=partial(_write_words, n, q),
    )
    letters = f", q={q}" if q > 2 else ""
    return SymmetricGraph(f"hamming({n}, {_listed(relations)}{letters})", scheme, relations)


def johnson(n: int, k: int, distances: Iterable[int] = (1,)) -> SymmetricGraph:
    """Subsets of k out of n, adjacent if k − |intersection| is one of ``distances``.

    The rows of ``to_graph`` follow the order of :func:`itertools.combinations`.

    >>> johnson(8, 4, {1, 3})
    SymmetricGraph(johnson(8, 4, {1, 3}), n=70, m=1,120)
    """
    n, k, relations, scheme = _subsets(n, k, distances)
    return SymmetricGraph(f"johnson({n}, {k}, {_listed(relations)})", scheme, relations)


def kneser(n: int, k: int) -> SymmetricGraph:
    """Subsets of k out of n, adjacent if they are disjoint; ϑ is C(n − 1, k − 1) if n ≥ 2k.

    >>> import lovasz
    >>> lovasz.theta(kneser(40, 15)).exact
    '15084504396'
    """
    n, k = check_whole(n, "n", least=1), check_whole(k, "k", least=1)
    if k > n:
        raise LovaszError(f"k={k} exceeds n={n}; pass k from 1 to n")
    _, _, _, scheme = _subsets(n, k, ())
    edges = frozenset({k}) if n >= 2 * k else frozenset[int]()
    return SymmetricGraph(f"kneser({n}, {k})", scheme, edges)


def distance_regular(
    farther: Iterable[int], closer: Iterable[int], distances: Iterable[int] = (1,)
) -> SymmetricGraph:
    """A distance-regular graph by its intersection array b_0, …, b_{d−1}; c_1, …, c_d.

    A node at distance i from another has c_i neighbours nearer to it and b_i farther from it.
    The eigenvalues must be integers. Nodes are adjacent at the ``distances``. The array does not
    tell which graph it is, so ``to_graph`` raises.

    >>> import lovasz
    >>> lovasz.theta(distance_regular((7, 6), (1, 1))).exact  # Hoffman–Singleton
    '15'
    """
    b = tuple(check_whole(x, "an entry of farther", least=1) for x in farther)
    c = tuple(check_whole(x, "an entry of closer", least=1) for x in closer)
    check_entries(b, "farther")
    check_entries(c, "closer")
    if len(b) != len(c) or not b or c[0] != 1:
        raise LovaszError(f"farther={list(b)} and closer={list(c)}: same length, closer from 1")
    relations = check_distances(distances, len(b))
    scheme = MetricScheme(b, c, integral_spectrum(b, c), _refuse_to_write)
    name = f"distance_regular({list(b)}, {list(c)}, {_listed(relations)})"
    _check_counts(scheme, name)
    return SymmetricGraph(name, scheme, relations)


def paley(q: int) -> SymmetricGraph:
    """The elements of the field of ``q``, adjacent if they differ by a square; ϑ is √q.

    ``q`` is a prime power that is 1 modulo 4. The rows of ``to_graph`` are the elements, read as
    numbers to the base p if q is a power of p.

    >>> import lovasz
    >>> lovasz.theta(paley(13)).exact
    'sqrt(13)'
    """
    q = check_whole(q, "q", least=5)
    check_order(q, "q")
    power = prime_power(q)
    if q % 4 != 1 or power is None:
        raise LovaszError(f"paley({q}): pass a prime power that is 1 modulo 4, such as 13 or 25")
    scheme = ConferenceScheme(q, partial(_write_differences, *power))
    return SymmetricGraph(f"paley({q})", scheme, frozenset({1}))


def circulant(n: int, differences: Iterable[int]) -> SymmetricGraph:
    """The residues modulo ``n``, adjacent if they differ by ± one of ``differences``.

    >>> circulant(10**12, {1})
    SymmetricGraph(circulant(1000000000000, {1}), n=1,000,000,000,000, m=1,000,000,000,000)
    """
    n = check_whole(n, "n", least=1)
    check_order(n, "n")
    scheme = GroupScheme((n,))
    relations = frozenset(scheme.relation((a,)) for a in differences)
    steps = _listed(a[0] for a in relations)
    return SymmetricGraph(f"circulant({n}, {steps})", scheme, relations)


def cycle(n: int) -> SymmetricGraph:
    """The cycle of ``n`` nodes; ϑ is n cos(π/n) / (1 + cos(π/n)) if n is odd.

    >>> cycle(5)
    SymmetricGraph(cycle(5), n=5, m=5)
    """
    n = check_whole(n, "n", least=3)
    check_order(n, "n")
    return SymmetricGraph(f"cycle({n})", GroupScheme((n,)), frozenset({(1,)}))


def cayley(orders: Iterable[int], differences: Iterable[Iterable[int]]) -> SymmetricGraph:
    """The group ℤ_{n₁} × … × ℤ_{n_k} of these ``orders``, adjacent by ± these ``differences``.

    >>> cayley((5, 5), [(1, 0), (0, 1)])  # a torus
    SymmetricGraph(cayley((5, 5), [(0, 1), (1, 0)]), n=25, m=50)
    """
    given = tuple(check_whole(n, "an order", least=1) for n in orders)
    check_order(prod(given), "the product of orders")
    scheme = GroupScheme(given)
    relations = frozenset(scheme.relation(a) for a in differences)
    return SymmetricGraph(f"cayley({given}, {sorted(relations)})", scheme, relations)


def z_channel(n: int) -> SymmetricGraph:
    """Words of ``n`` bits, adjacent if losing a one in each, or in one of them, makes them equal.

    These are Sloane's graphs 1zc.2ⁿ, with the words as binary numbers. An independent set is a
    code for the channel in which at most one 1 becomes 0.

    >>> import lovasz
    >>> lovasz.theta(z_channel(9)).exact
    '275/4'
    """
    n = check_whole(n, "n", least=1)
    check_channel(n)
    orbits = ChannelOrbits(n)
    return SymmetricGraph(f"z_channel({n})", orbits, orbits.every)


def parse_family(text: str) -> SymmetricGraph | None:
    """Return the graph that a call such as "hamming(23, {1, 2})" names, or None for other text.

    Arguments are numbers, sets, lists, tuples and ranges of them; nothing is evaluated.

    >>> parse_family("hamming(23, range(1, 7))")
    SymmetricGraph(hamming(23, {1, 2, 3, 4, 5, 6}), n=8,388,608, m=610,262,843,392)
    >>> parse_family("graph.col")
    """
    name, bracket, _ = text.partition("(")
    if name.strip() not in FAMILIES or not bracket:
        return None
    make = FAMILIES[name.strip()]
    wanted = ", ".join(signature(make).parameters)
    refusal = LovaszError(
        f"{truncate(text)} cannot be read; write {make.__name__}({wanted}), such as "
        f"{EXAMPLES[make.__name__]}"
    )
    try:
        call = ast.parse(text.strip(), mode="eval").body
        if not isinstance(call, ast.Call):
            raise refusal
        arguments = [_literal(node) for node in call.args]
        options = {str(word.arg): _literal(word.value) for word in call.keywords}
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise refusal from None
    try:
        return make(*arguments, **options)
    except TypeError:
        raise refusal from None


def _literal(node: ast.expr) -> Any:
    """The value of a literal, or of a range of two numbers."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        ends = [ast.literal_eval(argument) for argument in node.args]
        if node.keywords or any(abs(end) > LONGEST_RANGE for end in ends):
            raise ValueError
        return range(*ends)
    return ast.literal_eval(node)


def _listed(relations: Iterable[int]) -> str:
    return f"{{{', '.join(map(str, sorted(relations)))}}}"


def _subsets(
    n: int, k: int, distances: Iterable[int]
) -> tuple[int, int, frozenset[int], MetricScheme]:
    n, k = check_whole(n, "n", least=1), check_whole(k, "k", least=0)
    if k > n:
        raise LovaszError(f"k={k} exceeds n={n}; pass k from 0 to n")
    check_subsets(n, k)
    d = min(k, n - k)
    scheme = MetricScheme(
        farther=tuple((k - i) * (n - k - i) for i in range(d)),
        closer=tuple(i * i for i in range(1, d + 1)),
        spectrum=tuple((k - j) * (n - k - j) - j for j in range(d + 1)),
        write=partial(_write_subsets, n, k),
    )
    return n, k, check_distances(distances, d), scheme


def _check_counts(scheme: MetricScheme, name: str) -> None:
    """Raise if nodes at each distance, or dimensions of eigenspaces, are no natural numbers."""
    impossible = LovaszError(f"{name}: no graph has this array; correct it")
    count, degree = 1, scheme.farther[0]
    inner = [*zip(scheme.farther[1:], scheme.closer[:-1], strict=True), (0, scheme.closer[-1])]
    if any(b + c > degree for b, c in inner):
        raise impossible
    for b, c in zip(scheme.farther, scheme.closer, strict=True):
        count, rest = divmod(count * b, c)
        if rest:
            raise impossible
    for row in scheme.eigenvalues:
        squares = zip(row, scheme.valencies, strict=True)
        dimension = scheme.n / sum((Fraction(p * p, k) for p, k in squares), Fraction(0))
        if dimension.denominator > 1:
            raise impossible


def _refuse_to_write(relations: frozenset[Any]) -> Edges:
    raise LovaszError("an intersection array does not tell which graph it is; pass the graph")


def _write_words(n: int, q: int, relations: frozenset[int]) -> Edges:
    words = np.arange(q**n)
    digits = np.array(np.unravel_index(words, (q,) * n))
    weight = np.count_nonzero(digits, axis=0)
    scheme = GroupScheme((q,) * n)
    chosen = words[np.isin(weight, list(relations))]
    return scheme.edges(frozenset(scheme.relation(digits[:, word].tolist()) for word in chosen))


def _write_subsets(n: int, k: int, relations: frozenset[int]) -> Edges:
    subsets = np.array(list(combinations(range(n), k)), dtype=np.int64)
    subsets = subsets.reshape(comb(n, k), k)
    refuse_if_too_large("the pairs of subsets", len(subsets) ** 2, "take fewer", bytes_per_entry=16)
    member = np.zeros((len(subsets), n), dtype=np.float32)
    member[np.arange(len(subsets))[:, None], subsets] = 1
    distance = k - (member @ member.T).astype(np.int64)
    i, j = np.nonzero(np.triu(np.isin(distance, list(relations)), k=1))
    return i, j


def _write_differences(p: int, degree: int, relations: frozenset[int]) -> Edges:
    scheme = GroupScheme((p,) * degree)
    squares = frozenset(scheme.relation(a) for a in nonzero_squares(p, degree))
    every = [squares if 1 in relations else frozenset()]
    if 2 in relations:
        every.append(scheme.others(squares))
    return scheme.edges(frozenset().union(*every))


FAMILIES: dict[str, Callable[..., SymmetricGraph]] = {
    make.__name__: make
    for make in (
        hamming, johnson, kneser, distance_regular, paley, circulant, cycle, cayley, z_channel
    )
}  # fmt: skip
"""The families that :func:`parse_family` knows, by name."""

EXAMPLES = {
    example.partition("(")[0]: example
    for example in (
        "hamming(23, {1})", "johnson(24, 12, {1, 2})", "kneser(40, 15)",
        "distance_regular((3, 2), (1, 1))", "paley(1009)", "circulant(10, {1})", "cycle(7)",
        "cayley((5, 5), [(1, 0), (0, 1)])", "z_channel(13)",
    )
}  # fmt: skip
"""How a graph of each family is written."""
