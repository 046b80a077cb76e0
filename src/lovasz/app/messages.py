"""What the server and the process that trains say to each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class TrainTask:
    """The labels of a project, to learn from."""

    version: int
    """``id`` of the last event of the project that counts."""
    classes: tuple[str, ...]
    """The classes in the order of the project."""
    codes: dict[int, int]
    """Index into ``classes`` of each labelled row."""
    excluded: tuple[int, ...] = ()
    """Rows without a label that are not to be suggested: skipped, or nobody can tell."""


@dataclass(frozen=True)
class ExplainTask:
    """A node whose answer is to be explained."""

    number: int
    """Number of the question, for the answer to name."""
    row: int
    """Row of the node."""


@dataclass(frozen=True)
class Progress:
    """How far a training is."""

    version: int
    """The version of the :class:`TrainTask`."""
    share: float
    """Share of the work that is done, from 0 to 1."""


@dataclass(frozen=True)
class Answer:
    """What a training says of all nodes."""

    version: int
    """The version of the :class:`TrainTask`."""
    labels: int
    """Number of labels that it learned from."""
    seconds: float
    """How long it took."""
    suggestions: list[tuple[int, str]]
    """Rows to label next, the most useful first, each with the reason."""
    classes: tuple[str, ...] = ()
    """The classes, in the order of the project."""
    codes: np.ndarray | None = None
    """(n,) index into ``classes`` of the answer, or None if there are too few labels for one."""
    confidence: np.ndarray | None = None
    """(n,) probability of the answer."""
    runner_up: np.ndarray | None = None
    """(n,) index into ``classes`` of the second answer."""
    runner_up_confidence: np.ndarray | None = None
    """(n,) probability of the second answer."""
    expected: tuple[float, float, float] | None = None
    """Expected accuracy, with the lower and upper end of its interval."""
    suspicious: list[tuple[int, str, float]] = field(default_factory=list)
    """Labelled rows that look wrong, the class that fits better, and its probability."""
    forecast: list[tuple[int, float, float, float]] = field(default_factory=list)
    """Numbers of labels, each with the expected accuracy and its interval."""
    advice: str = ""
    """One sentence on what more labels would bring."""


@dataclass(frozen=True)
class Explained:
    """Why a node got its answer."""

    number: int
    """The number of the :class:`ExplainTask`."""
    content: dict[str, Any] | None
    """The explanation, ready to be shown, or None if there is none."""


@dataclass(frozen=True)
class Failed:
    """A training that could not be done."""

    version: int
    """The version of the :class:`TrainTask`."""
    reason: str
    """What went wrong, in one line."""
