"""Beyond the paper: which kernel, which propagation, chosen on validation, beside its rivals.

Every network tries the same four settings of a row on every split and keeps, split by split, the
one that does best on the validation nodes. ``auto`` chooses among its candidates by how little
their calibrated probabilities are surprised at those nodes (:mod:`lovasz.classify.evaluation`),
so it tries
``len(AUTO)`` times as many settings as a single network; beside it stands ``baseline``, the same
choice among GCN, GAT, APPNP and GPRGNN.

Where the split is ours to draw and the labels are few (UCI, MNIST, block models), a run also has
``FOLDS`` random parts of its labels, cut in three as LCNClassifier cuts them: to learn from, to
stop by, to judge by (:mod:`lovasz.classify.blend`). The judging nodes choose the setting of every
network. A single network is then trained and stopped on the split itself; ``auto`` answers with
the weighted mean of its candidates on all parts, as LCNClassifier does, and ``mean`` says what
that mean over parts is worth to a single kernel.

A row of MNIST is five graphs, drawn as :mod:`lovasz.reproduce.items.uci_mnist` draws them, each a
cell with ``RUNS`` splits of its own; the page reads them as one row of fifty runs.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from lovasz.classify.blend import blend
from lovasz.classify.calibration import FEWEST_TO_CALIBRATE, Calibration, calibration_error
from lovasz.classify.candidates import FOLDS
from lovasz.classify.splits import Split, halve_validation, random_splits
from lovasz.graphs import Graph
from lovasz.pages.reproduction.section import Section
from lovasz.reproduce.engine.cells import Cell, Context, Item, Results
from lovasz.reproduce.engine.contest import BASELINES, rounded, trainer
from lovasz.reproduce.engine.methods import chosen_runs, describe_setting
from lovasz.reproduce.items import sbm
from lovasz.reproduce.items.uci_mnist import GRAPHS, MNIST, UCI

if TYPE_CHECKING:
    from lovasz.nn import Settings

Setting = dict[str, float]
FEW_LABELS: tuple[Setting, ...] = tuple(
    {"lr": 0.01, "weight_decay": decay, "dropout": dropout}
    for decay in (5e-4, 5e-3)
    for dropout in (0.5, 0.8)
)
"""Twenty labels a class and features of many words: overfitting is what to look out for."""
OTHERS: tuple[Setting, ...] = tuple(
    {"lr": rate, "weight_decay": decay, "dropout": dropout}
    for rate in (0.01, 0.05)
    for decay, dropout in ((5e-4, 0.5), (5e-5, 0.2))
)
"""Half of all labels, or identity features."""
COMMON = {"hidden": 64, "epochs": 300, "patience": 100}
RUNS = 10
PLAIN = ("lcn-ls", "gcn", "lcn-normalized", "learned")
AUTO = (*PLAIN, "gprgnn", "appnp-consistent", "learned-consistent")
"""The candidates of LCNClassifier's kernel="auto"; without features, those of ``PLAIN``."""
CITATION = ("cora", "citeseer", "pubmed")
HETEROPHILOUS = ("texas", "cornell", "chameleon-filtered", "actor", "squirrel")
LARGE = ("amazon-photo", "amazon-computers", "coauthor-cs", "coauthor-physics")
BLOCKS = {f"sbm {name}": setting for name, setting in sbm.SETTINGS.items()}
BLOCK_NODES = 500
BARE = (*UCI, *MNIST, *BLOCKS)
"""Rows with identity features."""
ABLATION = ("ppr", "similar-consistent", "edges")
COST = {
    "cora": 4.0, "citeseer": 5.0, "pubmed": 30.0, "texas": 2.0, "cornell": 2.0, "actor": 12.0,
    "chameleon-filtered": 3.0, "squirrel": 25.0, "amazon-photo": 20.0, "amazon-computers": 40.0,
    "coauthor-cs": 40.0, "coauthor-physics": 90.0,
}  # fmt: skip
"""Seconds of a network of one hop; a guess from Cora's."""


def cells(quick: bool) -> list[Cell]:
    """What matters most comes first."""
    if quick:
        return [Cell("kernels", "texas", m, data=("texas",)) for m in ("gcn", "ppr")]
    made = []
    for row in (*CITATION, *HETEROPHILOUS, *LARGE, *BARE):
        slow = {"edges": 4.0, "gat": 3.0, "lcn": 10.0}
        parts = range(GRAPHS) if row in MNIST else [None]
        # One process takes the dearest first and equals in this order, so that auto, at the price
        # of one of its candidates, finds them trained.
        for part, method in product(parts, methods_of(row)):
            consistent = 2.0 if "consistent" in method else 1.0
            cost = COST.get(row, 3.0) * slow.get(method, consistent)
            data = () if row in BLOCKS else ("mnist",) if row in MNIST else (row,)
            made.append(Cell("kernels", row, method, part=part, cost=cost, data=data))
    return made


def methods_of(row: str) -> tuple[str, ...]:
    """Rows without features lack candidates that need them; most of the ablation on citations."""
    if row in BARE:
        return ("lcn", *PLAIN, "auto")
    more = ABLATION if row in CITATION else ("edges",) if row in HETEROPHILOUS else ()
    return (*dict.fromkeys((*BASELINES, *AUTO)), "ppr-consistent", *more)


def measure(cell: Cell, context: Context) -> dict[str, Any]:
    """One network on one row: all settings, and of each run the one chosen."""
    if cell.row not in BARE:
        return on_given_splits(cell, context)
    number = cell.part or 0
    bare = without_features(cell.row, number, context)
    names = PLAIN if cell.method == "auto" else (cell.method,)
    found = {name: on_parts(cell.row, number, name, context) for name in names}
    if cell.method == "auto":
        return _together(found, bare)
    alone, y = found[cell.method], bare.y
    judged = [judge(z[0], y, split) for z, split in zip(alone.logits, bare.splits, strict=True)]
    mean = [
        float((blend({"": z[1:]}, y, cut)({"": z[1:]}).argmax(1) == y)[split.test].mean())
        for z, cut, split in zip(alone.logits, bare.parts, bare.splits, strict=True)
    ]
    return {
        **{name: rounded([j[name] for j in judged], 4) for name in judged[0]},
        "mean": rounded(100 * np.array(mean), 4),
        "setting": [describe_setting(settings_of(cell.row)[c]) for c in alone.setting],
        "train_seconds": [round(alone.seconds, 2)],
    }


@dataclass(frozen=True)
class Bare:
    """A graph without features."""

    graph: Graph
    y: np.ndarray
    splits: list[Split]
    parts: list[list[Split]]
    """Of the labels of each split."""
    first: int
    """The number of its first run among those of the row, from which runs have their seeds."""


def without_features(row: str, number: int, context: Context) -> Bare:
    """The graph of that number of a row."""
    count = 2 if context.quick else RUNS
    graph, _, y, splits = problem(row, count, number)
    first = number * count
    parts = [parts_of(split, first + b) for b, split in enumerate(splits)]
    return Bare(graph, y, splits, parts, first)


@dataclass(frozen=True)
class OnParts:
    """A network on a row without features; of each run the setting its judging nodes chose."""

    logits: list[np.ndarray]
    """A run: (1 + FOLDS, n, classes), of the split itself and of the parts of its labels."""
    setting: list[int]
    seconds: float


@lru_cache(maxsize=len(PLAIN))  # auto comes after those it is made of
def on_parts(row: str, number: int, name: str, context: Context) -> OnParts:
    """Train it, with all settings, on every split of a graph and on every part of its labels."""
    bare = without_features(row, number, context)
    pairs = zip(bare.splits, bare.parts, strict=True)
    runs = [(s.train, s.validation) for split, cut in pairs for s in (split, *cut)]
    start = bare.first * (1 + FOLDS)
    seeds = range(start, start + len(runs))
    grid = settings_of(row)[: 1 if context.quick else None]
    fit = trainer(name, bare.graph, None, context.device)
    started = time.monotonic()
    trained = [
        fit(bare.y, runs, seeds=seeds, settings=_settings(context, setting)).logits
        for setting in grid
    ]
    seconds = time.monotonic() - started
    shaped = [z.reshape(len(bare.splits), -1, *z.shape[1:]) for z in trained]
    chosen = []
    for b, cut in enumerate(bare.parts):
        found = [blend({"": z[b][1:]}, bare.y, cut).tried[""].surprise for z in shaped]
        chosen.append(int(np.argmin(found)))
    return OnParts([shaped[c][b] for b, c in enumerate(chosen)], chosen, seconds)


def _together(found: Mapping[str, OnParts], bare: Bare) -> dict[str, Any]:
    """What LCNClassifier's auto would answer, run by run."""
    y, rows = bare.y, []
    for b, (split, cut) in enumerate(zip(bare.splits, bare.parts, strict=True)):
        logits = {name: alone.logits[b][1:] for name, alone in found.items()}
        mixed = blend(logits, y, cut)
        raw = dataclasses.replace(mixed, calibrations=dict.fromkeys(logits, Calibration()))
        said, truth = mixed(logits)[split.test], y[split.test]
        rows.append(
            {
                "test": 100 * float((said.argmax(axis=1) == truth).mean()),
                "raw_error": calibration_error(raw(logits)[split.test], truth),
                "error": calibration_error(said, truth),
                "expected": 100 * float(said.max(axis=1).mean()),
                "judged": 100 * mixed.accuracy,
                **{f"share of {name}": share for name, share in mixed.shares.items()},
            }
        )
    return {
        **{name: rounded([row[name] for row in rows], 4) for name in rows[0]},
        "train_seconds": [round(sum(alone.seconds for alone in found.values()), 2)],
    }


def on_given_splits(cell: Cell, context: Context) -> dict[str, Any]:
    """Where a row's validation nodes are given they stop the networks, and choose."""
    graph, X, y, splits = problem(cell.row, 2 if context.quick else RUNS)
    fit = trainer(cell.method, graph, X, context.device)
    grid = settings_of(cell.row)[: 1 if context.quick else None]
    started = time.monotonic()
    pairs = [(split.train, split.validation) for split in splits]
    trained = [
        fit(y, pairs, seeds=range(len(pairs)), settings=_settings(context, setting))
        for setting in grid
    ]
    seconds = time.monotonic() - started
    runs = np.arange(len(splits))
    validation, loss = (
        np.stack([getattr(t, curves)[t.best_epoch - 1, runs] for t in trained])
        for curves in ("validation_accuracy", "validation_loss")
    )
    chosen = chosen_runs(validation, loss)
    judged = [
        judge(trained[c].logits[b], y, split)
        for b, (c, split) in enumerate(zip(chosen, splits, strict=True))
    ]
    return {
        **{name: rounded([j[name] for j in judged], 4) for name in judged[0]},
        "validation": rounded(100 * validation[chosen, runs]),
        "loss": rounded(loss[chosen, runs], 4),
        "setting": [describe_setting(grid[c]) for c in chosen],
        "train_seconds": round(seconds, 2),
    }


def _settings(context: Context, setting: Setting) -> Settings:
    from lovasz.nn import Settings

    return Settings(**COMMON | ({"epochs": 20} if context.quick else {}) | dict(setting))


def parts_of(split: Split, seed: int) -> list[Split]:
    """``FOLDS`` parts of a split's labels: as many to learn from, the rest in halves."""
    labelled = np.concatenate([split.train, split.validation])
    rng = np.random.default_rng(seed)
    drawn = [np.split(rng.permutation(labelled), [len(split.train)]) for _ in range(FOLDS)]
    nothing = np.empty(0, dtype=np.int64)
    splits = [Split(np.sort(a), b, nothing) for a, b in drawn]
    return halve_validation(splits, FEWEST_TO_CALIBRATE, seed)


def settings_of(row: str) -> tuple[Setting, ...]:
    """The grid of a row, the same for every network."""
    return FEW_LABELS if row in (*CITATION, *LARGE) else OTHERS


def judge(logits: np.ndarray, y: np.ndarray, split: Split) -> dict[str, float]:
    """Accuracy of a run on the test nodes, and how well probabilities say it, raw and calibrated.

    The validation nodes calibrate.
    """
    truth = y[split.test]
    checked, classes = logits[split.validation], y[split.validation]
    calibration = Calibration.of(checked, classes)
    raw, calm = Calibration()(logits[split.test]), calibration(logits[split.test])
    return {
        "surprise": calibration.surprise(checked, classes),
        "test": 100 * float((raw.argmax(axis=1) == truth).mean()),
        "raw_error": calibration_error(raw, truth),
        "error": calibration_error(calm, truth),
        "expected": 100 * float(calm.max(axis=1).mean()),
        "temperature": calibration.temperature,
    }


def problem(row: str, count: int, number: int = 0) -> tuple[Any, Any, np.ndarray, list[Split]]:
    """Graph, features with rows that sum to one, classes, and a split a run.

    Where a row is several graphs, that of seed ``number``, which draws the splits too.
    """
    from lovasz.classify.estimator import scale_features
    from lovasz.datasets import load
    from lovasz.graphs.families import planted_partition

    if row in BLOCKS:
        planted = planted_partition(BLOCK_NODES, *BLOCKS[row], seed=0)
        return (
            planted.graph, None, planted.y,
            random_splits(planted.y, (0.2, 0.1, 0.7), count, seed=0),
        )  # fmt: skip
    if row in MNIST:
        data = load("mnist", n=MNIST[row][0], classes=MNIST[row][1], seed=number)
    else:
        data = load(row)
    if row in BARE:
        splits = random_splits(data.y, (0.1, 0.1, 0.8), count, seed=number)
        return data.graph, None, data.y, splits
    X = scale_features(data.features, "rows")
    if row in CITATION:
        public = data.splits["public"]
        split = Split(public["train"], public["val"], public["test"])
        return data.graph, X, data.y, [split] * count
    if row in HETEROPHILOUS:
        given = [data.splits[str(b)] for b in range(count)]
        return data.graph, X, data.y, [Split(s["train"], s["val"], s["test"]) for s in given]
    return data.graph, X, data.y, [per_class(data.y, seed) for seed in range(count)]


def per_class(y: np.ndarray, seed: int, train: int = 20, validation: int = 30) -> Split:
    """So many nodes of each class to learn from and to choose by (Shchur et al., 2018)."""
    rng = np.random.default_rng(seed)
    groups = [rng.permutation(np.flatnonzero(y == c)) for c in np.unique(y[y >= 0])]
    parts = zip(*(np.split(g, [train, train + validation]) for g in groups), strict=True)
    return Split(*(np.sort(np.concatenate(part)) for part in parts))


def section(results: Results) -> Section:
    """Tables and words."""
    from lovasz.reproduce.items.kernels_page import write

    return write(results)


def choice(results: Results, row: str, names: Sequence[str]) -> Mapping[str, Any] | None:
    """Run by run the least surprised on validation; None unless all were run."""
    found: list[Any] = [results.get((row, name)) for name in names]
    if not found or None in found:
        return None
    picked = np.array([f["surprise"] for f in found]).argmin(axis=0)  # the first of equals
    keys = ("test", "raw_error", "error", "expected")
    return {key: [found[c][key][b] for b, c in enumerate(picked)] for key in keys} | {
        "name": [names[c] for c in picked],
        "train_seconds": sum(f["train_seconds"] for f in found),
    }


ITEM = Item("kernels", "Beyond the paper: kernels that are chosen", cells, measure, section)
