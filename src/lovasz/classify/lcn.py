"""The Lovász Convolutional Network as an estimator."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from lovasz.base.checks import is_number
from lovasz.base.errors import LovaszError
from lovasz.base.progress import Callback
from lovasz.classify import candidates
from lovasz.classify.blend import blend
from lovasz.classify.calibration import FEWEST_TO_CALIBRATE, wilson_interval
from lovasz.classify.estimator import NodeClassifier
from lovasz.classify.evaluation import train_all
from lovasz.classify.inference import network_logits
from lovasz.classify.problem import GIVEN, Kernels, Problem
from lovasz.classify.splits import Split, halve_validation, random_splits, split_off
from lovasz.graphs.similarity import similarity_graph

if TYPE_CHECKING:
    from lovasz.nn import LCN, Settings, Training

LIMITS: dict[str, tuple[str, Callable[[float], bool]]] = {
    "dropout": ("in [0, 1)", lambda x: 0 <= x < 1),
    "lr": ("> 0", lambda x: x > 0),
    "weight_decay": (">= 0", lambda x: x >= 0),
    "validation_fraction": ("in [0, 1)", lambda x: 0 <= x < 1),
}
"""The limits of the parameters that are real numbers, in words and as a test."""


class LCNClassifier(NodeClassifier):
    """Label the nodes of a graph from a few labels with a Lovász Convolutional Network.

    f(X, K) = softmax(K ReLU(K X W⁰) W¹) with K in 𝒦(G); ``kernel="gcn"`` makes it a GCN.
    With "auto" also softmax(p(K) ReLU(X W⁰) W¹), see :mod:`lovasz.nn.networks.propagation`.

    Parameters
    ----------
    kernel : a name that :func:`lovasz.kernel` knows, a matrix (also :class:`lovasz.nn.LowRank`), or
        "auto". With "auto", the best on the validation nodes of seven kernels and propagations is
        used (four without features, one more for a hypergraph); without validation nodes, several
        parts of the labels are held out in turn, and the answer is a weighted mean of all. That
        takes many times as long as one kernel. See :mod:`lovasz.classify.candidates`.
    kernel_options : options of that kernel.
    affinity : "precomputed" if ``fit`` is given a graph; "rbf", "cosine" or "knn" if it is given
        an (n, d) feature table to make a graph of, with ``affinity_options``.
    hidden, layers, dropout, lr, weight_decay, epochs, patience : see :class:`lovasz.nn.Settings`.
    scale : how to scale ``features``: "auto", "rows", "columns" or None.
    validation_fraction : share of the labels to hold out if ``fit`` is given no validation nodes.
    random_state : seed; the same seed gives the same answer to the last bit on a CPU.
    device : "auto", "cpu", "cuda".
    precision : "single", "mixed" or "double", see :mod:`lovasz.nn.engine.precision`.

    Attributes
    ----------
    nodes_, classes_ : the nodes of the graph in order, and the sorted classes.
    transduction_ : the class of every node.
    tried_ : candidate -> :class:`lovasz.classify.evaluation.Trial`, on held-out labelled nodes.
    blend_ : a :class:`lovasz.classify.blend.Blend`, the share of each candidate in the answer and
        how its logits become probabilities.
    chosen_ : the name of the candidate with the largest share. The attributes ``kernel_``,
        ``kernel_name_``, ``propagation_`` ("hop" for the network of the paper), ``logits_``,
        ``weights_`` (one matrix per layer, then the coefficients of p if they were learned),
        ``model_`` (a :class:`lovasz.nn.LCN`, which needs PyTorch Geometric) and ``training_``
        (curves and weights, not saved) are those of this candidate. If it has a network for each
        of several parts of the labels, logits and weights are those of the first.
    networks_ : candidate -> weights of the networks that answer for new rows.
    expected_accuracy_ : the share of held-out labelled nodes that was labelled correctly, as an
        estimate for unlabelled nodes, or None if too few were held out. A single network, and one
        chosen on given validation nodes, chose its epoch by the same nodes, so the estimate is
        then a little too high.
    expected_range_ : Wilson's 95 % interval of ``expected_accuracy_``, or None.

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
        scale: str | None = "auto",
        validation_fraction: float = 0.2,
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
        self.scale = scale
        self.validation_fraction = validation_fraction
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
        ``validation`` holds the rows of labelled nodes by which to choose the epoch and the
        kernel.
        """
        self._check()
        problem = self._read(graph, y, features, self.scale)
        return self.fit_problem(problem, validation, callback=callback)

    def fit_problem(
        self, problem: Problem, validation: Any = None, *, callback: Callback | None = None
    ) -> LCNClassifier:
        """:meth:`fit` for a problem whose labels are encoded and whose features are scaled."""
        self._check()
        self._remember(problem)
        self.seed_ = seed_of(self.random_state)
        contenders = candidates.contenders(problem, self.kernel, self.kernel_options)
        splits = self._splits(problem, validation, len(contenders))
        trainings = train_all(
            contenders,
            problem.codes,
            splits,
            settings=self.training_settings(),
            seed=self.seed_,
            features=problem.features,
            classes=len(problem.classes),
            device=self.device,
            callback=callback,
        )
        logits = {name: result.logits for name, result in trainings.items()}
        self.blend_ = blend(logits, problem.codes, splits)
        self._keep(contenders, trainings)
        self.logits_ = logits[self.chosen_][0]
        self._probabilities = self.blend_(logits)
        self.transduction_ = self.classes_[self._probabilities.argmax(1)]
        return self

    def _keep(
        self, contenders: dict[str, candidates.Contender], trainings: dict[str, Training]
    ) -> None:
        """Set the attributes of the chosen candidate, and the networks for new rows."""
        self.chosen_, self.tried_ = self.blend_.chosen, self.blend_.tried
        winner = contenders[self.chosen_]
        self.kernel_name_, self.propagation_ = winner.kernel_name, winner.propagation
        self.kernel_ = winner.kernel
        self.training_ = trainings[self.chosen_]
        # Only a table can get new rows; without one, the other networks are not needed any more.
        kept = trainings if self._table is not None else [self.chosen_]
        self.networks_ = {
            name: [W.cpu().numpy() for W in trainings[name].weights]
            for name in kept
            if self.blend_.shares[name] > 0
        }

    @property
    def expected_accuracy_(self) -> float | None:
        """Estimated accuracy on unlabelled nodes, or None if too few labels were held out."""
        share = self.blend_.accuracy
        return share if share == share else None

    @property
    def expected_range_(self) -> tuple[float, float] | None:
        """The 95 % interval of ``expected_accuracy_``, or None if that is None."""
        share = self.expected_accuracy_
        return None if share is None else wilson_interval(share, self.blend_.judged)

    @property
    def weights_(self) -> list[np.ndarray]:
        """The weights of the first network of ``chosen_``."""
        return [W[:, 0] for W in self.networks_[self.chosen_]]

    @property
    def model_(self) -> LCN:
        """The first network of ``chosen_`` as a torch module."""
        import torch

        from lovasz.nn import LCN

        if self.propagation_ != "hop":
            raise LovaszError(
                f"auto chose the propagation {self.propagation_!r}, which LCN has not; name a "
                "kernel, such as 'ls', for a network that is one, or use weights_"
            )
        return LCN.from_weights([*map(torch.from_numpy, self.weights_)])

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
        """Label new feature rows: they join the graph, and the weights stay as they are."""
        if len(self.weights_[0]) != len(table):
            raise LovaszError(
                "new rows can be labelled only when fit was called with features=None"
            )
        if self.kernel_name_ == GIVEN:
            raise LovaszError("new rows need a kernel by name, this model was given a matrix")
        options = self.affinity_options or {}
        graph = similarity_graph(np.vstack([table, rows]), self.affinity, **options)
        return self.blend_(self._logits(Kernels(graph)))[len(table) :]

    def _logits(self, kernels: Kernels) -> dict[str, np.ndarray]:
        """Return the logits of ``networks_`` on a graph whose first nodes are those of the fit."""
        found = {}
        for name, weights in self.networks_.items():
            used = candidates.Candidate(name, self.kernel_options or {})
            if candidates.is_auto(self.kernel):
                used = candidates.CANDIDATES[name]
            K = kernels.get(used.kernel, used.options)
            found[name] = network_logits(K, used.propagation, weights, layers=self.layers)
        return found

    def _splits(self, problem: Problem, validation: Any, tried: int) -> list[Split]:
        """Return one split, or several to choose a candidate by if there are no validation nodes.

        The first of several is the one that there would be alone.
        """
        if validation is not None:
            return [split_off(problem.codes, np.asarray(validation), problem.classes)]
        share = self.validation_fraction
        count = candidates.FOLDS if tried > 1 and share > 0 else 1
        splits = random_splits(
            problem.codes, (1 - share, share, 0.0), count, seed=self.seed_, by_class=True
        )
        return halve_validation(splits, FEWEST_TO_CALIBRATE, self.seed_) if count > 1 else splits

    def _check(self) -> None:
        """Refuse parameters outside their limits, by name and value."""
        from lovasz.nn.engine.precision import pick_precision

        pick_precision(self.precision)
        for name in ("hidden", "layers", "epochs", "patience"):
            value = getattr(self, name)
            whole = isinstance(value, int | np.integer) and 1 <= value < 2**31
            if not (whole or (name == "patience" and value is None)):
                raise LovaszError(f"{name}={value!r} must be a whole number >= 1")
        for name, (wanted, fine) in LIMITS.items():
            value = getattr(self, name)
            if not (is_number(value) and fine(value)):
                raise LovaszError(f"{name}={value!r} must be a number {wanted}")

    def save(self, folder: str | PathLike[str]) -> None:
        """Write the fitted model to ``folder`` as JSON and arrays, without pickles."""
        from lovasz.classify.storage import save_model

        save_model(self, folder)

    @classmethod
    def load(cls, folder: str | PathLike[str]) -> LCNClassifier:
        """Return a model that :meth:`save` wrote; it predicts as it did."""
        from lovasz.classify.storage import load_model

        return load_model(cls, folder)


def seed_of(random_state: Any) -> int:
    """Return an integer seed, drawn at random for None."""
    if random_state is None:
        return int(np.random.default_rng().integers(2**31))
    if isinstance(random_state, int | np.integer) and 0 <= random_state < 2**62:
        return int(random_state)
    raise LovaszError(f"random_state={random_state!r} must be None or a whole number below 2^62")
