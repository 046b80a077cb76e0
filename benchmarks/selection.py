"""Ways to choose the nodes to label that ``benchmarks/suggest.py`` compares.

A method is a function of a :class:`Task` and the budgets, and returns one array of rows per budget.
Sequential ones train the classifier of the task between rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import sparse

import lovasz
from lovasz.classify.design import choose_nodes
from lovasz.classify.problem import Problem
from lovasz.graphs import Graph
from lovasz.linalg.scaling import unit_rows
from lovasz.nn import Settings, train

SETTINGS = Settings(epochs=200, bias=True)
"""The classifier of all methods: a GCN with 16 hidden units, 200 epochs, no validation nodes."""
SKETCH = 256
"""Number of random projections in whose place wide features are compared."""
ACTIVE = 0.25
"""Grain: a node is activated if this share of its largest two-hop influence is from one label."""
RADIUS = 0.25
"""Grain: radius of the balls around activated nodes, of unit vectors."""
BASE = 0.995
"""AGE: how fast the weight of entropy grows with the number of labels."""


@dataclass
class Task:
    """One data set with a pool to choose from, and a seed."""

    graph: Graph
    features: np.ndarray | sparse.csr_array | None
    """Scaled features, or None."""
    y: np.ndarray
    pool: np.ndarray
    """Mask of the nodes that may be chosen; nodes of the test set are not among them."""
    tested: np.ndarray
    """The nodes of the test set."""
    seed: int
    classes: int
    trainings: int = field(default=0, init=False)
    """Number of networks that were trained in order to choose."""

    @cached_property
    def problem(self) -> Problem:
        nothing = np.full(self.graph.n, -1)
        return Problem(self.graph, np.arange(self.classes), nothing, self.features)

    def classifier(self, rows: np.ndarray) -> lovasz.LCNClassifier:
        """Fit the classifier on the labels of ``rows``."""
        codes = np.full(self.graph.n, -1)
        codes[rows] = self.y[rows]
        self.trainings += 1
        model = lovasz.LCNClassifier(
            "gcn", validation_fraction=0.0, random_state=self.seed, device="cpu"
        )
        return model.fit_problem(self.problem.with_codes(codes))

    def accuracies(self, chosen: Sequence[np.ndarray]) -> list[float]:
        """Train one network per set of labels, and return their accuracies on the test set."""
        test = self.tested
        found = train(
            self.problem.kernels.get("gcn"), self.y,
            [(rows, np.empty(0, dtype=np.int64)) for rows in chosen],
            features=self.features, classes=self.classes, settings=SETTINGS,
            seeds=[self.seed] * len(chosen), device="cpu",
        )  # fmt: skip
        return [float((run[test].argmax(1) == self.y[test]).mean()) for run in found.logits]

    @cached_property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    @cached_property
    def walk(self) -> sparse.csr_array:
        """Two steps of (D + I)⁻¹(A + I)."""
        A = sparse.csr_array(self.graph.adjacency + sparse.eye_array(self.graph.n))
        P = sparse.csr_array(sparse.diags_array(1 / A.sum(axis=1)) @ A)
        return sparse.csr_array(P @ P)

    @cached_property
    def smooth(self) -> np.ndarray:
        """Features after two steps, randomly projected if they are wide; X = I without features."""
        X = sparse.eye_array(self.graph.n, format="csr") if self.features is None else self.features
        if X.shape[1] > SKETCH:
            X = X @ np.random.default_rng(0).standard_normal((X.shape[1], SKETCH)) / SKETCH**0.5
        H = self.walk @ X
        return np.asarray(H.toarray() if sparse.issparse(H) else H, dtype=np.float32)


def random_nodes(task: Task, budgets: Sequence[int]) -> list[np.ndarray]:
    order = task.rng.permutation(np.flatnonzero(task.pool))
    return [order[:k] for k in budgets]


def highest(task: Task, score: np.ndarray, budgets: Sequence[int]) -> list[np.ndarray]:
    """Choose the nodes of highest score; equal ones are shuffled."""
    order = task.rng.permutation(np.flatnonzero(task.pool))
    order = order[np.argsort(-score[order], kind="stable")]
    return [order[:k] for k in budgets]


def degree(task: Task, budgets: Sequence[int]) -> list[np.ndarray]:
    return highest(task, task.graph.degrees, budgets)


def pagerank_scores(graph: Graph) -> np.ndarray:
    A, degrees = graph.adjacency, np.maximum(graph.degrees, 1)
    x = np.full(graph.n, 1 / graph.n)
    for _ in range(50):
        x = 0.85 * (A @ (x / degrees)) + 0.15 / graph.n
    return x


def pagerank(task: Task, budgets: Sequence[int]) -> list[np.ndarray]:
    return highest(task, pagerank_scores(task.graph), budgets)


def clique_cover(task: Task, budgets: Sequence[int]) -> list[np.ndarray]:
    """One node of each clique of a greedy cover, the largest cliques first.

    A clique grows from the uncovered node with the most neighbours by the neighbour that keeps the
    most candidates. Its node of highest degree in the pool is chosen.
    """
    A, left = task.graph.adjacency, set(range(task.graph.n))
    near = [{*A.indices[A.indptr[v] : A.indptr[v + 1]].tolist()} - {v} for v in range(task.graph.n)]
    tie = task.rng.permutation(task.graph.n)
    chosen: list[tuple[int, int, int]] = []
    for start in sorted(left, key=lambda v: (-len(near[v]), tie[v])):
        if start not in left:
            continue
        clique, candidates = [start], near[start] & left
        while candidates:
            best = max(candidates, key=lambda v: (len(near[v] & candidates), tie[v]))
            clique.append(best)
            candidates &= near[best]
        left -= {*clique}
        offered = [v for v in clique if task.pool[v]]
        if offered:
            node = max(offered, key=lambda v: (len(near[v]), tie[v]))
            chosen.append((-len(clique), int(tie[node]), node))
    order = np.array([node for *_, node in sorted(chosen)])
    return [order[:k] for k in budgets]


def independent_set(task: Task, budgets: Sequence[int]) -> list[np.ndarray]:
    """The first nodes of a greedy independent set: by degree, none beside one that was chosen."""
    A, free = task.graph.adjacency, task.pool.copy()
    found: list[int] = []
    for v in highest(task, task.graph.degrees, [int(task.pool.sum())])[0].tolist():
        if free[v]:
            found.append(v)
            free[A.indices[A.indptr[v] : A.indptr[v + 1]]] = False
        if len(found) == max(budgets):
            break
    return [np.array(found[:k]) for k in budgets]


def kmeans(H: np.ndarray, k: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the centres and the cluster of each row: k-means++ and at most 20 steps."""
    square = (H**2).sum(axis=1)
    centres, gap = [H[rng.integers(len(H))]], np.full(len(H), np.inf, dtype=np.float32)
    for _ in range(k - 1):
        last = centres[-1]
        gap = np.minimum(gap, np.maximum(square - 2 * H @ last + last @ last, 1e-12))
        centres.append(H[rng.choice(len(H), p=gap / gap.sum(dtype=np.float64))])
    C, before = np.array(centres), None
    for _ in range(20):
        label = ((C**2).sum(axis=1) - 2 * H @ C.T).argmin(axis=1)
        if before is not None and (label == before).all():
            break
        before = label
        member = sparse.csr_array((np.ones(len(H), np.float32), (label, np.arange(len(H)))),
                                  shape=(k, len(H)))  # fmt: skip
        size = np.bincount(label, minlength=k)[:, None]
        C = np.where(size > 0, (member @ H) / np.maximum(size, 1), C).astype(np.float32)
    return C, label


def featprop(task: Task, budgets: Sequence[int]) -> list[np.ndarray]:
    """K-medoids of propagated features (Wu et al., 2019): the pool node next to each centre."""
    H, pool = task.smooth, np.flatnonzero(task.pool)
    chosen = []
    for k in budgets:
        C, _ = kmeans(H, k, task.rng)
        gap = (C**2).sum(axis=1) + (H[pool] ** 2).sum(axis=1)[:, None] - 2 * H[pool] @ C.T
        rows: list[int] = []
        for column in range(k):
            gap[rows, column] = np.inf
            rows.append(int(gap[:, column].argmin()))
        chosen.append(pool[rows])
    return chosen


def grain(task: Task, budgets: Sequence[int]) -> list[np.ndarray]:
    """Coverage in the manner of Grain (Zhang et al., 2021), ball-D.

    A label activates the nodes on which its two-hop influence is large, relative to the largest
    influence on them. The number of activated nodes plus the number of nodes in balls around them
    is maximised greedily.
    """
    most = task.walk.max(axis=1).toarray().ravel()
    pairs = sparse.coo_array(task.walk)
    strong = pairs.data > ACTIVE * most[pairs.row]
    n = task.graph.n
    active = sparse.csr_array(
        (np.ones(strong.sum()), (pairs.col[strong], pairs.row[strong])), shape=(n, n)
    )
    inside = balls(unit_rows(task.smooth))

    def covered(m: sparse.csr_array, rows: np.ndarray) -> np.ndarray:
        return np.unique(np.concatenate([m.indices[m.indptr[v] : m.indptr[v + 1]] for v in rows]))

    jitter = 1e-3 * task.rng.random(n)  # decides between equal gains
    largest = np.where(task.pool, active @ (1 + np.diff(inside.indptr)) + 1, -np.inf)
    order: list[int] = []
    open_active, open_ball, bound = np.ones(n), np.ones(n), largest.copy()
    for _ in range(max(budgets)):
        while True:  # gains only fall, so a bound that is still the best after renewal is the best
            c = int(bound.argmax())
            a = covered(active, np.array([c]))
            b = covered(inside, a)
            bound[c] = open_active[a].sum() + open_ball[b].sum() + jitter[c]
            if bound[c] >= 1 and bound[c] >= bound.max():
                break
            if bound.max() < 1:  # everything is covered: cover it once more
                open_active[:], open_ball[:], bound = 1, 1, largest.copy()
                bound[order] = -np.inf
        order.append(c)
        open_active[a], open_ball[b], bound[c] = 0, 0, -np.inf
    return [np.array(order[:k]) for k in budgets]


def balls(U: np.ndarray, block: int = 2000) -> sparse.csr_array:
    """Return the pairs of unit vectors at most RADIUS apart."""
    least = 1 - RADIUS**2 / 2
    parts = [sparse.csr_array(U[i : i + block] @ U.T >= least) for i in range(0, len(U), block)]
    return sparse.csr_array(sparse.vstack(parts))


def rounds(budgets: Sequence[int], classes: int) -> list[int]:
    """Return the numbers of labels after each round: up to 5 per class one by one, then coarser."""
    steps = {classes * step for step in (1, 2, 3, 4, 5, 7, 10, 15, 20)}
    return sorted({k for k in steps if k <= max(budgets)} | {*budgets})


def in_rounds(
    task: Task,
    budgets: Sequence[int],
    start: Callable[[int], np.ndarray],
    more: Callable[[np.ndarray, int], np.ndarray],
) -> list[np.ndarray]:
    """Choose the first round by ``start(k)``, and each other by ``more(labelled, k)``."""
    kept: dict[int, np.ndarray] = {}
    rows = np.empty(0, dtype=np.int64)
    for k in rounds(budgets, task.classes):
        new = start(k) if not len(rows) else more(rows, k - len(rows))
        kept[k] = rows = np.concatenate([rows, new])
    return [kept[k] for k in budgets]


def random_start(task: Task) -> Callable[[int], np.ndarray]:
    return lambda k: random_nodes(task, [k])[0]


def entropy(P: np.ndarray) -> np.ndarray:
    return -(P * np.log(np.maximum(P, 1e-12))).sum(axis=1)


def best_left(task: Task, score: np.ndarray, rows: np.ndarray, k: int) -> np.ndarray:
    left = task.pool.copy()
    left[rows] = False
    return np.argsort(-np.where(left, score, -np.inf), kind="stable")[:k]


def uncertainty(task: Task, budgets: Sequence[int]) -> list[np.ndarray]:
    def more(rows: np.ndarray, k: int) -> np.ndarray:
        return best_left(task, entropy(task.classifier(rows).predict_proba()), rows, k)

    return in_rounds(task, budgets, random_start(task), more)


def age(task: Task, budgets: Sequence[int]) -> list[np.ndarray]:
    """AGE (Cai, Zheng and Chang, 2017): percentiles of entropy, density and PageRank."""
    centrality = percentile(pagerank_scores(task.graph))

    def more(rows: np.ndarray, k: int) -> np.ndarray:
        model = task.classifier(rows)
        logits = np.asarray(model.logits_, dtype=np.float32)
        C, label = kmeans(logits, task.classes, task.rng)
        density = percentile(-((logits - C[label]) ** 2).sum(axis=1))
        unsure = percentile(entropy(model.predict_proba()))
        share = task.rng.beta(1, 1.005 - BASE ** len(rows))
        score = share * unsure + (1 - share) / 2 * (density + centrality)
        return best_left(task, score, rows, k)

    return in_rounds(task, budgets, random_start(task), more)


def percentile(values: np.ndarray) -> np.ndarray:
    """Return the share of values that are smaller."""
    return np.searchsorted(np.sort(values), values) / len(values)


def suggest_before(task: Task, budgets: Sequence[int]) -> list[np.ndarray]:
    """``lovasz.suggest``, once for each budget."""
    barred = np.flatnonzero(~task.pool).tolist()
    return [
        np.array(
            lovasz.suggest(
                task.graph, k, features=task.features, exclude=barred, seed=task.seed
            ).nodes
        )
        for k in budgets
    ]


def suggest_rounds(task: Task, budgets: Sequence[int]) -> list[np.ndarray]:
    """``lovasz.suggest`` for the first round, then ``clf.suggest``."""
    barred = np.flatnonzero(~task.pool).tolist()

    _ = task.problem.node_vectors  # computed once, as in an app that holds the problem

    def more(rows: np.ndarray, k: int) -> np.ndarray:
        return np.array(task.classifier(rows).suggest(k, exclude=barred).nodes)

    return in_rounds(task, budgets, lambda k: suggest_before(task, [k])[0], more)


def ablation(share: float) -> Callable[[Task, Sequence[int]], list[np.ndarray]]:
    """``lovasz.suggest`` with another share of information beside coverage."""

    def choose(task: Task, budgets: Sequence[int]) -> list[np.ndarray]:
        rows = choose_nodes(
            task.problem.node_vectors, np.ones(task.graph.n), max(budgets),
            known=np.empty(0, dtype=np.int64), allowed=task.pool,
            must_cover=[], seed=task.seed, share=share,
        )  # fmt: skip
        order = np.array([row for row, _ in rows])
        return [order[:k] for k in budgets]

    return choose


def kernel_variance(task: Task, budgets: Sequence[int]) -> list[np.ndarray]:
    """The least posterior variance of a Gaussian process whose covariance is K_LS."""
    K = lovasz.kernel(task.graph, "ls").toarray()
    Z = np.linalg.cholesky(K + 1e-6 * np.eye(task.graph.n))  # K_LS is only semidefinite
    rows = choose_nodes(
        Z, np.ones(task.graph.n), max(budgets), known=np.empty(0, dtype=np.int64),
        allowed=task.pool, must_cover=[], seed=task.seed, share=1e6,
    )  # fmt: skip
    order = np.array([row for row, _ in rows])
    return [order[:k] for k in budgets]


METHODS: dict[str, Callable[[Task, Sequence[int]], list[np.ndarray]]] = {
    "suggest": suggest_before,
    "suggest in rounds": suggest_rounds,
    "random": random_nodes,
    "degree": degree,
    "pagerank": pagerank,
    "featprop": featprop,
    "grain": grain,
    "uncertainty": uncertainty,
    "age": age,
    "coverage only": ablation(0.0),
    "information only": ablation(1e6),
    "clique cover": clique_cover,
    "independent set": independent_set,
    "variance of K_LS": kernel_variance,
}
"""All methods; the first two are ours, and "… only" are the halves of the first."""
OURS = ("suggest", "suggest in rounds")
"""The methods of this library."""
