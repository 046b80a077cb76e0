"""The methods of the paper's tables, all with the same protocol.

A method is prepared once per graph, when its kernel is computed, and then scored on many splits.
Every method tries the settings of a grid, and each split keeps the setting that does best on its
validation nodes. All networks share one grid, and the support vector machines share another one of
the same size; the grid of SPORE is half as large.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.classify.splits import Split
from lovasz.graphs import Graph

if TYPE_CHECKING:
    from lovasz.nn import Settings, Training

Setting = Mapping[str, Any]
"""Values of fields of :class:`lovasz.nn.Settings`."""
GRID: tuple[Setting, ...] = tuple(
    {"lr": rate, **regularisation}
    for rate in (0.01, 0.002, 0.05, 0.2)
    for regularisation in (
        {"weight_decay": 5e-4, "dropout": 0.5},
        {"weight_decay": 5e-5, "dropout": 0.0},
    )
)
"""The grid of the networks: the paper's learning rate, two higher ones and a lower one, each with
the paper's regularisation and with almost none. All have the paper's 16 hidden units and 200
epochs. The scales of the kernels differ by orders of magnitude, and so do the best rates."""
BATCHED = frozenset({"lr", "weight_decay", "dropout"})
"""The settings that may differ between the runs of one batch."""
RELEASED = GRID[:1]
"""The hyper-parameters of the paper's released code, as a grid of one setting."""
MACHINE_GRID = (1.0, 0.001, 0.01, 0.1, 10.0, 100.0, 1e3, 1e4)
"""Values of C for the support vector machines, for kernels whose diagonal is about 1."""
SPORE_GRID = tuple((C, anchor) for C in (1.0, 10.0) for anchor in (0.0, 1.0))
"""Values of C and of the weight that anchors SPORE to its start K_LS; 0 is SPORE's own problem. The
grid has half as many settings as the others, because SPORE takes one eigendecomposition per
iteration."""
TOGETHER_ON_CPU = 100_000
"""Up to this number of nodes times runs, a grid is trained as one batch on a CPU. On the graphs of
UCI and MNIST, which are all smaller, the batch was rarely slower than single settings and mostly
faster."""
SPORE_ITERATIONS = 40
"""Number of iterations of SPORE."""
SPORE_ON_GPU = 600
"""Number of nodes from which SPORE uses the GPU. Smaller eigendecompositions run on the CPU, so
that cells that run at the same time do not all wait for one GPU."""
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
"""Method -> its name on the page. :func:`prepare` does not know two of them: "lcn-best" is the
better of the two LCNs on validation, and "bayes" exists only for block models."""


@dataclass(frozen=True)
class Scores:
    """The scores of a method on B splits."""

    test: np.ndarray
    """(B,) accuracy on the test nodes, which is reported."""
    validation: np.ndarray
    """(B,) accuracy on the validation nodes, which chooses the setting."""
    loss: np.ndarray
    """(B,) loss on the validation nodes, which breaks ties of accuracy."""
    setting: tuple[str, ...]
    """The setting of each split, in words."""

    def as_json(self) -> dict[str, Any]:
        """The scores for JSON, with accuracies in per cent as in the paper."""
        return {
            "test": [round(100 * float(a), 2) for a in self.test],
            "validation": [round(100 * float(a), 2) for a in self.validation],
            "loss": [round(float(a), 4) for a in self.loss],
            "setting": list(self.setting),
        }


def best(tried: Sequence[Scores]) -> Scores:
    """For each split, the scores of the setting that is best on validation."""
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
    """(B,) index of the best of S settings, given accuracy and loss on validation, both (S, B).

    Accuracy decides, then loss, then the order of the settings.
    """
    # The last key of a lexsort is the first to decide, and the sort is stable.
    return np.asarray(np.lexsort((loss, -validation), axis=0)[0])


@dataclass(frozen=True)
class Prepared:
    """A method on one graph, ready to be scored."""

    tried: Callable[..., list[Scores]]
    """``tried(y, splits, features=, seed=, grid=, settings=)`` returns one :class:`Scores` for each
    setting of the grid."""
    facts: dict[str, Any] = field(default_factory=dict)
    """Facts about the graph to save with the scores, such as the bounds on ϑ."""
    kernel: Any = None
    """The matrix with which a network propagates or which a machine learns from, if any."""

    def score(self, y: np.ndarray, splits: Sequence[Split], **options: Any) -> Scores:
        """The scores with the setting that each split chooses on its validation nodes."""
        return best(self.tried(y, splits, **options))


def prepare(method: str, graph: Graph, *, device: str = "auto", **options: Any) -> Prepared:
    """Prepare the method ``method`` on ``graph``.

    ``options`` may hold options of the Lovász kernel (choice, gap, theta_limit), of the LS kernel
    (weights) and of node2vec (centred); a method uses its own.
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
        K = _node2vec_kernel(graph, centred=options.get("centred", False))
    else:
        name = {"gcn": "gcn", "gcn-raw": "adjacency", "lcn-ls": "ls"}[method]
        K = kernel(graph, name, **{k: v for k, v in options.items() if k == "weights"})
    return on_kernel(K, device, facts)


def on_kernel(K: Any, device: str, facts: dict[str, Any]) -> Prepared:
    """Prepare the network that propagates with ``K``."""
    from lovasz.nn import train

    return Prepared(_trained(partial(train, K), device), facts, K)


def _trained(fit: Callable[..., Training], device: str) -> Callable[..., list[Scores]]:
    """Score networks that ``fit(y, [(train, validation), …], …)`` trains; run b has seed + b.

    If :func:`together` says so, the settings of the grid are trained as one batch. A run gives the
    same result alone and in a batch. Settings other than those of ``BATCHED`` need single runs.
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
        rows = len(y) * len(splits) * len(grid)
        if all(setting.keys() <= BATCHED for setting in grid) and together(device, rows):
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
    """Whether to train the settings of a grid as one batch; ``rows`` is nodes times runs.

    A GPU needs large batches. A CPU is faster with batches only if they fit its caches.
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
    """Train all splits with all settings as one batch; return one training per setting."""
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


def _node2vec_kernel(graph: Graph, *, centred: bool = False) -> Any:
    """Z Zᵀ, where Z holds node2vec's vectors, minus their mean if ``centred``, as unit rows."""
    from lovasz.kernels.node2vec import node2vec_vectors
    from lovasz.linalg.scaling import unit_rows
    from lovasz.nn import LowRank

    vectors = node2vec_vectors(graph)
    return LowRank(unit_rows(vectors - vectors.mean(axis=0) if centred else vectors, least=0.0))


def _gpnn(graph: Graph, device: str) -> Prepared:
    from lovasz.baselines.gpnn import train_gpnn

    return Prepared(_trained(partial(train_gpnn, graph), device))


def network_scores(
    trained: Training, y: np.ndarray, splits: Sequence[Split], setting: Mapping[str, Any]
) -> Scores:
    """The scores of trained networks, one per split."""
    answers = trained.logits.argmax(-1)
    runs = np.arange(len(splits))
    at = (trained.best_epoch - 1, runs)
    return Scores(
        np.array([(answers[b][s.test] == y[s.test]).mean() for b, s in enumerate(splits)]),
        trained.validation_accuracy[at],
        trained.validation_loss[at],
        (describe_setting(setting),) * len(splits),
    )


def describe_setting(setting: Setting) -> str:
    """A setting of the grid in words."""
    return "rate {lr:g}, L2 {weight_decay:g}, dropout {dropout:g}".format_map(setting)


_MACHINES = {"un-lap": "laplacian", "n-lap": "normalized-laplacian", "ks": "k-scaling"}


def _machine(method: str, graph: Graph) -> Prepared:
    from lovasz.kernels import kernel

    K = kernel(graph, _MACHINES[method]).toarray()
    # The diagonal of (I + L)⁻¹ is about 1/degree, with which every α would stop at C. Training with
    # s K and C is the same as training with K and s C, so this scaling only makes one grid fit all
    # kernels. The median ignores isolated nodes, whose diagonal is 1.
    K /= np.median(K.diagonal())

    def tried(y: np.ndarray, splits: Sequence[Split], **_: Any) -> list[Scores]:
        from lovasz.classify.svm import KernelFactor

        factors = [KernelFactor.of(K, np.sort(split.train)) for split in splits]

        def fitted(C: float) -> Scores:
            answers = []
            for factor, split in zip(factors, splits, strict=True):
                classes, codes = np.unique(y[np.sort(split.train)], return_inverse=True)
                answers.append(classes[factor.decide(codes, C).argmax(1)])
            return answer_scores(answers, y, splits, f"C {C:g}")

        return [fitted(C) for C in MACHINE_GRID]

    return Prepared(tried, {}, K)


def _spore(graph: Graph, device: str) -> Prepared:
    """SPORE with the β of its theory; it learns one kernel per split, setting and class."""
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
    """The scores of predicted labels, one array of all nodes per split."""

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
