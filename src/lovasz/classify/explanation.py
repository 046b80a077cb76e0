"""Why a node was answered as it was: the pieces of evidence, and the effect of removing each.

A piece is one of three kinds.

- ``label``: a labelled node within two steps. Removing it cuts all its entries in all kernels, so
  neither its label nor its features pass on.
- ``edge``: a link between unlabelled nodes within two steps. Removing it cuts that entry.
- ``features``: the features of the node itself. Removing them sets them to zero.

The effect of a piece is the probability of the answer with everything, less that without the piece.
It is computed by removing the piece, not estimated; :mod:`lovasz.classify.local_answers` says what
is held fixed meanwhile, above all the weights of the networks: how a label taught them is not
undone. Nothing is drawn at random.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lovasz.base.checks import check_whole
from lovasz.base.device import one_thread
from lovasz.base.errors import LovaszError
from lovasz.base.frames import make_frame
from lovasz.base.text import short_repr
from lovasz.classify.candidates import CANDIDATES
from lovasz.classify.explainer import Explainer
from lovasz.classify.keeping import fitted_problem
from lovasz.classify.local_answers import Removals

if TYPE_CHECKING:
    import pandas

    from lovasz.classify.lcn import LCNClassifier

Kind = Literal["label", "edge", "features"]
"""The kinds of evidence."""
MOST_PIECES = 300
"""Largest number of pieces that are removed for one node; of more, those are tried that short walks
from the node pass most."""
JOINTLY = 5
"""Number of pieces for an answer that are chosen by what they change together."""
POOL = 2
"""They are chosen among this many times as many pieces as are shown."""
CARD_PIECES = 3
"""Number of pieces of evidence on a card."""


@dataclass(frozen=True)
class Evidence:
    """A piece of the evidence for an answer."""

    kind: Kind
    """What the piece is; see the module."""
    nodes: tuple[Any, ...]
    """The labelled node, the two ends of the edge, or the node itself."""
    effect: float
    """Probability of the answer with everything, less that without this piece. It is negative if
    the piece speaks against the answer."""
    text: str
    """The piece in words."""


@dataclass(frozen=True)
class Explanation:
    """Why a node was answered as it was."""

    node: Any
    """The node."""
    answer: Any
    """The class it was given."""
    probability: float
    """The probability of that class."""
    runner_up: Any
    """The class that is next in probability."""
    evidence: tuple[Evidence, ...]
    """The pieces for and against the answer, those with the largest effects first."""
    explained_share: float
    """The part of the answer, by the shares of the candidates, that the effects are about."""

    def __str__(self) -> str:
        head = (
            f"{self.node} is {self.answer!r} with probability {self.probability:.2f} "
            f"(next: {self.runner_up!r})"
        )
        return "\n".join([head, *(f"  {one.effect:+.3f}  {one.text}" for one in self.evidence)])

    def to_frame(self) -> pandas.DataFrame:
        """Return the evidence as a table with one row per piece."""
        names = ("kind", "nodes", "effect", "text")
        return make_frame({name: [getattr(one, name) for one in self.evidence] for name in names})


@dataclass(frozen=True)
class Piece:
    """A piece of evidence before it is removed, by rows of the graph."""

    kind: Kind
    rows: tuple[int, ...]
    """The labelled node, the two ends of the edge, or the node itself."""


def explain_node(classifier: LCNClassifier, node: Any, *, top: int = 10) -> Explanation:
    """Return the explanation of one node."""
    check_whole(top, "top", least=1)
    explainer = explainer_of(classifier)
    with one_thread():
        return _explain(explainer, _row(explainer, node), top, steps=2)


def explanation_cards(
    classifier: LCNClassifier, nodes: Iterable[Any], *, top: int = CARD_PIECES
) -> Iterator[tuple[Any, list[str]]]:
    """Yield each node with its evidence: labels within two steps and its own links, a line each.

    Links between two other nodes are left out, which makes a card cheaper than an explanation.
    """
    explainer = explainer_of(classifier)
    for node in nodes:
        with one_thread():
            found = _explain(explainer, _row(explainer, node), top, steps=1)
        yield (
            node,
            [
                f"{one.effect:+.2f} {one.text}".replace("-", "\N{MINUS SIGN}", one.effect < 0)
                for one in found.evidence
            ],
        )


def explainer_of(classifier: LCNClassifier) -> Explainer:
    """Return the explainer of a fitted classifier, which is made once."""
    problem = fitted_problem(classifier, "explain")
    if classifier._explainer is None:
        with one_thread():
            classifier._explainer = Explainer(classifier, problem)
    return classifier._explainer


def _row(explainer: Explainer, node: Any) -> int:
    positions = explainer.problem.graph.positions
    try:
        return positions[node]
    except (KeyError, TypeError):
        raise LovaszError(
            f"{short_repr(node)} is not a node of the graph; "
            "check the spelling and the type of the name"
        ) from None


def _explain(explainer: Explainer, row: int, top: int, *, steps: int) -> Explanation:
    classifier = explainer.classifier
    P = classifier._probabilities[row]
    order = np.argsort(-P, kind="stable")
    answer = int(order[0])
    names = answering_names(explainer, row)
    if explainer.problem.codes[row] >= 0 and not classifier.noisy:
        evidence = [_own_label(explainer, row, answer, names)]
    else:
        pieces = list_pieces(explainer, row, steps=steps) if names else []
        effects = piece_effects(explainer, row, answer, pieces, names)
        shown = choose_pieces(explainer, row, answer, pieces, effects, names, top, joint=steps > 1)
        evidence = [_evidence(explainer, row, pieces[k], effects[k]) for k in shown]
        # Equal effects differ by rounding; they stay in the order in which they were chosen.
        evidence.sort(key=lambda one: -round(abs(one.effect), 6))
    return Explanation(
        explainer.problem.graph.nodes[row],
        _class(explainer, answer),
        float(P[answer]),
        _class(explainer, int(order[1])),
        tuple(evidence),
        explainer.share(names) if names else 0.0,
    )


def answering_names(explainer: Explainer, row: int) -> list[str]:
    """Return the candidates that answered for a node: those that read features on an island."""
    names = [name for name, share in explainer.classifier.blend_.shares.items() if share > 0]
    if not (explainer.auto and explainer.classifier.unreached_[row]):
        return names
    if explainer.problem.features is None:
        return []
    return [name for name in names if CANDIDATES[name].reads_features]


def piece_effects(
    explainer: Explainer, row: int, answer: int, pieces: list[Piece], names: list[str]
) -> np.ndarray:
    """Return the effect of removing each piece on the probability of class ``answer``."""
    if not pieces:
        return np.empty(0)
    P = remove(explainer, row, [[], *([piece] for piece in pieces)], names)[:, answer]
    return np.asarray(P[0] - P[1:])


def choose_pieces(
    explainer: Explainer,
    row: int,
    answer: int,
    pieces: list[Piece],
    effects: np.ndarray,
    names: list[str],
    top: int,
    *,
    joint: bool = True,
) -> list[int]:
    """Return which pieces to show: those for the answer, then those against it.

    Two pieces that say the same have a small effect each, because the other remains. So the first
    ``JOINTLY`` pieces for the answer are chosen one after the other, each as the one that lowers
    the probability most when it is removed with those before it; ``joint=False`` orders them by
    their effects alone.
    """
    ranked = np.argsort(-effects, kind="stable").tolist()
    largest = set(np.argsort(-abs(effects), kind="stable")[:top].tolist())
    count = sum(effects[k] > 0 for k in largest)
    pool = [k for k in ranked if effects[k] > 0][: POOL * top]
    chosen: list[int] = []
    while joint and pool and len(chosen) < min(JOINTLY, count):
        tried = [[pieces[k] for k in (*chosen, one)] for one in pool]
        left = remove(explainer, row, tried, names)[:, answer]
        chosen.append(pool.pop(int(left.argmin())))
    chosen += pool[: count - len(chosen)]
    return [*chosen, *(k for k in ranked if k in largest and effects[k] <= 0)]


def remove(
    explainer: Explainer,
    row: int,
    removals: list[list[Piece]],
    names: list[str],
    *,
    fraction: float = 1.0,
) -> np.ndarray:
    """Return (removals, classes) probabilities of a node, each with some pieces removed.

    ``fraction`` takes away only a part of every entry.
    """
    cuts, features = [], []
    for pieces in removals:
        ends = [cut_entries(explainer, piece) for piece in pieces]
        cuts.append(np.concatenate([np.empty((0, 2), dtype=np.int64), *ends]))
        features.append(any(piece.kind == "features" for piece in pieces))
    wanted = Removals.of(cuts, features, fraction=fraction)
    return explainer.probabilities(row, wanted, names)


def cut_entries(explainer: Explainer, piece: Piece) -> np.ndarray:
    """Return the (pairs, 2) kernel entries that go with a piece."""
    if piece.kind == "edge":
        return np.array([piece.rows])
    if piece.kind == "features":
        return np.empty((0, 2), dtype=np.int64)
    A, u = explainer.pattern, piece.rows[0]
    beside = A.indices[A.indptr[u] : A.indptr[u + 1]]
    beside = beside[beside != u]
    return np.stack([np.full(len(beside), u), beside], axis=1)


def list_pieces(explainer: Explainer, row: int, *, steps: int = 2) -> list[Piece]:
    """Return the pieces of evidence for a node; ``steps=1`` leaves out links of two other nodes.

    A link to a labelled node is part of the piece of that node.
    """
    W, codes = explainer.weights, explainer.problem.codes

    def beside(node: int) -> list[tuple[int, float]]:
        span = slice(W.indptr[node], W.indptr[node + 1])
        pairs = zip(W.indices[span].tolist(), W.data[span].tolist(), strict=True)
        return [(j, w) for j, w in pairs if j != node]

    walked: dict[Piece, float] = {}

    def pass_through(piece: Piece, weight: float) -> None:
        walked[piece] = walked.get(piece, 0.0) + weight

    if explainer.problem.features is not None:
        pass_through(Piece("features", (row,)), np.inf)
    for j, w in beside(row):
        pass_through(Piece("edge", (row, j)) if codes[j] < 0 else Piece("label", (j,)), w)
        for k, further in beside(j):
            if k != row and codes[k] >= 0:
                pass_through(Piece("label", (k,)), w * further)
            elif k != row and codes[j] < 0 and steps > 1:
                pass_through(Piece("edge", (min(j, k), max(j, k))), w * further)
    ranked = sorted(walked, key=lambda piece: -walked[piece])  # sorting keeps the order of equals
    return ranked[:MOST_PIECES]


def _evidence(explainer: Explainer, row: int, piece: Piece, effect: float) -> Evidence:
    """Return a piece with names in place of rows, and in words."""
    nodes = tuple(explainer.problem.graph.nodes[k] for k in piece.rows)
    if piece.kind == "features":
        text = "its own features"
    elif piece.kind == "label":
        near = explainer.pattern[row, piece.rows[0]] != 0
        where = f"its neighbour {nodes[0]}" if near else f"{nodes[0]}, two links away"
        text = (
            f"{where}, labelled {_class(explainer, int(explainer.problem.codes[piece.rows[0]]))!r}"
        )
    else:
        said = explainer.classifier._probabilities[list(piece.rows)].argmax(axis=1)
        first, second = (f"{nodes[k]}, answered {_class(explainer, said[k])!r}" for k in (0, 1))
        text = (
            f"its neighbour {second}"
            if piece.rows[0] == row
            else (f"the link between {first}, and {second}")
        )
    return Evidence(piece.kind, nodes, float(effect), text)


def _own_label(explainer: Explainer, row: int, answer: int, names: list[str]) -> Evidence:
    """Return the given label of a node as the evidence for it."""
    blend = explainer.classifier.blend_
    node, name = explainer.problem.graph.nodes[row], _class(explainer, answer)
    at = int(np.searchsorted(blend.judges, row))
    if len(blend.held_out) and at < len(blend.judges) and blend.judges[at] == row:
        left = float(blend.held_out[at, answer])
        text = f"its own label; runs that have not seen it say {name!r} with probability {left:.2f}"
    else:
        left = float(remove(explainer, row, [[]], names)[0, answer]) if names else 0.0
        text = f"its own label; runs that have learned it say {name!r} with probability {left:.2f}"
    return Evidence("label", (node,), 1 - left, text)


def _class(explainer: Explainer, code: int) -> Any:
    return explainer.problem.classes[code].item()
