"""The Lovász Convolutional Network as an estimator."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from lovasz.base.errors import LovaszError, NoSuchAttribute
from lovasz.base.progress import Callback
from lovasz.classify.answer_tables import AnswerTables
from lovasz.classify.bench import Bench, Fitted
from lovasz.classify.blend import blend
from lovasz.classify.candidates import (
    CANDIDATES,
    PATIENCE,
    TRUSTED,
    NetworkCandidate,
    candidates_for,
    is_auto,
)
from lovasz.classify.dealing import deal_labels, split_labels
from lovasz.classify.estimator import NodeClassifier, check_table, not_fitted
from lovasz.classify.islands import Islands
from lovasz.classify.keeping import fitted_problem, keep
from lovasz.classify.named import train_named
from lovasz.classify.parameters import check_parameters, seed_of
from lovasz.classify.parts import Parts
from lovasz.classify.problem import Problem
from lovasz.classify.schedule import fit_candidates
from lovasz.classify.settling import settle
from lovasz.classify.warm_start import add_labels

if TYPE_CHECKING:
    from torch import Tensor

    from lovasz.classify.explainer import Explainer
    from lovasz.classify.explanation import Explanation
    from lovasz.classify.forecast import Forecast
    from lovasz.classify.growth import Extension
    from lovasz.classify.suggestions import Suggestions
    from lovasz.nn import LCN, Settings


class LCNClassifier(AnswerTables, NodeClassifier):
    """Label the nodes of a graph from a few labels with a Lovász Convolutional Network.

    f(X, K) = softmax(K ReLU(K X W⁰) W¹) with K in 𝒦(G); ``kernel="gcn"`` makes it a GCN.
    With "auto" also softmax(p(K) ReLU(X W⁰) W¹), see :mod:`lovasz.nn.networks.propagation`.

    Parameters
    ----------
    kernel : a name that :func:`lovasz.kernel` knows, a matrix (also :class:`lovasz.nn.LowRank`), or
        "auto": networks on several kernels, models of the features, of what surrounds a node and
        of spectral coordinates, label spreading, Correct and Smooth, and block models answer
        together, weighted by labels kept from each (:mod:`lovasz.classify.candidates`).
    kernel_options : options of a named kernel.
    affinity : "precomputed" if ``fit`` is given a graph; "rbf", "cosine" or "knn" if it is given
        an (n, d) feature table to make a graph of, with ``affinity_options``.
    hidden, layers, dropout, lr, weight_decay, epochs, patience : see :class:`lovasz.nn.Settings`.
        With "auto" a candidate may change some, and has at least two hidden units per class.
    bias : whether every layer of a network on a named kernel adds a learned vector.
    scale : how to scale features and feature tables: "auto", "rows", "columns" or None.
    validation_fraction : share of the labels that chooses the epoch of a network on a named kernel,
        if ``fit`` is given no validation nodes.
    fast : leave out the candidates of "auto" that are networks, and use fewer folds. All that is
        left is computed by regression, a few sweeps or trees, and torch is not imported.
    noisy : let the answer overrule given labels. Otherwise a labelled node keeps its label.
    random_state : seed; the same seed gives the same answer to the last bit on a CPU.
    device : "auto", "cpu", "cuda".
    precision : "single", "mixed" or "double", see :mod:`lovasz.nn.engine.precision`.

    Attributes
    ----------
    nodes_, classes_ : the nodes of the graph in order, and the sorted classes.
    transduction_ : the class of every node.
    blend_ : a :class:`lovasz.classify.blend.Blend`, the share of each candidate in the answer and
        how its logits become probabilities.
    tried_ : candidate -> :class:`lovasz.classify.evaluation.Trial`, on labels kept from it.
    chosen_ : the name of the candidate with the largest share.
    network_ : the name of the network on a kernel with the largest share. The attributes
        ``kernel_``, ``kernel_name_``, ``propagation_`` ("hop" for the network of the paper),
        ``logits_``, ``weights_`` (one matrix per layer, then biases, then coefficients of p if they
        were learned), ``model_`` (a :class:`lovasz.nn.LCN`, which needs PyTorch Geometric) and
        ``training_`` (curves and weights, not saved) are those of this network; if it was trained
        several times, logits and weights are those of the first run that answers. With ``fast``
        there is none: ``network_`` and ``training_`` are None, ``logits_`` are those of
        ``chosen_``, and ``kernel_`` is the one of GCN, with which features are averaged.
    networks_ : candidate -> weights of the networks that answer, also for new rows and nodes.
    expectation_ : a :class:`lovasz.classify.expectation.Expectation` for unlabelled nodes, from
        labels kept from the answer, or None if there are too few. A network on a named kernel chose
        its epoch by the same labels, so its estimate is a little too high.
    expected_accuracy_, expected_range_ : its accuracy and the 95 % interval of that, or None.
    parts_, held_out_logits_ : a :class:`lovasz.classify.parts.Parts`, which labels each run learned
        from and was judged by, and candidate -> (judges, classes) logits; not saved.
    gcn_training_ : the runs of the candidate "gcn", or None if it was not tried; not saved.
    suspicious_ : given labels that the answer contradicts, as (node, given class, suggested class,
        probability of the suggested class), the most doubtful first.

    >>> two_triangles = [*zip("abccxyz", "bcaxyzx")]
    >>> clf = LCNClassifier(random_state=0).fit(two_triangles, {"a": "left", "z": "right"})
    >>> clf.predict().tolist()
    ['left', 'left', 'left', 'right', 'right', 'right']
    """

    _problem: Problem | None
    """What was fitted, or None for a loaded model of a hypergraph."""
    _probabilities: np.ndarray
    """(n, classes) probabilities."""
    _taught: np.ndarray
    """The labelled nodes that the runs that answer have learned from."""
    _starts: dict[str, list[Tensor]]
    """Candidate -> weights of all runs, from which ``partial_fit`` goes on."""
    _explainer: Explainer | None
    """What :meth:`explain` has prepared."""

    def __init__(
        self,
        kernel: Any = "auto",
        affinity: str = "precomputed",
        *,
        kernel_options: dict[str, Any] | None = None,
        affinity_options: dict[str, Any] | None = None,
        hidden: int = 16,
        layers: int = 2,
        dropout: float = 0.5,
        lr: float = 0.01,
        weight_decay: float = 5e-4,
        epochs: int = 200,
        patience: int | None = None,
        bias: bool = True,
        scale: str | None = "auto",
        validation_fraction: float = 0.2,
        fast: bool = False,
        noisy: bool = False,
        random_state: int | None = None,
        device: str = "auto",
        precision: str = "single",
    ) -> None:
        self.kernel = kernel
        self.affinity = affinity
        self.kernel_options = kernel_options
        self.affinity_options = affinity_options
        self.hidden = hidden
        self.layers = layers
        self.dropout = dropout
        self.lr = lr
        self.weight_decay = weight_decay
        self.epochs = epochs
        self.patience = patience
        self.bias = bias
        self.scale = scale
        self.validation_fraction = validation_fraction
        self.fast = fast
        self.noisy = noisy
        self.random_state = random_state
        self.device = device
        self.precision = precision

    def fit(
        self,
        graph: Any,
        y: Any,
        features: Any = None,
        validation: Any = None,
        *,
        callback: Callback | None = None,
    ) -> LCNClassifier:
        """Learn from the labelled nodes and label all nodes.

        ``y`` has one entry per node, -1 or None for unlabelled nodes, or is a dict {node: class}
        of the labelled ones. ``features`` has one row per node, in their order, or is a DataFrame
        indexed by node or a dict {node: row}; None gives every node one of its own (X = I). For
        cross-validation pass ``features=lambda: table``, because scikit-learn would cut a table.
        ``validation`` holds the rows of labelled nodes that choose the epoch and judge the
        candidates; nothing is trained on them. A class whose labels are all among them could never
        be answered, so the first of its nodes is learned from and does not judge.
        """
        check_parameters(self)
        problem = self._read(graph, y, features, self.scale, as_features=is_auto(self.kernel))
        return self.fit_problem(problem, validation, callback=callback)

    def fit_problem(
        self, problem: Problem, validation: Any = None, *, callback: Callback | None = None
    ) -> LCNClassifier:
        """:meth:`fit` for a problem whose labels are encoded and whose features are scaled."""
        check_parameters(self)
        self._remember(problem)
        self.seed_ = seed_of(self.random_state)
        if is_auto(self.kernel):
            if self.kernel_options:
                raise LovaszError("kernel='auto' takes no options; name the kernel they belong to")
            parts = deal_labels(self, problem, validation)
        else:
            parts = split_labels(self, problem, validation)
        self._validation, self._labels_at_fit = validation, int((problem.codes >= 0).sum())
        return self._learn(problem, parts, callback)

    def partial_fit(self, y: Any, *, callback: Callback | None = None) -> LCNClassifier:
        """Learn from more labels, or corrected ones, on the graph of the last :meth:`fit`.

        ``y`` has all labels, old and new, in any form that ``fit`` takes. Networks go on from the
        weights they have. A new class, enough labels to judge by for the first time, many more
        than at the last fit, or a loaded model are a fresh fit (:mod:`lovasz.classify.warm_start`).
        """
        return add_labels(self, y, callback)

    def _learn(
        self,
        problem: Problem,
        parts: Parts,
        callback: Callback | None,
        start: Mapping[str, Sequence[Tensor]] = MappingProxyType({}),
    ) -> LCNClassifier:
        """Fit on these parts of the labels; networks in ``start`` go on from their weights."""
        if is_auto(self.kernel):
            fitted = self._try_candidates(problem, parts, callback, start)
        else:
            fitted = train_named(self, problem, parts, callback, start)
        self._problem = problem
        logits = {name: found.logits for name, found in fitted.items()}
        credit = {name: found.credit for name, found in fitted.items()}
        self.blend_ = blend(
            logits, problem.codes, parts, trusted=TRUSTED, credit=credit, seed=self.seed_,
            unreached=Islands.of(problem).beyond(parts.taught),
        )  # fmt: skip
        self.tried_, self.chosen_ = self.blend_.tried, self.blend_.chosen
        self.held_out_logits_ = {name: parts.held_out(logits[name]) for name in logits}
        self.parts_, answers = parts, {name: parts.answers(logits[name]) for name in logits}
        keep(self, problem, fitted, parts)
        self.logits_ = answers[self.network_ or self.chosen_][0]
        self._settle(problem, answers)
        return self

    def _try_candidates(
        self,
        problem: Problem,
        parts: Parts,
        callback: Callback | None,
        start: Mapping[str, Sequence[Tensor]],
    ) -> dict[str, Fitted]:
        """Fit every candidate of "auto" on every part of the labels."""
        settings = replace(
            self.training_settings(),
            hidden=max(self.hidden, 2 * len(problem.classes)),
            patience=PATIENCE if self.patience is None else self.patience,
            bias=True,
            shared_epoch=True,
            shared_dropout=True,
        )
        bench = Bench(problem, parts, settings, self.seed_, self.device)
        tried = candidates_for(problem, fast=self.fast)
        return fit_candidates(bench, tried, callback, start)

    def _candidate(self, name: str) -> NetworkCandidate:
        """Return the network candidate ``name``; one without a kernel stands for all others."""
        if not is_auto(self.kernel):
            return NetworkCandidate(name, self.kernel_options or {})
        found = CANDIDATES[name]
        return found if isinstance(found, NetworkCandidate) else NetworkCandidate()

    def _settle(self, problem: Problem, answers: dict[str, np.ndarray]) -> None:
        """Set the answers, and what is to be said about them."""
        readers = None
        if is_auto(self.kernel):
            readers = [name for name in answers if CANDIDATES[name].reads_features]
        settled = settle(
            problem, self.blend_, answers, self.held_out_logits_, self.parts_,
            readers=readers, noisy=self.noisy,
        )  # fmt: skip
        self.blend_ = replace(self.blend_, held_out=settled.held_out)
        self.unreached_, self.expectation_ = settled.unreached, settled.expectation
        self.suspicious_ = settled.suspicious
        self._probabilities = settled.probabilities
        self.transduction_ = self.classes_[settled.probabilities.argmax(1)]

    @property
    def expected_accuracy_(self) -> float | None:
        """Estimated accuracy on unlabelled nodes, or None if too few labels were held out."""
        return None if self.expectation_ is None else self.expectation_.accuracy

    @property
    def expected_range_(self) -> tuple[float, float] | None:
        """The 95 % interval of ``expected_accuracy_``, or None if that is None."""
        found = self.expectation_
        return None if found is None else (found.low, found.high)

    @property
    def weights_(self) -> list[np.ndarray]:
        """The weights of the first run of ``network_``."""
        if self.network_ is None:
            raise NoSuchAttribute("fast=True trains no network; name a kernel, such as 'ls'")
        return [W[:, 0] for W in self.networks_[self.network_]]

    @property
    def model_(self) -> LCN:
        """The first run of ``network_`` as a torch module."""
        import torch

        from lovasz.nn import LCN

        found = self.weights_
        if self.propagation_ != "hop":
            raise NoSuchAttribute(
                f"auto chose the propagation {self.propagation_!r}, which LCN has not; name a "
                "kernel, such as 'ls', for a network that is one, or use weights_"
            )
        weights = [torch.from_numpy(W) for W in found]
        matrices, vectors = weights[: self.layers], weights[self.layers :]
        return LCN.from_weights(matrices, [b[0] for b in vectors])

    def training_settings(self) -> Settings:
        """The parameters that are settings of a training."""
        from lovasz.nn import Settings

        names = ("hidden", "layers", "dropout", "lr", "weight_decay", "epochs", "patience", "bias")
        return Settings(**{n: getattr(self, n) for n in names}, precision=self.precision)

    def predict(self, X: Any = None, *, graph: Any = None, features: Any = None) -> np.ndarray:
        """Return the class of every node, or of new rows of a feature table if fitted on one.

        ``graph`` is a graph that has grown, see :meth:`extend`; answers are in its order.
        """
        answers = self.predict_proba(X, graph=graph, features=features).argmax(1)
        return np.asarray(self.classes_[answers])

    def predict_proba(
        self, X: Any = None, *, graph: Any = None, features: Any = None
    ) -> np.ndarray:
        """Return the probability of each of ``classes_``, one row per node."""
        if getattr(self, "_probabilities", None) is None:
            raise not_fitted(self)
        if graph is not None:
            return self.extend(graph, features).probabilities
        if features is not None:
            raise LovaszError("features go with a graph; pass predict(graph=…, features=…)")
        if X is None or self._table is None:
            return self._answer(self._probabilities, X)
        table = check_table(X)
        if np.array_equal(table, self._table):
            return self._probabilities
        from lovasz.classify.growth import extend_table

        return extend_table(self, table)

    def extend(self, graph: Any, features: Any = None) -> Extension:
        """Return the answers on a graph that has grown since the fit, without training again.

        Old nodes are recognised by name; ``features`` has one row per node of the new graph, old
        nodes included, if ``fit`` had features. The result also says which nodes are new, which
        no label reaches, and what cannot be known (:mod:`lovasz.classify.growth`).
        """
        from lovasz.classify.growth import extend_graph

        return extend_graph(self, graph, features)

    def explain(self, node: Any, *, top: int = 10) -> Explanation:
        """Return why a node was answered as it was.

        :mod:`lovasz.classify.explanation` says what evidence is, and how effects are computed.
        """
        from lovasz.classify.explanation import explain_node

        return explain_node(self, node, top=top)

    def suggest(self, k: int, *, exclude: Iterable[Hashable] = ()) -> Suggestions:
        """Return ``k`` unlabelled nodes that are worth a label next, each with a reason.

        Nodes in ``exclude`` are not suggested. See :mod:`lovasz.classify.suggest_next`.
        """
        from lovasz.classify.suggest_next import suggest_next

        problem = fitted_problem(self, "suggest")
        return suggest_next(problem, self._probabilities, k, exclude=exclude, seed=self.seed_)

    def forecast(self) -> Forecast:
        """Return the accuracy to expect now and with more labels, each with a band.

        See :mod:`lovasz.classify.forecast`.
        """
        from lovasz.classify.forecast import forecast_accuracy

        return forecast_accuracy(fitted_problem(self, "forecast"), self.expectation_, self.seed_)

    def save(self, folder: str | PathLike[str]) -> None:
        """Write the fitted model to ``folder`` as JSON and arrays, without pickles."""
        from lovasz.classify.storage import save_model

        save_model(self, folder)

    @classmethod
    def load(cls, folder: str | PathLike[str]) -> LCNClassifier:
        """Return a model that :meth:`save` wrote; it predicts as it did."""
        from lovasz.classify.storage import load_model

        return load_model(cls, folder)
