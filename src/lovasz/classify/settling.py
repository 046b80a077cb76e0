"""From the blend to the answers: where no label reaches, given labels, and doubts about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lovasz.classify.blend import Blend
from lovasz.classify.expectation import Expectation, Neighbours, expect
from lovasz.classify.islands import Islands, answer_islands
from lovasz.classify.parts import Parts
from lovasz.classify.problem import Problem

SUSPICIOUS = 0.1
"""A given label is suspicious if the answer, which did not see it, gives it less than this
probability."""


@dataclass(frozen=True)
class Settled:
    """The answers for all nodes, and what is to be said about them."""

    probabilities: np.ndarray
    """(n, classes)."""
    held_out: np.ndarray
    """(judges, classes) probabilities from runs and weights that did not see the judges."""
    unreached: np.ndarray
    """(n,) mask of the nodes in components without a labelled node."""
    expectation: Expectation | None
    """How good the answers for unlabelled nodes are, or None if there are too few labels to say."""
    suspicious: list[tuple[Any, Any, Any, float]]
    """Given labels that the answer contradicts, as (node, given class, suggested class, probability
    of the suggested class), the most doubtful first."""


def settle(
    problem: Problem,
    blended: Blend,
    answers: Mapping[str, np.ndarray],
    held_out: Mapping[str, np.ndarray],
    parts: Parts,
    *,
    readers: Sequence[str] | None,
    noisy: bool,
) -> Settled:
    """Return what is answered, given the (runs, n, classes) logits of each candidate.

    ``held_out`` are the (judges, classes) logits at the judges, from runs kept from them.
    ``readers`` are the candidates that read features, and answer where no label reaches; None
    leaves such nodes to all candidates. A labelled node keeps its label unless ``noisy``.
    """
    islands = Islands.of(problem)
    if readers is None:
        P, said = blended(answers), blended.held_out
    else:
        P, said = answer_islands(islands, blended, answers, held_out, parts, readers)
    blended = replace(blended, held_out=said)
    labelled = problem.codes >= 0
    expectation = expect(
        said,
        problem.codes[blended.judges],
        P[~labelled],
        neighbours=Neighbours.of(problem.graph, blended.judges, labelled),
        unjudged=int((np.bincount(problem.codes[labelled]) == 1).sum()),
    )
    suspicious = list_suspicious(problem, blended, noisy=noisy)
    if noisy:
        # The runs that answer have learned a wrong label by heart; the held-out ones have not.
        wrong = [problem.graph.positions[node] for node, *_ in suspicious]
        P[wrong] = blended.held_out[np.searchsorted(blended.judges, wrong)]
    else:
        P[labelled] = np.eye(P.shape[1])[problem.codes[labelled]]
    return Settled(P, said, islands.unreached(), expectation, suspicious)


def list_suspicious(
    problem: Problem, blended: Blend, *, noisy: bool
) -> list[tuple[Any, Any, Any, float]]:
    """Return the judging nodes whose held-out answer contradicts their label.

    If a tenth of the labels are wrong, honest probabilities of wrong labels are about a tenth.
    So with ``noisy`` a label is also suspicious if another class is at least as probable there
    as it is on average where it was given (confident learning: Northcutt et al., 2021).
    """
    found: list[tuple[int, int, int, float]] = []
    said_there, given_there = blended.held_out, problem.codes[blended.judges]
    if not len(said_there):
        return []
    usual = np.ones(said_there.shape[1])
    if noisy:
        for code in np.unique(given_there):
            usual[code] = said_there[given_there == code, code].mean()
    for node, said in zip(blended.judges.tolist(), said_there, strict=True):
        given, suggested = int(problem.codes[node]), int(said.argmax())
        doubtful = said[given] < SUSPICIOUS or (noisy and said[suggested] >= usual[suggested])
        if suggested != given and doubtful:
            found.append((node, given, suggested, float(said[suggested])))
    found.sort(key=lambda entry: -entry[3])
    names = problem.classes
    return [
        (problem.graph.nodes[node], names[a].item(), names[b].item(), p) for node, a, b, p in found
    ]
