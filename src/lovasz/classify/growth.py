"""Answers on a graph that has grown or changed since the fit, without training again.

Nodes are recognised by name. Labels stay with the nodes they were given to.

- Networks apply their weights with the kernels of the new graph. Without features (X = I) a new
  node has no row of weights of its own, and is answered from what its neighbours pass on.
- Label spreading, Correct and Smooth, forests, block models and comparisons of features,
  surroundings, roles and spectral coordinates infer again on the new graph, from the same labels;
  no weights are kept.

The shares of the candidates, their calibrations and the scaling of features are those of the fit.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lovasz.base.device import one_thread
from lovasz.base.errors import LovaszError
from lovasz.base.frames import make_frame
from lovasz.base.text import pluralize, short_repr
from lovasz.classify.bench import Bench, Candidate, Fitted
from lovasz.classify.candidates import CANDIDATES, NetworkCandidate, identity, is_auto
from lovasz.classify.features import check_features, scale_table, stored_like
from lovasz.classify.inference import network_logits
from lovasz.classify.islands import Islands
from lovasz.classify.keeping import answering_parts, fitted_problem
from lovasz.classify.problem import GIVEN, Problem
from lovasz.classify.schedule import prior_of
from lovasz.graphs import Graph, as_graph
from lovasz.graphs.hypergraph import Expansion
from lovasz.graphs.similarity import similarity_graph
from lovasz.graphs.weight_sums import check_weight_sums

if TYPE_CHECKING:
    import pandas

    from lovasz.classify.lcn import LCNClassifier


@dataclass(frozen=True)
class Extension:
    """The answers on a graph that has grown, one row per node of that graph."""

    nodes: Sequence[Hashable]
    """The nodes of the new graph, in its order."""
    classes: np.ndarray
    """The sorted classes."""
    probabilities: np.ndarray
    """(n, classes) probabilities."""
    new: np.ndarray
    """(n,) mask of the nodes that the classifier was not fitted on."""
    unreached: np.ndarray
    """(n,) mask of the nodes in components without a labelled node."""
    notes: tuple[str, ...]
    """What the classifier cannot know about this graph, in words."""

    @property
    def predictions(self) -> np.ndarray:
        """The class of every node."""
        return np.asarray(self.classes[self.probabilities.argmax(axis=1)])

    def to_frame(self) -> pandas.DataFrame:
        """Return a table with one row per node."""
        return make_frame(
            {
                "node": list(self.nodes),
                "class": self.predictions,
                "probability": self.probabilities.max(axis=1),
                "new": self.new,
                "unreached": self.unreached,
            }
        )


def extend_graph(classifier: LCNClassifier, graph: Any, features: Any = None) -> Extension:
    """Return the answers of a fitted classifier on a graph that has grown."""
    problem = fitted_problem(classifier, "predict(graph=…)")
    if classifier._table is not None:
        raise LovaszError("this model was fitted on a feature table; pass new rows: predict(rows)")
    if classifier.kernel_name_ == GIVEN:
        raise LovaszError("a grown graph needs a kernel by name, this model was given a matrix")
    grown = as_graph(graph)
    if isinstance(grown, Expansion) or isinstance(problem.graph, Expansion):
        raise LovaszError("predict(graph=…) is for graphs; fit a hypergraph that has grown again")
    check_weight_sums(grown)
    order, kept = align(problem.graph, grown)
    there = len(kept)
    table = _read_features(problem, grown, features)
    matrix = grown.adjacency[order][:, order]
    matrix.sort_indices()
    inner = Graph(matrix, tuple(grown.nodes[row] for row in order.tolist()))
    codes = np.full(grown.n, -1)
    codes[:there] = problem.codes[kept]
    rows = [None if X is None else X[order] for X in table]
    later = Problem(inner, problem.classes, codes, *rows)
    P, unreached = answer_later(classifier, problem, later, kept)
    back = np.empty_like(order)
    back[order] = np.arange(grown.n)
    notes = _notes(problem, grown.n - there, problem.graph.n - there, int(unreached.sum()))
    return Extension(
        grown.nodes, problem.classes, P[back], (np.arange(grown.n) >= there)[back],
        unreached[back], notes,
    )  # fmt: skip


def extend_table(classifier: LCNClassifier, rows: np.ndarray) -> np.ndarray:
    """Return the probabilities of new feature rows, which join the graph of the table."""
    table, problem = classifier._table, classifier._problem
    if table is None or problem is None:
        raise LovaszError("new rows need a classifier that was fitted on a feature table")
    if rows.shape[1] != table.shape[1]:
        raise LovaszError(
            f"X has {rows.shape[1]} features, but {type(classifier).__name__} is expecting "
            f"{table.shape[1]} features as input; pass the columns of the fit"
        )
    auto = is_auto(classifier.kernel)
    if not auto and problem.features is not None:
        raise LovaszError("new rows can be labelled only when fit was called with features=None")
    if classifier.kernel_name_ == GIVEN:
        raise LovaszError("new rows need a kernel by name, this model was given a matrix")
    whole = scale_table(table, rows, classifier.scale)
    options = classifier.affinity_options or {}
    graph = similarity_graph(whole, classifier.affinity, **options)
    codes = np.append(problem.codes, np.full(len(rows), -1))
    X = whole.astype(np.float32) if auto else None
    later = Problem(graph, problem.classes, codes, X)
    P, _ = answer_later(classifier, problem, later, np.arange(len(table)))
    return P[len(table) :]


def align(old: Graph, grown: Graph) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the grown graph, old nodes first, and the old rows of these nodes.

    Old nodes are in their old order and new ones sorted by name, so that no answer depends on the
    order in which the nodes of the new graph are given.
    """
    kept = [row for row, name in enumerate(old.nodes) if name in grown.positions]
    if not kept:
        raise LovaszError(
            f"no node of the fitted graph ({short_repr(old.nodes[0])}, …) is in the new one "
            f"({', '.join(map(repr, grown.nodes[:1]))}, …); check the names and their type"
        )
    new = [name for name in grown.nodes if name not in old.positions]
    new.sort(key=lambda name: (type(name).__name__, str(name)))
    names = [*(old.nodes[row] for row in kept), *new]
    order = np.array([grown.positions[name] for name in names], dtype=np.int64)
    return order, np.array(kept, dtype=np.int64)


def _read_features(problem: Problem, grown: Graph, features: Any) -> list[Any]:
    """Return the features of the grown graph in both scales of the fit, stored as they were."""
    if problem.features is None:
        if features is not None:
            raise LovaszError("this model was fitted without features; leave features out")
        return [None, None]
    if features is None:
        raise LovaszError(
            "this model was fitted with features; pass features=…, one row per node of the new "
            "graph, old nodes included"
        )
    checked = check_features(features, grown.nodes)
    wide = problem.features.shape[1]
    if checked.shape[1] != wide:
        raise LovaszError(f"features have {checked.shape[1]} columns, those of the fit had {wide}")
    # Sparse rows of features are compared in another way than dense ones.
    stored = stored_like(checked, problem.features)
    return [scaling and scaling(stored) for scaling in (problem.scaling, problem.other_scaling)]


def _notes(problem: Problem, new: int, missing: int, unreached: int) -> tuple[str, ...]:
    notes = []
    if new and problem.features is None:
        notes.append(
            f"{pluralize(new, 'new node')}: there are no features, so a new node is known by its "
            "neighbours alone"
        )
    if missing:
        notes.append(f"{pluralize(missing, 'node')} of the fitted graph not in the new one")
    if unreached:
        source = "the shares of the classes" if problem.features is None else "their features alone"
        notes.append(f"{pluralize(unreached, 'node')} that no label reaches, answered by {source}")
    return tuple(notes)


def answer_later(
    classifier: LCNClassifier, before: Problem, later: Problem, kept: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the probabilities of all nodes of a later problem, and which no label reaches.

    The first nodes of the later problem are rows ``kept`` of the problem ``before``, of the fit.
    """
    auto, blend = is_auto(classifier.kernel), classifier.blend_
    if auto and not (later.codes >= 0).any():
        raise LovaszError(
            "no labelled node is in the new graph, whose nodes are answered from labels; keep "
            "some of them, or fit a model with one kernel, such as kernel='gcn'"
        )
    taught = np.isin(kept, classifier._taught).nonzero()[0]
    parts = answering_parts(classifier, taught)
    done: dict[str, Fitted] = {}
    for name, share in blend.shares.items():
        candidate: Candidate = CANDIDATES[name] if auto else classifier._candidate(name)
        needed = share > 0 or name in classifier.networks_  # others may build on it
        has_prior = prior_of(candidate) in (None, *done)  # a tiny graph may not have it
        if needed and has_prior and candidate.suits(later):
            bench = Bench(
                later, parts, classifier.training_settings(), classifier.seed_, "cpu", done,
                calibrations=blend.calibrations,
            )  # fmt: skip
            weights = classifier.networks_.get(name, [])
            with one_thread():
                found = _answer_one(candidate, weights, bench, before, kept, classifier.layers)
            done[name] = Fitted(found)
    logits = {name: found.logits for name, found in done.items()}
    islands = Islands.of(later)
    unreached = islands.unreached()
    # On a graph without edges there may be no candidate that can answer.
    none = np.zeros((later.graph.n, len(later.classes)))
    P = blend(logits) if logits else none
    if auto and unreached.any():
        P[unreached] = islands.shares(P.shape[1])
        if later.features is not None:
            readers = [name for name in logits if CANDIDATES[name].reads_features]
            P[unreached] = blend(logits, readers)[unreached]
    labelled = later.codes >= 0
    if classifier.noisy:
        _keep_overruled(classifier, before, kept, P)
    else:
        P[labelled] = np.eye(P.shape[1])[later.codes[labelled]]
    return P, unreached


def _keep_overruled(
    classifier: LCNClassifier, before: Problem, kept: np.ndarray, P: np.ndarray
) -> None:
    """Give nodes whose label was overruled at the fit the answer that they had there.

    The runs that answer have learned the wrong labels by heart.
    """
    blend, places = classifier.blend_, {row: place for place, row in enumerate(kept.tolist())}
    for node, *_ in classifier.suspicious_:
        row = before.graph.positions[node]
        if row in places:
            P[places[row]] = blend.held_out[np.searchsorted(blend.judges, row)]


def _answer_one(
    candidate: Candidate,
    weights: list[np.ndarray],
    bench: Bench,
    before: Problem,
    kept: np.ndarray,
    layers: int,
) -> np.ndarray:
    """Return the (runs, n, classes) logits of one candidate on the later problem."""
    later, n = bench.problem, bench.problem.graph.n
    if not isinstance(candidate, NetworkCandidate):
        return candidate.fit(bench, None).logits
    K = identity(n)
    if candidate.kernel is not None:
        K = later.kernels.get(candidate.kernel, candidate.options)
    X = candidate.read(later, before)
    if X is None:
        weights = [weights[0][kept], *weights[1:]]
    layers = candidate.changes.get("layers", layers)
    return network_logits(K, candidate.propagation, weights, X, layers=layers)
