"""One answer of many networks: several candidates, each trained on several parts of the labels.

A network's own validation nodes chose the epoch it stopped at, so they flatter it, and the more
flexible it is the more. Candidates are therefore judged by nodes that neither taught nor stopped
the network (``Split.test``), and where there are such nodes nothing is thrown away: the answer is

    P(v) = Σ_m w_m · mean over parts b of P_mb(v),

with the calibrated probabilities P_mb and the weights w that make the classes of the judging nodes
most likely (stacking: Wolpert, 1992; of probabilities: Yao et al., 2018).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lovasz.classify.calibration import FEWEST_TO_CALIBRATE, Calibration
from lovasz.classify.evaluation import Trial, choose_candidate, judge_logits
from lovasz.classify.splits import Split

ROUNDS = 500


@dataclass(frozen=True)
class Blend:
    """How networks answer together."""

    shares: dict[str, float]
    """Candidate -> w, which sum to 1; a single 1 where one was chosen."""
    calibrations: dict[str, Calibration]
    tried: dict[str, Trial]
    """Every candidate on the judging nodes."""
    accuracy: float
    """Of all together on the judging nodes, each judged by networks that did not see it; NaN
    where there are too few."""
    judged: int
    """How many there were; a node counts once a part."""

    @property
    def chosen(self) -> str:
        """The candidate with the largest share; of equals the first."""
        return max(self.shares, key=lambda name: self.shares[name])

    def __call__(self, logits: Mapping[str, np.ndarray]) -> np.ndarray:
        """(n, classes) probabilities of candidates' logits (parts, n, classes)."""
        used = [name for name, share in self.shares.items() if share > 0]
        answer = np.zeros(logits[used[0]].shape[1:])
        for name in used:
            for part in logits[name]:  # one at a time: a graph may be large
                answer += self.shares[name] / len(logits[name]) * self.calibrations[name](part)
        return answer


def blend(logits: Mapping[str, np.ndarray], y: np.ndarray, splits: Sequence[Split]) -> Blend:
    """Of candidates' logits (parts, n, classes), and the part of the labels each run had.

    Where no nodes were kept to judge by, validation nodes judge, and the best candidate alone is
    used: weights fitted to nodes that the networks were chosen by would be too sure.
    """
    kept = all(len(split.test) for split in splits)
    judges = [split.test if kept else split.validation for split in splits]
    classes = np.concatenate([y[nodes] for nodes in judges])
    values = {
        name: np.concatenate([z[b][nodes] for b, nodes in enumerate(judges)])
        for name, z in logits.items()
    }
    judged = {name: judge_logits(found, classes) for name, found in values.items()}
    calibrations = {name: calibration for name, (calibration, _) in judged.items()}
    tried = {name: trial for name, (_, trial) in judged.items()}
    enough = len(classes) >= FEWEST_TO_CALIBRATE
    shares = dict.fromkeys(tried, 0.0) | {choose_candidate(tried): 1.0}
    said = np.stack([calibrations[name](values[name]) for name in values])
    if kept and enough:
        weights = stack(said[:, np.arange(len(classes)), classes])
        shares = dict(zip(tried, weights.tolist(), strict=True))
    mixed = np.tensordot([*shares.values()], said, 1)
    right = float((mixed.argmax(axis=1) == classes).mean()) if enough else np.nan
    return Blend(shares, calibrations, tried, right, len(classes))


def stack(likelihoods: np.ndarray) -> np.ndarray:
    """Weights w that maximise Σ_i log Σ_m w_m p_mi + Σ_m log w_m, for (candidates, nodes) p.

    The second sum, as if every candidate had explained one node more, keeps few nodes from
    deciding everything. Expectation–maximisation; the maximum is unique, as it is concave.

    >>> stack(np.array([[0.9] * 30, [0.1] * 30])).round(2).tolist()
    [0.96, 0.04]
    >>> stack(np.full((2, 30), 0.7)).tolist()
    [0.5, 0.5]
    """
    count, nodes = likelihoods.shape
    weights = np.full(count, 1 / count)
    for _ in range(ROUNDS):
        explained = weights[:, None] * likelihoods
        explained /= explained.sum(axis=0)
        weights = (explained.sum(axis=1) + 1) / (nodes + count)
    return weights
