"""Fit LCNClassifier and single networks to the rows, and score them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lovasz.base.device import pick_device_name
from lovasz.classify.calibration import FEWEST_TO_CALIBRATE, Calibration, calibration_error
from lovasz.classify.evaluation import judge_logits
from lovasz.classify.splits import Split, halve_validation
from lovasz.graphs import Graph
from lovasz.reproduce.engine.cells import Cell, Context
from lovasz.reproduce.engine.classifier_runs import columns_of, fit_classifier
from lovasz.reproduce.engine.methods import chosen_runs, describe_setting
from lovasz.reproduce.items.kernels.entrants import trainer
from lovasz.reproduce.items.kernels.rows import (
    BARE,
    COMMON,
    RUNS,
    TrainingSetting,
    load_row,
    settings_of,
)

if TYPE_CHECKING:
    from lovasz.nn import Settings

PARTITIONS = 5
"""Number of random partitions of a run's labels that choose the setting of a single network."""


def measure(cell: Cell, context: Context) -> dict[str, Any]:
    """Measure one method on one row."""
    if cell.method == "auto":
        return measure_auto(cell, context)
    return measure_bare(cell, context) if cell.row in BARE else measure_given(cell, context)


def measure_auto(cell: Cell, context: Context) -> dict[str, Any]:
    """Fit ``LCNClassifier()`` with its defaults in every run.

    The labels of training and validation nodes are known. On rows with given validation nodes these
    are passed as such; on rows without features all known labels are labels like any other.
    """
    count = 2 if context.quick else RUNS
    number = cell.part or 0
    graph, X, y, splits = load_row(cell.row, count, number)
    runs = []
    for b, split in enumerate(splits):
        train, validation = split.train, split.validation
        given: dict[str, Any] = {"features": X, "validation": validation}
        if cell.row in BARE:
            train, given = np.concatenate([train, validation]), {}
        seed = number * count + b
        found = fit_classifier(
            graph, y, train, split.test, seed=seed, device=context.device, **given
        )
        runs.append(found)
    columns = columns_of(runs)
    device = pick_device_name(context.device)
    return columns | {"train_seconds": [round(sum(columns["seconds"]), 2)], "device": [device]}


def measure_given(cell: Cell, context: Context) -> dict[str, Any]:
    """Measure a row with given validation nodes, which stop the networks and choose."""
    from lovasz.classify.features import scale_features

    graph, X, y, splits = load_row(cell.row, 2 if context.quick else RUNS)
    fit = trainer(cell.method, graph, scale_features(X, "rows"), context.device)
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
    scores = [
        score_run(trained[c].logits[b], y, split)
        for b, (c, split) in enumerate(zip(chosen, splits, strict=True))
    ]
    return {
        **_columns(scores),
        "validation": _rounded(100 * validation[chosen, runs]),
        "loss": _rounded(loss[chosen, runs], 4),
        "setting": [describe_setting(grid[c]) for c in chosen],
        "train_seconds": round(seconds, 2),
    }


def measure_bare(cell: Cell, context: Context) -> dict[str, Any]:
    """Measure a network on a row without features, on which partitions of the labels choose."""
    bare = load_bare(cell.row, cell.part or 0, context)
    found = train_on_parts(cell.row, cell.method, bare, context)
    pairs = zip(found.logits, bare.splits, strict=True)
    return {
        **_columns([score_run(logits, bare.y, split) for logits, split in pairs]),
        "setting": [describe_setting(settings_of(cell.row)[c]) for c in found.setting],
        "train_seconds": [round(found.seconds, 2)],
    }


@dataclass(frozen=True)
class BareGraph:
    """A graph without features, its splits, and the partitions of their labels."""

    graph: Graph
    y: np.ndarray
    splits: list[Split]
    parts: list[list[Split]]
    """``PARTITIONS`` partitions of the labels of each split."""
    first: int
    """Number of its first run among all runs of the row; the seeds of the runs depend on it."""


def load_bare(row: str, number: int, context: Context) -> BareGraph:
    """Load graph number ``number`` of a row."""
    count = 2 if context.quick else RUNS
    graph, _, y, splits = load_row(row, count, number)
    first = number * count
    parts = [draw_parts(split, first + b) for b, split in enumerate(splits)]
    return BareGraph(graph, y, splits, parts, first)


def draw_parts(split: Split, seed: int) -> list[Split]:
    """Draw ``PARTITIONS`` partitions of a split's labels.

    Each has as many training labels as the split, and the other labels in two halves.
    """
    labelled = np.concatenate([split.train, split.validation])
    rng = np.random.default_rng(seed)
    drawn = [np.split(rng.permutation(labelled), [len(split.train)]) for _ in range(PARTITIONS)]
    nothing = np.empty(0, dtype=np.int64)
    splits = [Split(np.sort(a), b, nothing) for a, b in drawn]
    return halve_validation(splits, FEWEST_TO_CALIBRATE, seed)


@dataclass(frozen=True)
class OnParts:
    """A network on a graph without features, with the setting that each run chose."""

    logits: list[np.ndarray]
    """(n, classes) per run, of the network that was trained and stopped on the split itself."""
    setting: list[int]
    """Index of the setting that the judging nodes of each run chose."""
    seconds: float
    """Seconds of training with all settings."""


def train_on_parts(row: str, name: str, bare: BareGraph, context: Context) -> OnParts:
    """Train a network with all settings on every split of a graph and on every partition."""
    pairs = zip(bare.splits, bare.parts, strict=True)
    runs = [(s.train, s.validation) for split, cut in pairs for s in (split, *cut)]
    start = bare.first * (1 + PARTITIONS)
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
    chosen = [
        int(np.argmin([_surprise_on_parts(z[b][1:], bare.y, cut) for z in shaped]))
        for b, cut in enumerate(bare.parts)
    ]
    return OnParts([shaped[c][b][0] for b, c in enumerate(chosen)], chosen, seconds)


def _surprise_on_parts(logits: np.ndarray, y: np.ndarray, parts: Sequence[Split]) -> float:
    """How much the judging nodes of all partitions surprise a network, after calibration.

    ``logits`` is (partitions, n, classes). If a partition has no judging nodes, those that stop the
    network judge.
    """
    kept = all(len(part.test) for part in parts)
    judges = [part.test if kept else part.validation for part in parts]
    values = np.concatenate([z[nodes] for z, nodes in zip(logits, judges, strict=True)])
    classes = np.concatenate([y[nodes] for nodes in judges])
    return judge_logits(values, classes)[1].surprise


def score_run(logits: np.ndarray, y: np.ndarray, split: Split) -> dict[str, float]:
    """Test accuracy of a run, and the calibration error of its raw and calibrated probabilities.

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


def _settings(context: Context, setting: TrainingSetting) -> Settings:
    from lovasz.nn import Settings

    given: dict[str, Any] = COMMON | ({"epochs": 20} if context.quick else {}) | setting
    return Settings(**given)


def _columns(scores: Sequence[Mapping[str, float]]) -> dict[str, list[float]]:
    """The scores of all runs by name, rounded for JSON."""
    return {name: _rounded([run[name] for run in scores], 4) for name in scores[0]}


def _rounded(values: Sequence[float] | np.ndarray, digits: int = 2) -> list[float]:
    return [round(float(v), digits) for v in values]
