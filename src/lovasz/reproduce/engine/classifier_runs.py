"""``LCNClassifier()`` as users get it: fitted through its public interface and scored."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from lovasz.classify.calibration import calibration_error, error_by_chance
from lovasz.classify.expectation import macro_f1


def fit_classifier(
    graph: Any,
    y: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    *,
    features: Any = None,
    validation: np.ndarray | None = None,
    seed: int,
    device: str,
    **options: Any,
) -> dict[str, Any]:
    """Fit LCNClassifier with its defaults to the labels of ``train``, and score it on ``test``.

    ``options`` are parameters of the classifier that the input needs or that the method is about,
    such as the affinity of a table or ``fast``. The labels of the ``validation`` nodes are known
    too, and nothing is trained on them, except on one of a class without a training label.
    """
    import lovasz.clustering.block_model
    import lovasz.nn.networks.propagation  # noqa: F401  # loaded before the clock starts
    from lovasz.classify import LCNClassifier

    known = np.full(len(y), -1)
    known[train] = y[train]
    given: dict[str, Any] = {}
    if validation is not None:
        known[validation] = y[validation]
        given["validation"] = validation
    classifier = LCNClassifier(random_state=seed, device=device, **options)
    started = time.monotonic()
    classifier.fit(graph, known, features, **given)
    seconds = time.monotonic() - started
    probabilities = np.zeros((len(y), int(y.max()) + 1))
    probabilities[:, classifier.classes_.astype(int)] = classifier.predict_proba()
    return {
        **score_probabilities(probabilities[test], y[test]),
        "seconds": round(seconds, 3),
        **_expected(classifier),
        "shares": {k: round(v, 4) for k, v in classifier.blend_.shares.items() if v > 0},
        "candidates": digest_candidates(
            n for n, share in classifier.blend_.shares.items() if share > 0
        ),
    }


def digest_candidates(names: Iterable[str]) -> str:
    """Return a digest of the settings of candidates, which changes when one of them does."""
    from lovasz.classify.blend import CREDIT
    from lovasz.classify.candidates import CANDIDATES

    settings = "\n".join(f"{name}: {CANDIDATES.get(name)}, {CREDIT}" for name in sorted(names))
    return sha256(settings.encode()).hexdigest()[:8]


def lacks_candidates(names: Collection[str], *, fast: bool = False) -> bool:
    """Return whether a candidate that builds on one of these would be tried beside them today.

    >>> lacks_candidates(["similar surroundings", "linear"], fast=True)
    True
    """
    from lovasz.classify.candidates import CANDIDATES, FAST_LEAVES_OUT, TRUSTED

    if set(names) <= set(TRUSTED):  # there were too few labels for others
        return False
    left_out = FAST_LEAVES_OUT if fast else ()
    bases = {n: getattr(c, "prior", None) for n, c in CANDIDATES.items() if n not in left_out}
    return any(base in names and name not in names for name, base in bases.items())


def name_dated(results: Mapping[tuple[str, str], Any]) -> str:
    """Say on which rows auto was measured before its candidates became what they are; "" if none.

    The digests are of the candidates that have a share in the answer. A candidate that has been
    added since is noticed if it builds on one of them.
    """
    said = []
    for asked, name in {"auto": "auto", "auto-fast": "auto, fast,"}.items():
        cells = {row: cell for (row, method), cell in results.items() if method == asked}
        dated = [
            row
            for row, cell in cells.items()
            if cell.get("candidates") != [digest_candidates(shares) for shares in cell["shares"]]
            or any(lacks_candidates(shares, fast=asked != "auto") for shares in cell["shares"])
        ]
        if dated:
            which = "all rows" if len(dated) == len(cells) else f"these rows: {'; '.join(dated)}"
            said.append(
                f"{name[0].upper()}{name[1:]} was measured before a setting of its candidates was "
                f"changed, and not again since, on {which}."
            )
    return " ".join(said)


def _expected(classifier: Any) -> dict[str, float | None]:
    """The accuracy that the classifier expects, and its interval, in per cent if there is one."""
    found = classifier.expected_accuracy_, *(classifier.expected_range_ or (None, None))
    return {
        name: None if value is None else round(100 * value, 4)
        for name, value in zip(("expected", "low", "high"), found, strict=True)
    }


def score_probabilities(probabilities: np.ndarray, truth: np.ndarray) -> dict[str, Any]:
    """Accuracy, macro-F1 and calibration error, all in per cent, of probabilities by class code.

    The calibration error that right probabilities would have by chance comes with it.
    """
    answers = probabilities.argmax(axis=1)
    return score_answers(answers, truth, probabilities.shape[1]) | {
        "error": round(calibration_error(probabilities, truth), 4),
        "error_by_chance": round(error_by_chance(probabilities.max(axis=1)), 4),
    }


def score_answers(answers: np.ndarray, truth: np.ndarray, classes: int) -> dict[str, Any]:
    """Accuracy and macro-F1 in per cent of answers without probabilities."""
    return {
        "test": round(100 * float((answers == truth).mean()), 4),
        "macro_f1": round(100 * macro_f1(answers, truth, classes), 4),
        "error": None,
    }


def columns_of(runs: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The scores of all runs, as one list per name."""
    return {name: [run[name] for run in runs] for name in runs[0]}


def coverage(cell: Mapping[str, Any]) -> tuple[int, int]:
    """In how many runs the expected interval holds the test accuracy, and how many have one.

    >>> coverage({"test": [80, 90, 85], "low": [75, 91, None], "high": [85, 95, None]})
    (1, 2)
    """
    runs = zip(cell["test"], cell["low"], cell["high"], strict=True)
    inside = [low <= test <= high for test, low, high in runs if low is not None]
    return sum(inside), len(inside)


def mean_shares(cell: Mapping[str, Any]) -> dict[str, float]:
    """The mean share of each candidate in the answers, the largest first."""
    names = dict.fromkeys(name for run in cell["shares"] for name in run)
    means = {n: float(np.mean([run.get(n, 0.0) for run in cell["shares"]])) for n in names}
    return dict(sorted(means.items(), key=lambda pair: -pair[1]))


def write_shares(cell: Mapping[str, Any], most: int = 3) -> str:
    """The candidates on which the answers rest most.

    >>> write_shares({"shares": [{"ls": 0.7, "gcn": 0.3}, {"ls": 0.9, "gcn": 0.1}]})
    'ls 80 %, gcn 20 %'
    """
    largest = [*mean_shares(cell).items()][:most]
    return ", ".join(f"{name} {100 * share:.0f} %" for name, share in largest)
