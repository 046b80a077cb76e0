"""Train the networks on the rows, choose their settings, and score them."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from lovasz.classify.blend import blend
from lovasz.classify.calibration import FEWEST_TO_CALIBRATE, Calibration, calibration_error
from lovasz.classify.candidates import FOLDS
from lovasz.classify.splits import Split, halve_validation
from lovasz.graphs import Graph
from lovasz.reproduce.engine.cells import Cell, Context
from lovasz.reproduce.engine.methods import chosen_runs, describe_setting
from lovasz.reproduce.items.kernels.entrants import trainer
from lovasz.reproduce.items.kernels.rows import (
    BARE,
    COMMON,
    PLAIN,
    RUNS,
    TrainingSetting,
    load_row,
    settings_of,
)

if TYPE_CHECKING:
    from lovasz.nn import Settings


def measure(cell: Cell, context: Context) -> dict[str, Any]:
    """Train one network on one row with all settings; each run keeps the one it chooses."""
    return measure_bare(cell, context) if cell.row in BARE else measure_given(cell, context)


def measure_given(cell: Cell, context: Context) -> dict[str, Any]:
    """Measure a row with given validation nodes, which stop the networks and choose."""
    graph, X, y, splits = load_row(cell.row, 2 if context.quick else RUNS)
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
    """Measure a row without features, on which partitions of the labels choose."""
    number = cell.part or 0
    bare = load_bare(cell.row, number, context)
    names = PLAIN if cell.method == "auto" else (cell.method,)
    found = {name: train_on_parts(cell.row, number, name, context) for name in names}
    if cell.method == "auto":
        return _blend_candidates(found, bare)
    alone, y = found[cell.method], bare.y
    scores = [score_run(z[0], y, split) for z, split in zip(alone.logits, bare.splits, strict=True)]
    mean = [
        float((blend({"": z[1:]}, y, cut)({"": z[1:]}).argmax(1) == y)[split.test].mean())
        for z, cut, split in zip(alone.logits, bare.parts, bare.splits, strict=True)
    ]
    return {
        **_columns(scores),
        "mean": _rounded(100 * np.array(mean), 4),
        "setting": [describe_setting(settings_of(cell.row)[c]) for c in alone.setting],
        "train_seconds": [round(alone.seconds, 2)],
    }


@dataclass(frozen=True)
class BareGraph:
    """A graph without features, its splits, and the partitions of their labels."""

    graph: Graph
    y: np.ndarray
    splits: list[Split]
    parts: list[list[Split]]
    """``FOLDS`` partitions of the labels of each split."""
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
    """Draw ``FOLDS`` partitions of a split's labels.

    Each has as many training labels as the split, and the other labels in two halves.
    """
    labelled = np.concatenate([split.train, split.validation])
    rng = np.random.default_rng(seed)
    drawn = [np.split(rng.permutation(labelled), [len(split.train)]) for _ in range(FOLDS)]
    nothing = np.empty(0, dtype=np.int64)
    splits = [Split(np.sort(a), b, nothing) for a, b in drawn]
    return halve_validation(splits, FEWEST_TO_CALIBRATE, seed)


@dataclass(frozen=True)
class OnParts:
    """A network on a graph without features, with the setting that each run chose."""

    logits: list[np.ndarray]
    """One array (1 + FOLDS, n, classes) per run: of the split itself, then of its partitions."""
    setting: list[int]
    """Index of the setting that the judging nodes of each run chose."""
    seconds: float
    """Seconds of training with all settings."""


# "auto" is measured right after its candidates and finds them in the cache.
@lru_cache(maxsize=len(PLAIN))
def train_on_parts(row: str, number: int, name: str, context: Context) -> OnParts:
    """Train a network with all settings on every split of a graph and on every partition."""
    bare = load_bare(row, number, context)
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


def _blend_candidates(found: Mapping[str, OnParts], bare: BareGraph) -> dict[str, Any]:
    """Score what LCNClassifier with kernel="auto" would answer in each run."""
    y, scores = bare.y, []
    for b, (split, cut) in enumerate(zip(bare.splits, bare.parts, strict=True)):
        logits = {name: alone.logits[b][1:] for name, alone in found.items()}
        mixed = blend(logits, y, cut)
        raw = dataclasses.replace(mixed, calibrations=dict.fromkeys(logits, Calibration()))
        said, truth = mixed(logits)[split.test], y[split.test]
        scores.append(
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
        **_columns(scores),
        "train_seconds": [round(sum(alone.seconds for alone in found.values()), 2)],
    }


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
