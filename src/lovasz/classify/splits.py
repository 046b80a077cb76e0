"""Splits of the labelled nodes: which to learn from, which to choose by, which to report on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lovasz.base.errors import LovaszError


class Split(NamedTuple):
    """Rows of the nodes to learn from, to choose by, and to report on."""

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


def random_splits(
    y: np.ndarray,
    shares: tuple[float, float, float],
    count: int,
    *,
    seed: int,
    by_class: bool = False,
) -> list[Split]:
    """Draw ``count`` random splits of the labelled nodes (y ≥ 0) by ``shares``.

    With ``by_class`` every class is cut by the shares, so that all parts have its proportions,
    and a class of three nodes or more has at least one node in every part. Without it, nodes are
    drawn regardless of class, as in the LCN paper; the training nodes are then uneven by chance,
    which changes the results: see ``lovasz demo``.

    >>> [len(part) for part in random_splits(np.array([0, 1] * 50), (0.2, 0.1, 0.7), 1, seed=0)[0]]
    [20, 10, 70]
    """
    if abs(sum(shares) - 1) > 1e-9 or min(shares) < 0:
        raise LovaszError(f"the shares {shares} of a split must be >= 0 and add up to 1")
    rng = np.random.default_rng(seed)
    groups = [np.flatnonzero(y == code) for code in np.unique(y[y >= 0])]
    if not by_class:
        groups = [np.flatnonzero(y >= 0)]
    splits = []
    for _ in range(count):
        parts: list[list[np.ndarray]] = [[], [], []]
        for group in groups:
            first = max(1, round(shares[0] * len(group)))
            second = max(first, round((shares[0] + shares[1]) * len(group)))
            if by_class and len(group) >= 3 and min(shares) > 0:  # no part is left empty
                first = min(first, len(group) - 2)
                second = min(max(second, first + 1), len(group) - 1)
            for part, nodes in zip(
                parts, np.split(rng.permutation(group), [first, second]), strict=True
            ):
                part.append(nodes)
        splits.append(Split(*(np.sort(np.concatenate(part)) for part in parts)))
    return splits


def halve_validation(splits: Sequence[Split], fewest: int, seed: int) -> list[Split]:
    """Turn half of each split's validation nodes, chosen at random, into its test nodes.

    If that gives fewer than ``fewest`` test nodes in all, the splits are returned as they are.
    """
    if sum(len(split.validation) // 2 for split in splits) < fewest:
        return list(splits)
    rng = np.random.default_rng(seed)
    halved = []
    for split in splits:
        nodes = rng.permutation(split.validation)
        judging, stopping = np.split(nodes, [len(nodes) // 2])
        halved.append(Split(split.train, np.sort(stopping), np.sort(judging)))
    return halved


def split_off(codes: np.ndarray, validation: np.ndarray) -> Split:
    """The labelled nodes (codes ≥ 0) with the rows or the mask ``validation`` to choose by.

    A class all of whose labels are in validation could never be answered. The first of its nodes is
    therefore learned from, and does not judge. Validation nodes without a label are refused.

    >>> split = split_off(np.array([0, 0, 1, 1, -1]), np.array([1, 2, 3]))
    >>> split.train.tolist(), split.validation.tolist()
    ([0, 2], [1, 3])
    """
    if validation.dtype.kind not in "bui":
        raise LovaszError(f"validation holds {validation.dtype} values; give rows or a mask")
    mask = validation.dtype == bool
    chosen = np.flatnonzero(validation) if mask else np.unique(validation.astype(np.int64))
    labelled = np.flatnonzero(codes >= 0)
    if (stray := np.setdiff1d(chosen, labelled)).size:
        raise LovaszError(
            f"{stray.size} validation nodes have no label (row {stray[0]} is one); "
            "validation must be rows among the labelled nodes"
        )
    rest = np.setdiff1d(labelled, chosen)
    missing = np.setdiff1d(codes[chosen], codes[rest])
    moved = [chosen[codes[chosen] == code][0] for code in missing]
    train = np.union1d(rest, moved).astype(np.int64)
    return Split(train, np.setdiff1d(chosen, moved), np.empty(0, dtype=np.int64))
