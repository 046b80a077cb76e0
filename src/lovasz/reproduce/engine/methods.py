"""The methods of the paper's tables, all through the same protocol.

A method is prepared once a graph (its kernel is computed then) and scored on many splits. Every
method tries the settings of one grid and each split keeps the one that does best on its
validation nodes; the networks share their grid, the support vector machines theirs, of the same
size (SPORE's is half as large).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.classify.evaluation import Split
from lovasz.graphs import Graph

if TYPE_CHECKING:
    from lovasz.nn import Settings, Training

Setting = Mapping[str, Any]
GRID: tuple[Setting, ...] = tuple(
    {"lr": rate, **regularisation}
    for rate in (0.01, 0.002, 0.05, 0.2)
    for regularisation in (
        {"weight_decay": 5e-4, "dropout": 0.5},
        {"weight_decay": 5e-5, "dropout": 0.0},
    )
)
"""Of the networks: the paper's rate, two faster ones and a slower, each with the paper's
regularisation and with nearly none; hidden 16 and 200 epochs are the paper's throughout. Kernels
differ in scale by orders of magnitude, and so do the rates that suit them."""
RELEASED = GRID[:1]
"""The hyper-parameters of the paper's released code."""
MACHINE_GRID = (1.0, 0.001, 0.01, 0.1, 10.0, 100.0, 1e3, 1e4)
"""C of the support vector machines, for kernels whose diagonal is about 1."""
SPORE_GRID = tuple((C, anchor) for C in (1.0, 10.0) for anchor in (0.0, 1.0))
"""C, and how hard SPORE holds on to K_LS, where it starts; 0 is its own problem. Half as many
settings as the others have: each takes an eigendecomposition an iteration."""
TOGETHER_ON_CPU = 100_000
"""Nodes times runs. On graphs of UCI and MNIST, all within this, the batch was hardly ever slower
than its settings one by one, and mostly faster."""
SPORE_ITERATIONS = 40
SPORE_ON_GPU = 600
"""Nodes. A smaller eigendecomposition is left to the CPU, so that the cells that run beside each
other do not all wait for one GPU."""
NAMES = {
    "gcn": "GCN",
    "gcn-raw": "GCN, raw A",
    "gpnn": "GPNN",
    "lcn": "LCN",
    "lcn-ls": "LCN (LS)",
    "lcn-best": "LCN (best of two)",
    "un-lap": "Un-Lap",
    "n-lap": "N-Lap",
    "ks": "KS",
    "spore": "SPORE",
    "node2vec": "Node2vec",
    "bayes": "Bayes-optimal",
}
"""As the page writes them. No methods of their own here: "lcn-best", the better of the two LCNs on
validation, and "bayes", which only block models have."""


@dataclass(frozen=True)
class Scores:
    """A method on B splits: on validation, to choose by, and on test, to report."""

    test: np.ndarray
    validation: np.ndarray
    loss: np.ndarray
    """On validation; breaks ties of accuracy."""
    setting: tuple[str, ...]
    """What was chosen."""

    def as_json(self) -> dict[str, Any]:
        """In per cent, as the paper writes accuracies."""
        return {
            "test": [round(100 * float(a), 2) for a in self.test],
            "validation": [round(100 * float(a), 2) for a in self.validation],
            "loss": [round(float(a), 4) for a in self.loss],
            "setting": list(self.setting),
        }


def best(tried: Sequence[Scores]) -> Scores:
    """Of several settings the best on validation, split by split; of equals the first."""
    choice = chosen_runs(np.stack([s.validation for s in tried]), np.stack([s.loss for s in tried]))

    def picked(values: str) -> list[Any]:
        return [getattr(tried[c], values)[b] for b, c in enumerate(choice)]

    return Scores(
        np.array(picked("test")),
        np.array(picked("validation")),
        np.array(picked("loss")),
        tuple(picked("setting")),
    )


def chosen_runs(validation: np.ndarray, loss: np.ndarray) -> np.ndarray:
    """(B,) of settings (S, B) the best on validation, then by loss; of equals the first."""
    return np.lexsort((loss, -validation), axis=0)[0]  # the last key counts most; it is stable


@dataclass(frozen=True)
class Prepared:
    """A method on one graph: what it propagates with, and facts worth keeping."""

    tried: Callable[..., list[Scores]]
    """(y, splits, features=, seed=, grid=, settings=) -> the scores of each setting of the grid."""
    facts: dict[str, Any] = field(default_factory=dict)
    kernel: Any = None

    def score(self, y: np.ndarray, splits: Sequence[Split], **options: Any) -> Scores:
        """The setting that each split chooses on its validation nodes."""
        return best(self.tried(y, splits, **options))


def prepare(method: str, graph: Graph, *, device: str = "auto", **options: Any) -> Prepared:
    """The method ``method`` on ``graph``.

    ``options`` are those of the Lovász kernel (choice, gap, time_limit) and of the LS kernel
    (weights); a method takes what concerns it.
    """
    if method in ("gcn", "gcn-raw", "lcn-ls", "lcn", "node2vec"):
        return _network(method, graph, device, options)
    if method == "gpnn":
        return _gpnn(graph, device)
    if method == "spore":
        return _spore(graph, device)
    if method in _MACHINES:
        return _machine(method, graph)
    raise LovaszError(f"unknown method {method!r}; known: {', '.join(NAMES)}")


def _network(method: str, graph: Graph, device: str, options: dict[str, Any]) -> Prepared:
    from lovasz.kernels import kernel
    from lovasz.kernels.optimal import optimal

    facts: dict[str, Any] = {}
    if method == "lcn":
        found = optimal(graph, device=device, **options)
        K = found.kernel
        facts["theta"] = [found.lower, found.upper]
    elif method == "node2vec":
        K = _walked(graph, centred=options.get("centred", False))
    else:
        name = {"gcn": "gcn", "gcn-raw": "adjacency", "lcn-ls": "ls"}[method]
        K = kernel(graph, name, **{k: v for k, v in options.items() if k == "weights"})
    return on_kernel(K, device, facts)


def on_kernel(K: Any, device: str, facts: dict[str, Any]) -> Prepared:
    """The network that propagates with ``K``."""
    from lovasz.nn import train

    return Prepared(_trained(partial(train, K), device), facts, K)


def _trained(fit: Callable[..., Training], device: str) -> Callable[..., list[Scores]]:
    """Networks as ``fit(y, [(train, validation), …], …)`` trains them; run b has seed + b.

    The settings of the grid are one batch where that is :func:`together`; a run comes out the
    same alone and in it.
    """

    def tried(
        y: np.ndarray,
        splits: Sequence[Split],
        *,
        features: Any = None,
        seed: int = 0,
        grid: Sequence[Setting] = GRID,
        settings: Settings | None = None,
    ) -> list[Scores]:
        from lovasz.nn import Settings

        settings = settings or Settings()
        pairs = [(split.train, split.validation) for split in splits]
        seeds = [seed + b for b in range(len(splits))]
        common = {"features": features, "device": device}
        if together(device, len(y) * len(splits) * len(grid)):
            trained = grid_runs(partial(fit, y, **common), pairs, seeds, grid, settings)
        else:
            trained = [
                fit(y, pairs, seeds=seeds, settings=replace(settings, **setting), **common)
                for setting in grid
            ]
        return [
            network_scores(one, y, splits, setting)
            for one, setting in zip(trained, grid, strict=True)
        ]

    return tried


def together(device: str, rows: int) -> bool:
    """Whether to train the settings of a grid as one batch, of so many nodes times runs.

    On a GPU always: it is what fills it. On a CPU while what is computed fits its caches.
    """
    from lovasz.base.device import pick_device

    return rows <= TOGETHER_ON_CPU or pick_device(device).type == "cuda"


def grid_runs(
    fit: Callable[..., Training],
    pairs: Sequence[Any],
    seeds: Sequence[int],
    grid: Sequence[Setting],
    settings: Settings,
) -> list[Training]:
    """A training of all splits for each setting: one batch, its runs setting by setting."""
    count = len(pairs)

    def column(name: str) -> list[float]:
        return [setting[name] for setting in grid for _ in range(count)]

    trained = fit(
        [*pairs] * len(grid),
        seeds=[*seeds] * len(grid),
        settings=replace(
            settings,
            lr=column("lr"),
            weight_decay=[column("weight_decay")],
            dropout=column("dropout"),
        ),
    )
    return [trained.part(slice(i * count, (i + 1) * count)) for i in range(len(grid))]


def _walked(graph: Graph, *, centred: bool = False) -> Any:
    """Z Zᵀ of node2vec's vectors with rows of length one; ``centred``: less their mean first."""
    from lovasz.kernels.node2vec import node2vec_vectors, unit_rows
    from lovasz.nn import LowRank

    vectors = node2vec_vectors(graph)
    return LowRank(unit_rows(vectors - vectors.mean(axis=0) if centred else vectors))


def _gpnn(graph: Graph, device: str) -> Prepared:
    from lovasz.baselines.gpnn import train_gpnn

    return Prepared(_trained(partial(train_gpnn, graph), device))


def network_scores(
    trained: Training, y: np.ndarray, splits: Sequence[Split], setting: Mapping[str, Any]
) -> Scores:
    """The scores of trained networks, one a split."""
    answers = trained.logits.argmax(-1)
    runs = np.arange(len(splits))
    at = (trained.best_epoch - 1, runs)
    return Scores(
        np.array([(answers[b][s.test] == y[s.test]).mean() for b, s in enumerate(splits)]),
        trained.validation_accuracy[at],
        trained.validation_loss[at],
        (describe(setting),) * len(splits),
    )


def describe(setting: Setting) -> str:
    """A setting of the grid in words."""
    return "rate {lr:g}, L2 {weight_decay:g}, dropout {dropout:g}".format_map(setting)


_MACHINES = {"un-lap": "laplacian", "n-lap": "normalized-laplacian", "ks": "k-scaling"}


def _machine(method: str, graph: Graph) -> Prepared:
    from lovasz.kernels import kernel

    K = kernel(graph, _MACHINES[method]).toarray()
    # The diagonal of (I + L)⁻¹ is about 1/degree: as it is, every α would stop at C. C · s with K
    # is C with s K, so this only makes one grid fit all. Isolated nodes have 1: hence the median.
    K /= np.median(K.diagonal())

    def tried(y: np.ndarray, splits: Sequence[Split], **_: Any) -> list[Scores]:
        from lovasz.classify.svm import Factor

        factors = [Factor.of(K, np.sort(split.train)) for split in splits]

        def fitted(C: float) -> Scores:
            answers = []
            for factor, split in zip(factors, splits, strict=True):
                classes, codes = np.unique(y[np.sort(split.train)], return_inverse=True)
                answers.append(classes[factor.decide(codes, C).argmax(1)])
            return answer_scores(answers, y, splits, f"C {C:g}")

        return [fitted(C) for C in MACHINE_GRID]

    return Prepared(tried, {}, K)


def _spore(graph: Graph, device: str) -> Prepared:
    """β is the theory's; one kernel a split, setting and class."""
    from lovasz.baselines.spore import theory

    _, beta = theory(graph, 1, C=1.0, device=device)
    place = "cpu" if graph.n < SPORE_ON_GPU else device

    def tried(y: np.ndarray, splits: Sequence[Split], **_: Any) -> list[Scores]:
        from lovasz.baselines.spore import SPOREClassifier

        def fitted(C: float, anchor: float) -> Scores:
            answers = []
            for split in splits:
                known = np.full(len(y), -1)
                known[split.train] = y[split.train]
                machine = SPOREClassifier(
                    C, beta, anchor=anchor, iterations=SPORE_ITERATIONS, device=place
                )
                answers.append(machine.fit(graph, known).predict())
            return answer_scores(answers, y, splits, f"C {C:g}, anchor {anchor:g}")

        return [fitted(*setting) for setting in SPORE_GRID]

    return Prepared(tried, {"beta": beta})


def answer_scores(
    answers: Sequence[np.ndarray], y: np.ndarray, splits: Sequence[Split], setting: str
) -> Scores:
    """The scores of labels given to every node, one array a split."""

    def accuracy(part: str) -> np.ndarray:
        nodes = [getattr(split, part) for split in splits]
        return np.array([(a[i] == y[i]).mean() for a, i in zip(answers, nodes, strict=True)])

    return Scores(
        accuracy("test"), accuracy("validation"), np.zeros(len(splits)), (setting,) * len(splits)
    )


def released_and_tuned(
    method: Prepared, y: np.ndarray, splits: Sequence[Split], *, seed: int, quick: bool
) -> dict[str, dict[str, Any]]:
    """Scores with the released settings and with those that validation chooses, as JSON.

    Run b on the graph or labelling number ``seed`` has the seed 100 ``seed`` + b.
    """
    tried = method.tried(y, splits, seed=100 * seed, grid=RELEASED if quick else GRID)
    return {"released": tried[0].as_json(), "tuned": best(tried).as_json()}
