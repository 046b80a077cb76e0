"""What a user would try instead of LCNClassifier: each takes a task and returns probabilities.

Models of scikit-learn are tuned in the common way: the given validation nodes choose among a few
settings, or cross-validation if there are none and every class has two labels.
Networks try the four settings of the item "kernels"; their validation nodes, or a fifth of the
labels, choose and stop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import softmax

from lovasz.base.errors import LovaszError
from lovasz.base.extras import require
from lovasz.classify.smoothing import SMOOTHING, SPREADING, correct, spread
from lovasz.classify.splits import Split, random_splits
from lovasz.graphs import Graph
from lovasz.linalg.scaling import normalize
from lovasz.reproduce.engine.cells import Context
from lovasz.reproduce.engine.methods import chosen_runs
from lovasz.reproduce.items.defaults.block_rows import bayes_probabilities
from lovasz.reproduce.items.defaults.task_rows import Task
from lovasz.reproduce.items.kernels.entrants import ENTRANTS, trainer
from lovasz.reproduce.items.kernels.rows import COMMON, FEW_LABELS, OTHERS

STRENGTHS = (10.0, 0.1, 1.0, 100.0, 1000.0)
"""The values of C that logistic regression and support vector machines choose from. The first is
used if nothing can choose: rows that sum to one, and spectral coordinates, need a large C."""
COUNTS = (1, 3, 5, 10)
"""The numbers of neighbours that k-NN chooses from."""
FOLDS = 3
"""Largest number of folds of the cross-validation."""
NEIGHBOURS = 10
"""Number of neighbours in the graph with which labels are spread on a table."""
FEW_PER_CLASS = 30
"""With fewer labels per class than this, networks choose among the more regularised settings."""


def answer(method: str, task: Task, seed: int, context: Context) -> np.ndarray:
    """(n, classes) probabilities or scores of a method other than LCNClassifier."""
    if method == "bayes":
        if task.planted is None or task.planted.probabilities is None:
            raise LovaszError("the best possible answer is known for simple block models only")
        return bayes_probabilities(task.planted, task.train)
    if method in ENTRANTS or method == "mlp":
        return _network(method, task, seed, context)
    if method == "label-spreading" and task.graph is not None:
        return _normalized(spread(normalize(task.graph.adjacency), one_hot(task), SPREADING))
    require("sklearn", what=method)
    known: dict[str, Callable[[Task, int], np.ndarray]] = {
        "label-spreading": _spread_on_table,
        "logistic": lambda task, seed: _logistic(_scaled(task), task, seed),
        "svm": _svm,
        "forest": _forest,
        "knn": _neighbours,
        "spectral": _spectral,
        "c-and-s": _correct_and_smooth,
    }
    return known[method](task, seed)


def one_hot(task: Task) -> np.ndarray:
    """(n, classes) known labels; the rows of other nodes are zero."""
    Y = np.zeros((len(task.y), task.classes))
    Y[task.train, task.y[task.train]] = 1
    return Y


def _normalized(F: np.ndarray) -> np.ndarray:
    """Rows that sum to one; a row of zeros becomes uniform."""
    F = np.maximum(F, 0)
    total = F.sum(axis=1, keepdims=True)
    return np.where(total > 0, F / np.where(total > 0, total, 1), 1 / F.shape[1])


def _scaled(task: Task) -> Any:
    """Features scaled as LCNClassifier scales them: counts by rows, measurements by columns."""
    from lovasz.classify.features import scale_features

    if task.features is None:
        raise LovaszError("this method needs features")
    X = scale_features(task.features, "auto")
    if sparse.issparse(X):  # scikit-learn takes indices of 32 bits only
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def _widened(model: Any, X: Any, classes: int) -> np.ndarray:
    """Probabilities of a fitted model for all classes, zero for those without a label."""
    P = np.zeros((X.shape[0], classes))
    P[:, model.classes_] = model.predict_proba(X)
    return P


def _tuned(
    make: Callable[[Any], Any], settings: Sequence[Any], task: Task, seed: int, X: Any
) -> Any:
    """The model with the setting that does best, the first of equals, fitted to all labels."""
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    train, y = task.train, task.y
    fewest = int(np.bincount(y[train])[np.unique(y[train])].min())

    def score(setting: Any) -> float:
        if task.validation is not None:
            model = make(setting).fit(X[train], y[train])
            return float(model.score(X[task.validation], y[task.validation]))
        folds = StratifiedKFold(min(FOLDS, fewest), shuffle=True, random_state=seed)
        return float(cross_val_score(make(setting), X[train], y[train], cv=folds).mean())

    judged = task.validation is not None or fewest >= 2
    best = max(settings, key=score) if judged else settings[0]
    return make(best).fit(X[train], y[train])


def _logistic(X: Any, task: Task, seed: int) -> np.ndarray:
    from sklearn.linear_model import LogisticRegression

    model = _tuned(lambda C: LogisticRegression(C=C, max_iter=1000), STRENGTHS, task, seed, X)
    return _widened(model, X, task.classes)


def _svm(task: Task, seed: int) -> np.ndarray:
    """Answers of a support vector machine with an RBF kernel as one-hot rows."""
    from sklearn.svm import SVC

    X = _scaled(task)
    model = _tuned(lambda C: SVC(C=C), STRENGTHS, task, seed, X)
    return np.asarray(np.eye(task.classes)[model.predict(X)])


def _forest(task: Task, seed: int) -> np.ndarray:
    from sklearn.ensemble import RandomForestClassifier

    X = _scaled(task)
    model = RandomForestClassifier(300, random_state=seed).fit(X[task.train], task.y[task.train])
    return _widened(model, X, task.classes)


def _neighbours(task: Task, seed: int) -> np.ndarray:
    from sklearn.neighbors import KNeighborsClassifier

    X = _scaled(task)
    # A fold of the cross-validation has at least a third of the labels.
    counts = [count for count in COUNTS if count <= max(1, len(task.train) // FOLDS)]
    model = _tuned(KNeighborsClassifier, counts, task, seed, X)
    return _widened(model, X, task.classes)


def _spread_on_table(task: Task, seed: int) -> np.ndarray:
    from sklearn.semi_supervised import LabelSpreading

    X, known = _scaled(task), np.full(len(task.y), -1)
    known[task.train] = task.y[task.train]
    model = LabelSpreading(kernel="knn", n_neighbors=NEIGHBOURS, max_iter=100).fit(X, known)
    P = np.zeros((len(task.y), task.classes))
    P[:, model.classes_] = np.nan_to_num(model.label_distributions_)
    return _normalized(P)


def _spectral(task: Task, seed: int) -> np.ndarray:
    """Logistic regression on twice as many spectral coordinates as there are classes."""
    from lovasz.classify.problem import Problem

    problem = Problem(_graph_of(task), np.arange(task.classes), task.y)
    return _logistic(problem.spectral_coordinates(2 * task.classes), task, seed)


def _correct_and_smooth(task: Task, seed: int) -> np.ndarray:
    """Correct and Smooth (Huang et al., 2021) on logistic regression, scaled node by node."""
    S = normalize(_graph_of(task).adjacency)
    P = correct(S, _logistic(_scaled(task), task, seed), one_hot(task), task.train)
    return _normalized(spread(S, P, SMOOTHING))


def _graph_of(task: Task) -> Graph:
    if task.graph is None:
        raise LovaszError("this method needs a graph")
    return task.graph


def _network(method: str, task: Task, seed: int, context: Context) -> np.ndarray:
    """The probabilities of a network with the setting that is best on its validation nodes."""
    from lovasz.classify.candidates import identity
    from lovasz.nn import Settings, train

    split = _stopping_split(task, seed)
    X = None if task.features is None else _scaled(task)
    if method == "mlp":
        X = _scaled(task)
        K = identity(len(task.y))

        def fit(y: np.ndarray, pairs: Sequence[Any], **given: Any) -> Any:
            return train(K, y, pairs, features=X, device=context.device, **given)
    else:
        fit = trainer(method, _graph_of(task), X, context.device)
    few = len(split.train) < FEW_PER_CLASS * task.classes and X is not None
    grid = (FEW_LABELS if few else OTHERS)[: 1 if context.quick else None]
    common: dict[str, Any] = COMMON | {"bias": True} | ({"epochs": 60} if context.quick else {})
    trained = [
        fit(
            task.y,
            [(split.train, split.validation)],
            settings=Settings(**(common | setting)),
            seeds=[seed],
        )
        for setting in grid
    ]
    scores = [
        np.stack([getattr(t, curve)[t.best_epoch - 1, [0]] for t in trained])
        for curve in ("validation_accuracy", "validation_loss")
    ]
    chosen = int(chosen_runs(*scores)[0])
    return np.asarray(softmax(trained[chosen].logits[0], axis=1))


def _stopping_split(task: Task, seed: int) -> Split:
    """The training nodes, and the nodes that stop a network and choose its setting."""
    nothing = np.empty(0, dtype=np.int64)
    if task.validation is not None:
        return Split(task.train, task.validation, nothing)
    known = np.full(len(task.y), -1)
    known[task.train] = task.y[task.train]
    split = random_splits(known, (0.8, 0.2, 0.0), 1, seed=seed, by_class=True)[0]
    # With one label per class nothing can be held out, and the last epoch is as good as any.
    return split if len(split.validation) else Split(split.train, split.train, nothing)
