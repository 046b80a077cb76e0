"""The Lovász Convolutional Network as an estimator."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lovasz.base.checks import is_number
from lovasz.base.errors import LovaszError
from lovasz.base.progress import Callback
from lovasz.classify import candidates as auto
from lovasz.classify.blend import blend
from lovasz.classify.calibration import FEWEST_TO_CALIBRATE, wilson_interval
from lovasz.classify.estimator import NodeClassifier, check_features, scale_features
from lovasz.classify.evaluation import train_all
from lovasz.classify.splits import Split, halve_validation, random_splits, split_off
from lovasz.graphs import Graph
from lovasz.graphs.similarity import similarity_graph
from lovasz.kernels import kernel as make_kernel
from lovasz.nn.engine.operators import LowRank

if TYPE_CHECKING:
    from lovasz.nn import LCN, Settings


def candidates(
    graph: Graph, kernel: Any, options: dict[str, Any] | None, features: Any
) -> dict[str, auto.Contender]:
    """What ``kernel`` stands for, ready to be trained; ``"auto"`` for several."""
    if is_auto(kernel):
        if options:
            raise LovaszError("kernel='auto' takes no options; name the kernel they belong to")
        return auto.contenders(graph, features)
    ((name, K),) = candidate_kernels(graph, kernel, options).items()
    return {name: auto.Contender(K, name)}


def is_auto(kernel: Any) -> bool:
    """Whether it is to be chosen."""
    return isinstance(kernel, str) and kernel == "auto"


def candidate_kernels(
    graph: Graph, kernel: Any, options: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The kernel that ``kernel`` stands for, by its name: a name or a matrix."""
    if isinstance(kernel, str):
        return {kernel: make_kernel(graph, kernel, **(options or {}))}
    if not (hasattr(kernel, "shape") and kernel.shape == (graph.n, graph.n)):
        shape = getattr(kernel, "shape", type(kernel).__name__)
        raise LovaszError(f"kernel is {shape}; give a name or a matrix of {graph.n} x {graph.n}")
    if isinstance(kernel, LowRank):  # checked where it was made
        return {"given": kernel}
    matrix = sparse.csr_array(kernel) if sparse.issparse(kernel) else np.asarray(kernel)
    if not np.isfinite(matrix.data if sparse.issparse(matrix) else matrix).all():
        raise LovaszError("the given kernel holds NaN or inf; every entry must be a finite number")
    return {"given": matrix}


class LCNClassifier(NodeClassifier):
    """Label the nodes of a graph from a few labels with a Lovász Convolutional Network.

    f(X, K) = softmax(K ReLU(K X W⁰) W¹) with K in 𝒦(G); ``kernel="gcn"`` makes it a GCN.
    With "auto" also softmax(p(K) ReLU(X W⁰) W¹), see :mod:`lovasz.nn.networks.propagation`.

    Parameters
    ----------
    kernel : a name :func:`lovasz.kernel` knows, a matrix (also :class:`lovasz.nn.LowRank`), or
        "auto": of seven kernels and propagations (four without features, one more for a
        hypergraph) the best on validation nodes; without such nodes several parts of the labels
        are kept in turn, and the answer is a weighted mean of all. That takes many times as long
        as one. :mod:`lovasz.classify.candidates` has the list and the budget.
    kernel_options : options of that kernel.
    affinity : "precomputed" when ``fit`` is given a graph; "rbf", "cosine" or "knn" when it is
        given an (n, d) feature table to make a graph of, with ``affinity_options``.
    hidden, layers, dropout, lr, weight_decay, epochs, patience : see :class:`lovasz.nn.Settings`.
    scale : how to scale ``features``: "auto", "rows", "columns" or None.
    validation_fraction : share of the labels to split off when ``fit`` is given no validation.
    random_state : seed; the same seed gives the same answer to the last bit on a CPU.
    device : "auto", "cpu", "cuda".
    precision : "single", "mixed" or "double", see :mod:`lovasz.nn.engine.precision`.

    After ``fit``: ``nodes_``, ``classes_``, ``transduction_`` (a class for every node), ``tried_``
    (candidate -> :class:`lovasz.classify.evaluation.Trial`, on labelled nodes kept from it),
    ``blend_`` (a
    :class:`lovasz.classify.blend.Blend`: the share of each candidate in the answer, and how its
    logits become probabilities), ``chosen_`` (the one with the largest share), and of it
    ``kernel_``, ``kernel_name_``, ``propagation_`` ("hop": the network of the paper), ``logits_``,
    ``weights_`` (a matrix a layer, then learned coefficients of p where there are any), ``model_``
    (a :class:`lovasz.nn.LCN`, which needs PyTorch Geometric, of the paper's network) and, until
    saved and loaded, ``training_`` (curves and weights). With "auto" and no validation nodes
    ``chosen_`` has a network for each of several parts of the labels, and logits and weights are
    those of the first; ``networks_`` has the weights of all that new rows are answered by.
    ``expected_accuracy_`` is the share of the labelled nodes kept from the networks that was
    labelled rightly, as the best guess for unlabelled nodes, None where there were too few to
    tell; ``expected_range_`` its 95 % interval by Wilson. A single network, and one chosen on
    given validation nodes, chose its epoch by the same nodes, which makes both a little too good.

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
        """Learn from the labelled nodes and label all.

        ``y`` has an entry a node, -1 or None where unlabelled, or is a dict {node: class} of the
        labelled ones. ``features=None`` gives every node a feature of its own (X = I). Under
        cross-validation pass ``features=lambda: table``: scikit-learn would cut a table.
        ``validation`` are rows of labelled nodes to choose the epoch and the kernel by.
        """
        self._check()
        network, codes = self._read(graph, y)
        self.seed_ = seed_of(self.random_state)
        features = scale_features(check_features(features, network.nodes), self.scale)
        contenders = candidates(network, self.kernel, self.kernel_options, features)
        splits = self._splits(codes, validation, len(contenders))
        trainings = train_all(
            contenders,
            codes,
            splits,
            seed=self.seed_,
            features=features,
            classes=len(self.classes_),
            callback=callback,
            settings=self.training_settings(),
            device=self.device,
        )
        logits = {name: result.logits for name, result in trainings.items()}
        self.blend_ = blend(logits, codes, splits)
        self.chosen_, self.tried_ = self.blend_.chosen, self.blend_.tried
        winner = contenders[self.chosen_]
        self.kernel_name_, self.propagation_ = winner.kernel_name, winner.propagation
        self.kernel_ = winner.kernel
        self.training_ = trainings[self.chosen_]
        # New rows can only join a table; else the others have said all that they will be asked.
        kept = trainings if self._table is not None else [self.chosen_]
        self.networks_ = {
            name: [W.cpu().numpy() for W in trainings[name].weights]
            for name in kept
            if self.blend_.shares[name] > 0
        }
        self.logits_ = logits[self.chosen_][0]
        self._probabilities = self.blend_(logits)
        self.transduction_ = self.classes_[self._probabilities.argmax(1)]
        return self

    @property
    def expected_accuracy_(self) -> float | None:
        """Of unlabelled nodes, as far as anyone can tell."""
        share = self.blend_.accuracy
        return share if share == share else None

    @property
    def expected_range_(self) -> tuple[float, float] | None:
        """Its 95 % interval."""
        share = self.expected_accuracy_
        return None if share is None else wilson_interval(share, self.blend_.judged)

    @property
    def weights_(self) -> list[np.ndarray]:
        """Of the first network of ``chosen_``."""
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

    def training_options(self) -> dict[str, Any]:
        """The parameters of the training, by name."""
        names = [
            "hidden",
            "layers",
            "dropout",
            "lr",
            "weight_decay",
            "epochs",
            "patience",
            "device",
            "precision",
        ]
        return {name: getattr(self, name) for name in names}

    def predict(self, X: Any = None) -> np.ndarray:
        """The class of every node; of new rows of a feature table when fitted on one."""
        answers = self.predict_proba(X).argmax(1)
        return self.classes_[answers]

    def predict_proba(self, X: Any = None) -> np.ndarray:
        """The probability of each of ``classes_``, a row a node."""
        if getattr(self, "_probabilities", None) is None:
            raise LovaszError("this LCNClassifier is not fitted; call fit(graph, y) first")
        if X is None or self._table is None or np.array_equal(X, self._table):
            return self._answer(self._probabilities, None if self._table is not None else X)
        return self._extend(np.asarray(X, dtype=np.float64))

    def _extend(self, rows: np.ndarray) -> np.ndarray:
        """Label new feature rows: they join the graph, the weights stay as they are.

        With identity features a new node has none of its own, that is, a zero row of W⁰.
        """
        if len(self.weights_[0]) != len(self._table):
            raise LovaszError(
                "new rows can be labelled only when fit was called with features=None"
            )
        if self.kernel_name_ == "given":
            raise LovaszError("new rows need a kernel by name, this model was given a matrix")
        table = np.vstack([self._table, rows])
        graph = similarity_graph(table, self.affinity, **(self.affinity_options or {}))
        logits = {name: self._logits(graph, name, W) for name, W in self.networks_.items()}
        return self.blend_(logits)[len(self._table) :]

    def _logits(self, graph: Graph, name: str, weights: list[np.ndarray]) -> np.ndarray:
        """Of a candidate's networks, on a graph whose first nodes are those of the fit."""
        import torch

        from lovasz.nn.engine.operators import as_operator
        from lovasz.nn.networks.propagation import PROPAGATIONS, PolynomialLayers

        used = auto.Candidate(name, self.kernel_options or {})
        if is_auto(self.kernel):
            used = auto.CANDIDATES[name]
        K = make_kernel(graph, used.kernel, **used.options)
        first, *rest = map(torch.from_numpy, weights)
        first = torch.cat([first, first.new_zeros(graph.n - len(first), *first.shape[1:])])
        if used.propagation != "hop":
            network = PolynomialLayers.of(
                K,
                PROPAGATIONS[used.propagation],
                None,
                self.layers,
                {"device": torch.device("cpu"), "dtype": first.dtype},
            )
            return network.logits([first, *rest]).transpose(0, 1).numpy()
        operator = as_operator(K, dtype=first.dtype)
        found = []
        for part in range(first.shape[1]):
            H = operator @ first[:, part].contiguous()
            for weight in rest:
                H = operator @ (H.relu() @ weight[:, part])
            found.append(H.numpy())
        return np.stack(found)

    def _splits(self, codes: np.ndarray, validation: Any, tried: int) -> list[Split]:
        """One split, or several if there are candidates to choose from and no validation nodes.

        The first of several is the one that there would be alone.
        """
        if validation is not None:
            return [split_off(codes, np.asarray(validation), self.classes_)]
        share = self.validation_fraction
        count = auto.FOLDS if tried > 1 and share > 0 else 1
        splits = random_splits(
            codes, (1 - share, share, 0.0), count, seed=self.seed_, by_class=True
        )
        return halve_validation(splits, FEWEST_TO_CALIBRATE, self.seed_) if count > 1 else splits

    def _check(self) -> None:
        """Refuse parameters that cannot be meant, by name and value."""
        from lovasz.nn.engine.precision import pick_precision

        pick_precision(self.precision)
        for name in ("hidden", "layers", "epochs", "patience"):
            value = getattr(self, name)
            whole = isinstance(value, int | np.integer) and 1 <= value < 2**31
            if not (whole or (name == "patience" and value is None)):
                raise LovaszError(f"{name}={value!r} must be a whole number >= 1")
        for name, wanted, fine in (
            ("dropout", "in [0, 1)", lambda x: 0 <= x < 1),
            ("lr", "> 0", lambda x: x > 0),
            ("weight_decay", ">= 0", lambda x: x >= 0),
            ("validation_fraction", "in [0, 1)", lambda x: 0 <= x < 1),
        ):
            value = getattr(self, name)
            if not (is_number(value) and fine(value)):
                raise LovaszError(f"{name}={value!r} must be a number {wanted}")

    def save(self, folder: str | PathLike[str]) -> None:
        """Write the fitted model to ``folder``: JSON and arrays, no pickles."""
        from lovasz.classify.storage import save

        save(self, folder)

    @classmethod
    def load(cls, folder: str | PathLike[str]) -> LCNClassifier:
        """A model that :meth:`save` wrote; it predicts as it did."""
        from lovasz.classify.storage import load

        return load(cls, folder)


def seed_of(random_state: Any) -> int:
    """An integer seed; None draws one, which is kept as ``seed_``."""
    if random_state is None:
        return int(np.random.default_rng().integers(2**31))
    if isinstance(random_state, int | np.integer) and 0 <= random_state < 2**62:
        return int(random_state)
    raise LovaszError(f"random_state={random_state!r} must be None or a whole number below 2^62")
