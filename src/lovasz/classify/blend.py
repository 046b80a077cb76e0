"""One answer from many candidates, weighted by labels that were kept from them.

With p_m(v) the calibrated probabilities of candidate m at node v, the answer is

    P(v) ∝ (Σ_m w_m p_m(v))^{1/T}.

The weights w make the classes of the judging nodes most likely (stacking: Wolpert, 1992; stacking
of probabilities: Yao et al., 2018). A mean of probabilities is less sure than its accuracy allows,
so a last temperature T, fitted to the same nodes, sharpens it. The estimated accuracy is
cross-fitted: nodes are judged with weights that were fitted to other nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lovasz.classify.calibration import FEWEST_TO_WEIGH, Calibration
from lovasz.classify.evaluation import Trial, judge_logits
from lovasz.classify.parts import Parts

ROUNDS = 500
"""Number of iterations of expectation–maximisation in :func:`stack`."""
GROUPS = 5
"""Number of groups of judging nodes for the cross-fitted accuracy."""
CREDIT = 0.3
"""Number of nodes that a candidate counts as having explained before any judge is asked, so that a
few judges do not decide everything. Chosen by the cross-fitted surprise on ten rows of ``lovasz
reproduce defaults``."""
SURE = 2.0
"""A candidate has no more credit than ``CREDIT`` if judges prefer another by more standard errors
than this."""
UNJUDGED = 0.7
"""How sure candidates are that no label can judge, from 0 for chance to 1 for certainty. Chosen by
the surprise on eight kinds of random graphs with one label per class and six rows of ``lovasz
reproduce defaults``."""
SAMPLE = 20_000
"""Number of nodes, at most, by which it is measured how sure a candidate is."""
LEAST = 1e-12
"""Lower bound of a probability whose logarithm is taken."""


@dataclass(frozen=True)
class Blend:
    """How several candidates answer together."""

    shares: dict[str, float]
    """The weight of each candidate; weights sum to 1."""
    calibrations: dict[str, Calibration]
    """How the logits of each candidate become probabilities."""
    tried: dict[str, Trial]
    """The result of each candidate on the judging nodes."""
    sharpness: Calibration
    """How the logarithms of the weighted mean become the final probabilities."""
    judges: np.ndarray
    """The judging nodes."""
    held_out: np.ndarray
    """(judges, classes) probabilities of the common answer at the judging nodes, from runs and
    weights that did not see them; empty if there are too few judging nodes."""

    @property
    def chosen(self) -> str:
        """The candidate with the largest share, or the first of several."""
        return max(self.shares, key=lambda name: self.shares[name])

    def __call__(
        self, logits: Mapping[str, np.ndarray], among: Sequence[str] | None = None
    ) -> np.ndarray:
        """Return (n, classes) probabilities from the (runs, n, classes) logits of candidates.

        ``among`` names the candidates that may answer, by default all that have logits here.
        """
        names = [name for name in (among or self.shares) if name in logits]
        total = sum(self.shares[name] for name in names)
        answer = np.zeros(logits[names[0]].shape[1:])
        for name in names:
            share = self.shares[name] / total if total > 0 else 1 / len(names)
            if share > 0:
                for run in logits[name]:  # one run at a time, because a graph may be large
                    answer += share / len(logits[name]) * self.calibrations[name](run)
        return self.sharpness(np.log(np.maximum(answer, LEAST)))


def blend(
    logits: Mapping[str, np.ndarray],
    y: np.ndarray,
    parts: Parts,
    *,
    trusted: Sequence[str] = (),
    credit: Mapping[str, float] | None = None,
    unreached: np.ndarray | None = None,
    seed: int = 0,
) -> Blend:
    """Return how candidates with (runs, n, classes) logits answer together.

    ``y`` has the class code of every node. With fewer judging nodes than ``FEWEST_TO_WEIGH``,
    nothing can be fitted, and the ``trusted`` candidates, or all, have equal shares and are equally
    sure. ``credit`` has the candidates with another credit than ``CREDIT``; one that the judges
    clearly find worse than another has no more than that. ``unreached`` is a mask of the nodes that
    no label reaches from which the answers have learned.
    """
    names, judges = [*logits], parts.judges
    held_out = {name: parts.held_out(logits[name]) for name in names}
    classes = y[judges]
    judged = {name: judge_logits(held_out[name], classes, fewest=FEWEST_TO_WEIGH) for name in names}
    calibrations = {name: calibration for name, (calibration, _) in judged.items()}
    tried = {name: trial for name, (_, trial) in judged.items()}
    if len(judges) < FEWEST_TO_WEIGH:
        equal = [name for name in names if name in trusted] or names
        shares = {name: (name in equal) / len(equal) for name in names}
        if len(equal) > 1:
            calibrations = {
                name: equally_sure(parts.answers(logits[name]), unreached) for name in names
            }
        width = held_out[names[0]].shape[1]
        return Blend(shares, calibrations, tried, Calibration(), judges, np.empty((0, width)))
    said = np.stack([calibrations[name](held_out[name]) for name in names])
    likelihood = said[:, np.arange(len(judges)), classes]
    given = np.array([(credit or {}).get(name, CREDIT) for name in names])
    weights = stack(likelihood, deserved(given, likelihood))
    mixed = np.tensordot(weights, said, 1)
    sharpness = Calibration.of(
        np.log(np.maximum(mixed, LEAST)), classes, powers=(0.0,), fewest=FEWEST_TO_WEIGH
    )
    crossed = np.empty_like(mixed)
    group = np.random.default_rng(seed).permutation(len(judges)) % GROUPS
    for number in range(GROUPS):
        here = group == number
        others = likelihood[:, ~here]
        crossed[here] = np.tensordot(stack(others, deserved(given, others)), said[:, here], 1)
    return Blend(
        dict(zip(names, weights.tolist(), strict=True)),
        calibrations,
        tried,
        sharpness,
        judges,
        sharpness(np.log(np.maximum(crossed, LEAST))),
    )


def equally_sure(logits: np.ndarray, unreached: np.ndarray | None = None) -> Calibration:
    """Return the calibration of one of several candidates that no label can judge.

    ``logits`` is (runs, n, classes). Every candidate is made as sure as any other, because one
    whose logits happen to be large would otherwise outvote all others. How sure one
    is at ``unreached`` nodes does not count: most know nothing there, and say rounding errors.
    """
    chance = 1 / logits.shape[2]
    nodes = np.arange(logits.shape[1]) if unreached is None else np.flatnonzero(~unreached)
    some = logits.take(nodes[:: -(-len(nodes) // SAMPLE)], axis=1)
    return Calibration.of_confidence(np.concatenate(some), chance + UNJUDGED * (1 - chance))


def deserved(credit: np.ndarray, likelihoods: np.ndarray) -> np.ndarray:
    """Return the ``credit`` of each candidate, at most ``CREDIT`` where it is clearly worse.

    >>> deserved(np.array([20.0, 20.0]), np.array([[0.8, 0.9, 0.8], [0.3, 0.2, 0.2]])).tolist()
    [20.0, 0.3]
    """
    return np.where(clearly_worse(likelihoods), np.minimum(credit, CREDIT), credit)


def clearly_worse(likelihoods: np.ndarray) -> np.ndarray:
    """Return which candidates the judges find worse than the best by ``SURE`` standard errors.

    ``likelihoods`` is (candidates, nodes). The errors are those of the mean of the differences of
    logarithms over the nodes.

    >>> clearly_worse(np.array([[0.9, 0.8, 0.7, 0.9], [0.5, 0.5, 0.5, 0.5], [0.8, 0.9, 0.9, 0.7]]))
    array([False,  True, False])
    """
    logs = np.log(np.maximum(likelihoods, LEAST))
    gaps = logs[logs.mean(axis=1).argmax()] - logs
    errors = gaps.std(axis=1, ddof=1) / np.sqrt(gaps.shape[1])
    return np.asarray(gaps.mean(axis=1) > SURE * errors)


def stack(likelihoods: np.ndarray, credit: np.ndarray | float = CREDIT) -> np.ndarray:
    """Return the weights w that maximise Σ_i log Σ_m w_m p_mi + Σ_m c_m log w_m.

    ``likelihoods`` p is (candidates, nodes). In the second sum every candidate has explained
    ``credit`` c nodes more. The objective is concave, and expectation–maximisation finds its
    maximum.

    >>> stack(np.array([[0.9] * 30, [0.1] * 30])).round(2).tolist()
    [0.99, 0.01]
    >>> stack(np.full((2, 30), 0.7)).tolist()
    [0.5, 0.5]
    """
    count = len(likelihoods)
    weights = np.full(count, 1 / count)
    for _ in range(ROUNDS):
        explained = weights[:, None] * likelihoods
        explained /= np.maximum(explained.sum(axis=0), LEAST)
        weights = explained.sum(axis=1) + credit
        weights /= weights.sum()
    return weights
