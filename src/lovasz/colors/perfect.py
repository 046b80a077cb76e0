"""Perfect graphs in polynomial time, by ϑ alone (Grötschel, Lovász and Schrijver 1981, 1988).

In a perfect graph α(G, w) = ϑ(G, w) for all weights, so a ϑ known to ½ tells α for integers w.

*A largest set*: take a node v. If α(G − N[v]) = α(G) − w_v, then v is in a largest set, and its
neighbours are removed. Otherwise v is removed. This takes one test per node.

*A clique that meets all largest sets* exists: one of a cover by α cliques. Let S₁, …, S_t be
some of the largest sets and w(v) the number of those that contain v. A clique meets each of
them once at most, so one of weight t meets them all, and a heaviest clique, a heaviest set of
the perfect Ḡ, is one. If α(G − Q) = α − 1, then Q meets all largest sets, also the unknown ones.
Otherwise a largest set of G − Q becomes S_{t+1}. Its characteristic vector x is linearly
independent of the earlier ones x_i: if x = Σ λ_i x_i, the sum of the entries gives α = α Σ λ_i
and the product with the vector of Q gives 0 = Σ λ_i. So this ends after n sets.

*A cover*: such a clique Q together with a cover of G − Q by α − 1 cliques.

Nothing here relies on the graph being perfect, or on ϑ: the answer is a set and a cover of the
same size, which prove each other optimal, or None.
"""

from __future__ import annotations

import math

import numpy as np

from lovasz.colors.independent_set_search import enlarge_set
from lovasz.colors.search_control import SearchControl
from lovasz.graphs import Graph
from lovasz.graphs.adjacency_lists import AdjacencyLists
from lovasz.graphs.operations import complement_of, induced
from lovasz.number import theta

TRIES = 20
"""Number of greedy cliques tried before ϑ is asked for a heaviest one."""
VISITS = 1_000_000
"""Number of neighbours that local search visits before ϑ is asked for a largest set."""


def perfect_pair(
    graph: Graph,
    *,
    search: SearchControl | None = None,
    known: np.ndarray | None = None,
    shortcuts: bool = True,
) -> tuple[np.ndarray, np.ndarray] | None:
    """A largest independent set and a clique cover of its size, or None if none was found.

    For perfect graphs they are always found, given time. Without ``shortcuts`` ϑ alone decides.
    With them sets and cliques are guessed first, and ϑ is asked if the guess fails. If ``known``
    is a largest independent set, it is used.
    """
    run = PerfectSolver(search or SearchControl(), shortcuts)
    try:
        return run.pair(graph, known)
    except _ImperfectError:
        return None


class _ImperfectError(Exception):
    """The graph behaves as no perfect graph does, or no time is left."""


class PerfectSolver:
    """The algorithm of the module, with a count of the ϑ it computes."""

    def __init__(self, search: SearchControl, shortcuts: bool) -> None:
        self.search, self.shortcuts = search, shortcuts
        self.asked = 0
        """Number of times that ϑ was computed."""

    def pair(self, graph: Graph, known: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """A largest set and a cover of the same size."""
        clique, left = np.full(graph.n, -1), np.arange(graph.n)
        alpha = self.number(graph, np.ones(graph.n))
        chosen = known if known is not None and len(known) == alpha else self.largest(graph)
        sets = [frozenset(chosen.tolist())]
        for count in range(alpha):
            part = induced(graph, left)
            place = {int(v): i for i, v in enumerate(left)}
            inside = [np.array(sorted(place[v] for v in s)) for s in sets]
            taken, inside = self.meeting_clique(part, alpha - count, inside)
            clique[left[taken]] = count
            gone = set(left[taken].tolist())
            # Without its node in Q, a largest set of G is a largest set of G − Q.
            sets = list({frozenset(left[s].tolist()) - gone: None for s in inside})
            left = np.flatnonzero(clique < 0)
        if left.size:
            raise _ImperfectError
        return chosen, clique

    def number(self, graph: Graph, w: np.ndarray) -> int:
        """α(G, w) for a perfect graph and integers w."""
        if graph.n == 0:
            return 0
        if self.search.late():
            raise _ImperfectError
        self.asked += 1
        found = theta(graph, tol=0.2 / w.sum(), weights=w, stop=self.search.late, proven=True)
        alpha = math.floor(found.upper)
        if found.upper - found.lower > 0.5 or alpha < found.lower:
            raise _ImperfectError
        return alpha

    def largest(self, graph: Graph, alpha: int | None = None) -> np.ndarray:
        """A largest independent set."""
        if self.shortcuts and alpha is not None:
            found = self.guess_set(graph, alpha)
            if len(found) == alpha:
                return found
        return self.heaviest(graph, np.ones(graph.n))

    def heaviest(self, graph: Graph, w: np.ndarray) -> np.ndarray:
        """An independent set of largest weight, by self-reduction."""
        alpha, left, chosen = self.number(graph, w), np.arange(graph.n), []
        while left.size and alpha > 0:
            v, rest = int(left[0]), left[1:]
            row = graph.adjacency.indices[slice(*graph.adjacency.indptr[v : v + 2])]
            apart = rest[~np.isin(rest, row)]
            if self.number(induced(graph, apart), w[apart]) == alpha - w[v]:
                chosen.append(v)
                alpha, left = alpha - int(w[v]), apart
            else:
                left = rest
        if alpha != 0:
            raise _ImperfectError
        return np.array(chosen, dtype=np.int64)

    def meeting_clique(
        self, graph: Graph, alpha: int, sets: list[np.ndarray]
    ) -> tuple[np.ndarray, list[np.ndarray]]:
        """A clique that meets all largest sets, and the largest sets known, ``sets`` included."""
        for _ in range(graph.n + 1):
            taken = self.clique_through(graph, sets)
            rest = np.setdiff1d(np.arange(graph.n), taken)
            part = induced(graph, rest)
            if self.shortcuts:
                found = self.guess_set(part, alpha)
                if len(found) == alpha:
                    sets.append(rest[found])
                    continue
            if self.number(part, np.ones(part.n)) == alpha - 1:
                return taken, sets
            sets.append(rest[self.largest(part)])
            if len(sets[-1]) != alpha:
                raise _ImperfectError
        raise _ImperfectError

    def clique_through(self, graph: Graph, sets: list[np.ndarray]) -> np.ndarray:
        """A maximal clique with a node of each of the sets."""
        w = np.zeros(graph.n)
        for s in sets:
            w[s] += 1
        adjacent = graph.adjacency.toarray() != 0
        for _ in range(TRIES if self.shortcuts else 0):
            taken = _extend(adjacent, [], w + self.search.rng.random(graph.n))
            if w[taken].sum() == len(sets):
                return np.sort(taken)
        rows = np.flatnonzero(w)
        heavy = rows[self.heaviest(complement_of(induced(graph, rows)), w[rows])]
        if w[heavy].sum() != len(sets):
            raise _ImperfectError
        return np.sort(_extend(adjacent, heavy.tolist(), w))

    def guess_set(self, graph: Graph, size: int) -> np.ndarray:
        """A large independent set; the search stops at ``size`` nodes."""
        if graph.n == 0:
            return np.zeros(0, dtype=np.int64)
        return enlarge_set(
            AdjacencyLists(graph), np.zeros(0, dtype=np.int64), most=size, visits=VISITS,
            state=self.search.state, late=self.search.late,
        )  # fmt: skip


def _extend(adjacent: np.ndarray, members: list[int], score: np.ndarray) -> np.ndarray:
    """The clique enlarged by every node that fits, in the order of falling score."""
    fits = np.asarray(adjacent[members].all(axis=0))
    order = np.argsort(-score, kind="stable")
    members = list(members)
    for v in order:
        if fits[v]:
            members.append(int(v))
            fits &= adjacent[v]
    return np.array(members)
