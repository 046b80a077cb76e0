"""A core: connected, co-connected, not reducible. Search, bound by ϑ, search again, exhaust."""

from __future__ import annotations

import math

import numpy as np

from lovasz.colors.exact import largest_clique, try_colors
from lovasz.colors.greedy import greedy_colors, matched_pairs
from lovasz.colors.pathwidth import color_by_frontier
from lovasz.colors.perfect import perfect_pair
from lovasz.colors.rounding import factor, matrix_of, round_cover
from lovasz.colors.search import Pair, Search
from lovasz.colors.set_search import larger_set
from lovasz.colors.tabu import Lists, fewer_colors
from lovasz.graphs import Graph
from lovasz.graphs.operations import complement_of
from lovasz.number import theta
from lovasz.number.reduction import combinatorial

TOL = 1e-4
"""Relative gap of ϑ: its bounds are rounded to integers anyway."""
PERFECT_UP_TO = 300
"""Nodes, times the effort: cores of a graph that may be perfect, solved by ϑ to the end."""
ROUNDED_UP_TO = 2500
"""Nodes: vectors come from a dense eigendecomposition."""
ROUNDINGS = 5
WALKED_DEGREE, MOST_STATES = 8, 200_000
"""Mean degree of the complement up to which a narrow order is tried, and its states."""


def solve_core(graph: Graph, search: Search, floor: int) -> Pair:
    """The pair of a core; a cover of ``floor`` cliques is as good as a smaller one."""
    core = Core(graph, search, floor)
    for step in (core.look, core.exhaust, core.bound, core.search_on, core.finish, core.dig):
        if core.done():
            break
        step()
    return core.pair()


class Core:
    """The best known of a core while it is searched; H is the complement, to be coloured."""

    def __init__(self, graph: Graph, search: Search, floor: int) -> None:
        self.graph, self.search, self.floor = graph, search, floor
        self.near, self.far = Lists(graph), Lists(complement_of(graph))
        # Where cliques are small a matching is a better start than greed.
        starts = (greedy_colors(self.far), matched_pairs(self.near))
        self.colors = min((np.unique(s, return_inverse=True)[1] for s in starts), key=np.max)
        self.chosen = combinatorial.independent_set(graph, np.ones(graph.n))
        self.lower, self.upper = 1, graph.n
        self.theta = (1.0, float(graph.n))
        self.proof = ""

    @property
    def size(self) -> int:
        """Cliques in the cover."""
        return int(self.colors.max()) + 1

    @property
    def least(self) -> int:
        """No cover is smaller, or need be."""
        return max(self.lower, len(self.chosen), self.floor)

    @property
    def most(self) -> int:
        """No independent set is larger."""
        return min(self.upper, self.size)

    def done(self) -> bool:
        """Whether what is wanted is proven, or time is up."""
        cover = not self.search.cover or self.size <= self.least
        chosen = not self.search.chosen or len(self.chosen) >= self.most
        return (cover and chosen) or self.search.late() or self.search.effort == 0

    def look(self) -> None:
        """Short searches: most graphs of a few hundred nodes are closed here."""
        self._exhaust_set(100_000)
        self._enlarge(self.search.briefly(2_000_000))
        self._recolor(self.search.briefly(20_000))

    def _enlarge(self, visits: int) -> None:
        # Where the cover is what is wanted the set is only one of its bounds.
        share = 1.0 if self.search.chosen else 0.1
        self.chosen = larger_set(
            self.near, self.chosen, most=self.most, visits=visits,
            state=self.search.state, late=self.search.share(share),
        )  # fmt: skip

    def _recolor(self, moves: int, share: float = 1.0) -> None:
        if self.search.cover:
            self.colors = fewer_colors(
                self.far, self.colors, least=self.least, moves=moves,
                state=self.search.state, late=self.search.share(share),
            )  # fmt: skip

    def exhaust(self) -> None:
        """Try all: is there a larger set, are ``least`` colours enough? Where that is cheap."""
        self._exhaust(self.search.briefly(300_000))

    def _exhaust(self, budget: int) -> None:
        self._exhaust_set(self._affordable(budget))
        if not self.search.cover:
            return
        while self.size > self.least and not self.search.late():
            k, colors = self.least, np.empty(self.graph.n, dtype=np.int64)
            work = self._affordable(budget)
            answer = self._walk_through(k, work // 100, colors)
            if answer < 0:
                answer = try_colors(
                    self.far.indptr, self.far.indices, self.chosen, k, work // 10, colors
                )
            if answer == 1:  # and k is a lower bound
                self.colors = np.unique(colors, return_inverse=True)[1]
            elif answer == 0:
                self.lower, self.proof = k + 1, "exhaustive search"
            else:
                return

    def _walk_through(self, k: int, states: int, colors: np.ndarray) -> int:
        """:func:`color_by_frontier` with the answers of :func:`try_colors`, on sparse graphs."""
        if len(self.far.indices) > WALKED_DEGREE * self.graph.n:
            return -1
        found = color_by_frontier(self.far, k, most=min(states, MOST_STATES))
        if found is None:
            return -1
        colors[:] = found
        return int(found is not False)

    def _exhaust_set(self, budget: int) -> None:
        if len(self.chosen) < self.most:
            self.chosen, proven = largest_clique(self.far, known=self.chosen, budget=budget)
            self.upper = len(self.chosen) if proven else self.upper

    def _affordable(self, work: int) -> int:
        """No more than there is time for, in the steps of :func:`try_colors`, ten a node."""
        return int(min(work, self.search.left() / (1e-9 * self.graph.n)))

    def bound(self) -> None:
        """ϑ and its kernel, which is rounded to covers."""
        time_limit = self.search.theta_limit()
        found = theta(self.graph, tol=TOL, time_limit=time_limit, stop=self.search.asked)
        self.theta = (found.lower, found.upper)
        if math.ceil(found.lower) > max(self.lower, len(self.chosen)):
            self.lower, self.proof = math.ceil(found.lower), "ϑ"
        self.upper = min(self.upper, math.floor(found.upper))
        if not self.done() and self.graph.n <= ROUNDED_UP_TO and self.search.cover:
            self._round(found.kernel.toarray())

    def _round(self, K: np.ndarray) -> None:
        adjacent, V = matrix_of(self.graph), factor(K)
        for _ in range(ROUNDINGS):
            clique = round_cover(adjacent, K, V, self.search.rng)
            if clique.max() < self.colors.max():
                self.colors = clique
            if self.search.late():
                return

    def search_on(self) -> None:
        """The middle search: with the bound known there may be little left to do."""
        self._enlarge(self.search.briefly(20_000_000))
        self._recolor(self.search.briefly(100_000))

    def finish(self) -> None:
        """Where ϑ is an integer the graph may be perfect: solve it by ϑ to the end."""
        t = math.floor(self.theta[1])
        if t - self.theta[0] > 0.5 or self.graph.n > PERFECT_UP_TO * self.search.effort:
            return
        found = perfect_pair(self.graph, search=self.search, known=self.chosen)
        if found is not None:
            self.chosen, self.colors = found

    def dig(self) -> None:
        """All that the effort allows, one after the other."""
        self._exhaust(self.search.briefly(5_000_000))
        self._enlarge(self.search.times(200_000_000))
        self._recolor(self.search.times(1_000_000), share=0.8)
        if not self.done():
            self._exhaust(self.search.times(30_000_000))

    def pair(self) -> Pair:
        """What is proven."""
        size, found = self.size, len(self.chosen)
        return Pair(
            self.chosen,
            self.colors,
            max(self.lower, found),
            min(self.upper, size),
            (max(self.theta[0], float(found)), min(self.theta[1], float(size))),
            frozenset({self.proof} if self.lower > found else ()),
        )
