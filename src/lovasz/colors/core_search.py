"""The search on a core, a graph that is connected, co-connected and not reducible.

It searches locally, bounds by ϑ, searches again, and tries all possibilities at the end.
"""

from __future__ import annotations

import math

import numpy as np

from lovasz.colors.exact import TINY, exhaustive_steps, largest_clique, try_colors
from lovasz.colors.gaussian_rounding import adjacency_mask, gram_vectors, round_cover
from lovasz.colors.greedy import greedy_colors, matched_pairs
from lovasz.colors.independent_set_search import enlarge_set
from lovasz.colors.pathwidth import color_by_pathwidth
from lovasz.colors.perfect import perfect_pair
from lovasz.colors.search_control import SearchControl
from lovasz.colors.set_and_cover import SetAndCover
from lovasz.colors.tabu import fewer_colors
from lovasz.graphs import Graph
from lovasz.graphs.adjacency_lists import AdjacencyLists
from lovasz.graphs.operations import complement_of
from lovasz.number import theta
from lovasz.number.reduction import combinatorial

TOL = 1e-4
"""Relative gap of ϑ. A smaller one is no use because the bounds are rounded to integers."""
PERFECT_UP_TO = 300
"""Number of nodes, times the effort, up to which ϑ alone solves a core that may be perfect."""
ROUNDED_UP_TO = 2500
"""Number of nodes up to which the kernel is rounded, which takes a dense eigendecomposition."""
ROUNDINGS = 5
"""Number of covers rounded from one kernel."""
WALKED_DEGREE = 8
"""Mean degree of the complement up to which :func:`color_by_pathwidth` is tried."""
MOST_STATES = 200_000
"""Largest number of states of :func:`color_by_pathwidth`."""


def search_core(graph: Graph, search: SearchControl, floor: int) -> SetAndCover:
    """The set and the cover of a core.

    A cover of ``floor`` cliques is as good as a smaller one.
    """
    core = CoreSearch(graph, search, floor)
    if graph.n <= TINY and not core.done():  # solves it before compiled code is loaded
        core.exhaust()
    for step in (core.look, core.exhaust, core.bound, core.search_on, core.finish, core.dig):
        if core.done():
            break
        step()
    return core.pair()


class CoreSearch:
    """The best set and cover known while a core is searched. ``far`` is the complement."""

    def __init__(self, graph: Graph, search: SearchControl, floor: int) -> None:
        self.graph, self.search, self.floor = graph, search, floor
        self.near, self.far = AdjacencyLists(graph), AdjacencyLists(complement_of(graph))
        # If cliques are small, a matching is a better start than a greedy colouring.
        starts = (greedy_colors(self.far), matched_pairs(self.near))
        self.colors = min((np.unique(s, return_inverse=True)[1] for s in starts), key=np.max)
        self.chosen = combinatorial.greedy_independent_set(graph, np.ones(graph.n))
        self.lower, self.upper = 1, graph.n
        self.theta = (1.0, float(graph.n))
        self.proof = ""

    @property
    def size(self) -> int:
        """Number of cliques in the cover."""
        return int(self.colors.max()) + 1

    @property
    def least(self) -> int:
        """A cover of this size is good enough, because it is optimal or reaches the floor."""
        return max(self.lower, len(self.chosen), self.floor)

    @property
    def most(self) -> int:
        """A bound on the size of every independent set."""
        return min(self.upper, self.size)

    def done(self) -> bool:
        """Whether the wanted answers are proven optimal, or time is up."""
        cover = not self.search.cover or self.size <= self.least
        chosen = not self.search.chosen or len(self.chosen) >= self.most
        return (cover and chosen) or self.search.late() or self.search.effort == 0

    def look(self) -> None:
        """Search briefly, which is enough for most graphs of a few hundred nodes."""
        self._exhaust_set(100_000)
        self._enlarge(self.search.briefly(2_000_000))
        self._recolor(self.search.briefly(20_000))

    def _enlarge(self, visits: int) -> None:
        # If only the cover is wanted, the set is just one of its bounds.
        share = 1.0 if self.search.chosen else 0.1
        self.chosen = enlarge_set(
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
        """Try exhaustively, within a small budget, for a larger set and for ``least`` cliques."""
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
                steps = exhaustive_steps(self.graph.n, work // 10)
                answer = try_colors.within(steps)(
                    self.far.indptr, self.far.indices, self.chosen, k, work // 10, colors
                )
            if answer == 1:  # optimal, because k is a lower bound
                self.colors = np.unique(colors, return_inverse=True)[1]
            elif answer == 0:
                self.lower, self.proof = k + 1, "exhaustive search"
            else:
                return

    def _walk_through(self, k: int, states: int, colors: np.ndarray) -> int:
        """Run :func:`color_by_pathwidth` if the graph is sparse; answer as :func:`try_colors`."""
        if len(self.far.indices) > WALKED_DEGREE * self.graph.n:
            return -1
        found = color_by_pathwidth(self.far, k, most=min(states, MOST_STATES))
        if found is None:
            return -1
        colors[:] = found
        return int(found is not False)

    def _exhaust_set(self, budget: int) -> None:
        if len(self.chosen) < self.most:
            self.chosen, proven = largest_clique(self.far, known=self.chosen, budget=budget)
            self.upper = len(self.chosen) if proven else self.upper

    def _affordable(self, work: int) -> int:
        """``work``, or less if there is no time for it, assuming 1 ns per step and node."""
        return int(min(work, self.search.left() / (1e-9 * self.graph.n)))

    def bound(self) -> None:
        """Bound by ϑ, and round its kernel to covers."""
        time_limit = self.search.theta_limit()
        found = theta(
            self.graph, tol=TOL, time_limit=time_limit, stop=self.search.asked,
            proven=True,
        )  # fmt: skip
        self.theta = (found.lower, found.upper)
        if math.ceil(found.lower) > max(self.lower, len(self.chosen)):
            self.lower, self.proof = math.ceil(found.lower), "ϑ"
        self.upper = min(self.upper, math.floor(found.upper))
        if not self.done() and self.graph.n <= ROUNDED_UP_TO and self.search.cover:
            self._round(found.kernel.toarray())

    def _round(self, K: np.ndarray) -> None:
        adjacent, V = adjacency_mask(self.graph), gram_vectors(K)
        for _ in range(ROUNDINGS):
            clique = round_cover(adjacent, K, V, self.search.rng)
            if clique.max() < self.colors.max():
                self.colors = clique
            if self.search.late():
                return

    def search_on(self) -> None:
        """Search longer, now that ϑ may have closed most of the gap."""
        self._enlarge(self.search.briefly(20_000_000))
        self._recolor(self.search.briefly(100_000))

    def finish(self) -> None:
        """Solve by ϑ alone if the bounds allow ϑ to be an integer, as it is for perfect graphs."""
        t = math.floor(self.theta[1])
        if t - self.theta[0] > 0.5 or self.graph.n > PERFECT_UP_TO * self.search.effort:
            return
        found = perfect_pair(self.graph, search=self.search, known=self.chosen)
        if found is not None:
            self.chosen, self.colors = found

    def dig(self) -> None:
        """Run every search with all the work that the effort allows."""
        self._exhaust(self.search.briefly(5_000_000))
        self._enlarge(self.search.times(200_000_000))
        self._recolor(self.search.times(1_000_000), share=0.8)
        if not self.done():
            self._exhaust(self.search.times(30_000_000))

    def pair(self) -> SetAndCover:
        """The set, the cover, and the bounds that are proven."""
        size, found = self.size, len(self.chosen)
        return SetAndCover(
            self.chosen,
            self.colors,
            max(self.lower, found),
            min(self.upper, size),
            (max(self.theta[0], float(found)), min(self.theta[1], float(size))),
            frozenset({self.proof} if self.lower > found else ()),
        )
