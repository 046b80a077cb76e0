"""The Lovász Convolutional Network as an estimator."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.base.progress import Callback
from lovasz.classify.blend import blend
from lovasz.classify.candidates import (
    ANSWERING,
    CANDIDATES,
    FAST_FOLDS,
    FAST_PATIENCE,
    FOLDS,
    LARGE_EDGES,
    LARGE_FOLDS,
    PATIENCE,
    TRUSTED,
    Bench,
    Fitted,
    NetworkCandidate,
    candidates_for,
    contender,
    identity,
    is_auto,
)
from lovasz.classify.estimator import NodeClassifier
from lovasz.classify.evaluation import train_all
from lovasz.classify.features import scale_table
from lovasz.classify.inference import network_logits
from lovasz.classify.parameters import check_parameters, seed_of
from lovasz.classify.parts import Parts, deal_folds, share_validation
from lovasz.classify.problem import GIVEN, Kernels, Problem
from lovasz.classify.schedule import fit_candidates
from lovasz.classify.settling import settle
from lovasz.classify.splits import Split, random_splits, split_off
from lovasz.graphs.similarity import similarity_graph

if TYPE_CHECKING:
    from lovasz.classify.forecast import Forecast
    from lovasz.classify.suggestions import Suggestions
    from lovasz.nn import LCN, Settings


class LCNClassifier(NodeClassifier):
    """Label the nodes of a graph from a few labels with a Lovász Convolutional Network.

    f(X, K) = softmax(K ReLU(K X W⁰) W¹) with K in 𝒦(G); ``kernel="gcn"`` makes it a GCN.
    With "auto" also softmax(p(K) ReLU(X W⁰) W¹), see :mod:`lovasz.nn.networks.propagation`.

    Parameters
    ----------
    kernel : a name that :func:`lovasz.kernel` knows, a matrix (also :class:`lovasz.nn.LowRank`), or
        "auto": networks on several kernels, a perceptron and a linear model on the features,
        spectral coordinates, label spreading and a block model answer together, each weighted by
        labels that were kept from it. :mod:`lovasz.classify.candidates` has the list.
    kernel_options : options of a named kernel.
    affinity : "precomputed" if ``fit`` is given a graph; "rbf", "cosine" or "knn" if it is given
        an (n, d) feature table to make a graph of, with ``affinity_options``.
    hidden, layers, dropout, lr, weight_decay, epochs, patience : see :class:`lovasz.nn.Settings`.
        With "auto" a candidate may change some, and has at least two hidden units per class.
    bias : whether every layer of a network on a named kernel adds a learned vector.
    scale : how to scale features and feature tables: "auto", "rows", "columns" or None.
    validation_fraction : share of the labels that chooses the epoch of a network on a named kernel,
        if ``fit`` is given no validation nodes.
    fast : leave out the slow candidates of "auto", and train the others on fewer folds.
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
        several times, logits and weights are those of the first run that answers.
    networks_ : candidate -> weights of the networks that answer for new rows.
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
        of the labelled ones. ``features=None`` gives every node a feature of its own (X = I). For
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
        self._problem = problem
        self.seed_ = seed_of(self.random_state)
        if is_auto(self.kernel):
            if self.kernel_options:
                raise LovaszError("kernel='auto' takes no options; name the kernel they belong to")
            parts = self._parts(problem, validation)
            fitted = self._try_candidates(problem, parts, callback)
        else:
            split = self._split(problem, validation)
            parts = Parts([(split.train, split.validation)], [0])
            fitted = self._train_named(problem, split, callback)
        held_out = {name: parts.held_out(found.logits) for name, found in fitted.items()}
        credit = {name: found.credit for name, found in fitted.items()}
        self.blend_ = blend(
            held_out, problem.codes, parts, trusted=TRUSTED, credit=credit, seed=self.seed_
        )
        self.tried_, self.chosen_ = self.blend_.tried, self.blend_.chosen
        self.held_out_logits_, self.parts_ = held_out, parts
        answers = {name: parts.answers(found.logits) for name, found in fitted.items()}
        self._keep(fitted, parts)
        self.logits_ = answers[self.network_][0]
        self._settle(problem, answers)
        return self

    def _try_candidates(
        self, problem: Problem, parts: Parts, callback: Callback | None
    ) -> dict[str, Fitted]:
        """Fit every candidate of "auto" on every part of the labels."""
        settings = replace(
            self.training_settings(),
            hidden=max(self.hidden, 2 * len(problem.classes)),
            patience=(FAST_PATIENCE if self.fast else PATIENCE)
            if self.patience is None
            else self.patience,
            bias=True,
            shared_epoch=True,
            shared_dropout=True,
        )
        bench = Bench(problem, parts, settings, self.seed_, self.device)
        return fit_candidates(bench, candidates_for(problem, fast=self.fast), callback)

    def _train_named(
        self, problem: Problem, split: Split, callback: Callback | None
    ) -> dict[str, Fitted]:
        """Train one network on the kernel that the user named or gave."""
        networks = contender(problem, self.kernel, self.kernel_options)
        trained = train_all(
            networks,
            problem.codes,
            [split],
            settings=self.training_settings(),
            seed=self.seed_,
            features=problem.features,
            classes=len(problem.classes),
            device=self.device,
            callback=callback,
        )
        return {
            name: Fitted(found.logits, found, networks[name].kernel)
            for name, found in trained.items()
        }

    def _keep(self, fitted: Mapping[str, Fitted], parts: Parts) -> None:
        """Set the attributes of the network with the largest share, and those for new rows."""
        on_kernel = [name for name in fitted if self._candidate(name).kernel is not None]
        self.network_ = max(on_kernel, key=lambda name: self.blend_.shares[name])
        best = fitted[self.network_]
        used = self._candidate(self.network_)
        self.kernel_, self.propagation_ = best.kernel, used.propagation
        self.kernel_name_ = self.network_.partition(",")[0]
        self.training_ = best.training
        plain = fitted.get("gcn")
        self.gcn_training_ = None if plain is None else plain.training
        # Only a table can get new rows; without one, the other networks are not needed any more.
        extendable = [name for name in fitted if fitted[name].training is not None]
        kept = extendable if self._table is not None else [self.network_]
        self.networks_ = {
            name: [W[:, list(parts.answering)].cpu().numpy() for W in training.weights]
            for name in kept
            if (training := fitted[name].training) is not None
        }

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
        return [W[:, 0] for W in self.networks_[self.network_]]

    @property
    def model_(self) -> LCN:
        """The first run of ``network_`` as a torch module."""
        import torch

        from lovasz.nn import LCN

        if self.propagation_ != "hop":
            raise LovaszError(
                f"auto chose the propagation {self.propagation_!r}, which LCN has not; name a "
                "kernel, such as 'ls', for a network that is one, or use weights_"
            )
        weights = [torch.from_numpy(W) for W in self.weights_]
        matrices, vectors = weights[: self.layers], weights[self.layers :]
        return LCN.from_weights(matrices, [b[0] for b in vectors])

    def training_settings(self) -> Settings:
        """The parameters that are settings of a training."""
        from lovasz.nn import Settings

        return Settings(
            hidden=self.hidden,
            layers=self.layers,
            dropout=self.dropout,
            lr=self.lr,
            weight_decay=self.weight_decay,
            epochs=self.epochs,
            patience=self.patience,
            bias=self.bias,
            precision=self.precision,
        )

    def predict(self, X: Any = None) -> np.ndarray:
        """Return the class of every node, or of new rows of a feature table if fitted on one."""
        answers = self.predict_proba(X).argmax(1)
        return np.asarray(self.classes_[answers])

    def predict_proba(self, X: Any = None) -> np.ndarray:
        """Return the probability of each of ``classes_``, one row per node."""
        if getattr(self, "_probabilities", None) is None:
            raise LovaszError("this LCNClassifier is not fitted; call fit(graph, y) first")
        if X is None or self._table is None or np.array_equal(X, self._table):
            return self._answer(self._probabilities, None if self._table is not None else X)
        return self._extend(self._table, np.asarray(X, dtype=np.float64))

    def _extend(self, table: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Label new feature rows: they join the graph, and the weights stay as they are.

        Networks and models of the features answer; spectral coordinates, spreading and blocks
        belong to the graph of the fit, and are left out.
        """
        if not is_auto(self.kernel) and len(self.weights_[0]) != len(table):
            raise LovaszError(
                "new rows can be labelled only when fit was called with features=None"
            )
        if self.kernel_name_ == GIVEN:
            raise LovaszError("new rows need a kernel by name, this model was given a matrix")
        whole = scale_table(table, rows, self.scale)
        graph = similarity_graph(whole, self.affinity, **(self.affinity_options or {}))
        kernels, X = Kernels(graph), whole.astype(np.float32) if is_auto(self.kernel) else None
        logits = {}
        for name, weights in self.networks_.items():
            used = self._candidate(name)
            K = identity(graph.n)
            if used.kernel is not None:
                K = kernels.get(used.kernel, used.options)
            layers = used.changes.get("layers", self.layers)
            logits[name] = network_logits(K, used.propagation, weights, X, layers=layers)
        return self.blend_(logits)[len(table) :]

    def _parts(self, problem: Problem, validation: Any) -> Parts:
        """Return the folds of the labels, or runs that the given validation nodes judge."""
        large = problem.graph.m > LARGE_EDGES
        answering = 1 if large or self.fast else ANSWERING
        if validation is not None:
            split = split_off(problem.codes, np.asarray(validation))
            return share_validation(split, problem.codes, runs=answering + 1, seed=self.seed_)
        folds = LARGE_FOLDS if large else FAST_FOLDS if self.fast else FOLDS
        return deal_folds(problem.codes, folds=folds, answering=answering, seed=self.seed_)

    def _split(self, problem: Problem, validation: Any) -> Split:
        """Return the split of a network on a named kernel."""
        if validation is not None:
            return split_off(problem.codes, np.asarray(validation))
        share = self.validation_fraction
        shares = (1 - share, share, 0.0)
        return random_splits(problem.codes, shares, 1, seed=self.seed_, by_class=True)[0]

    def suggest(self, k: int, *, exclude: Iterable[Hashable] = ()) -> Suggestions:
        """Return ``k`` unlabelled nodes that are worth a label next, each with a reason.

        Nodes in ``exclude`` are not suggested. See :mod:`lovasz.classify.suggest_next`.
        """
        from lovasz.classify.suggest_next import suggest_next

        problem = self._fitted_problem("suggest")
        return suggest_next(problem, self._probabilities, k, exclude=exclude, seed=self.seed_)

    def forecast(self) -> Forecast:
        """Return the accuracy to expect now and with more labels, each with a band.

        See :mod:`lovasz.classify.forecast`.
        """
        from lovasz.classify.forecast import forecast_accuracy

        return forecast_accuracy(self._fitted_problem("forecast"), self.expectation_, self.seed_)

    def _fitted_problem(self, method: str) -> Problem:
        problem: Problem | None = getattr(self, "_problem", None)
        if problem is None:
            raise LovaszError(
                f"{method} needs the graph and the labels, which a saved model has not; "
                "call fit(graph, y) first"
            )
        return problem

    def save(self, folder: str | PathLike[str]) -> None:
        """Write the fitted model to ``folder`` as JSON and arrays, without pickles."""
        from lovasz.classify.storage import save_model

        save_model(self, folder)

    @classmethod
    def load(cls, folder: str | PathLike[str]) -> LCNClassifier:
        """Return a model that :meth:`save` wrote; it predicts as it did."""
        from lovasz.classify.storage import load_model

        return load_model(cls, folder)
