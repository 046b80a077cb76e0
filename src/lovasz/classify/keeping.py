"""What a fitted classifier keeps of its candidates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from lovasz.base.errors import LovaszError
from lovasz.classify.bench import Fitted
from lovasz.classify.parts import Parts
from lovasz.classify.problem import Problem

if TYPE_CHECKING:
    from lovasz.classify.lcn import LCNClassifier


AVERAGING = "gcn"
"""The kernel of a classifier without networks, with which surroundings are averaged."""


def keep(
    classifier: LCNClassifier, problem: Problem, fitted: Mapping[str, Fitted], parts: Parts
) -> None:
    """Set the attributes of the network with the largest share, and what later calls need.

    ``networks_`` has the runs that answer, which explain and label new nodes; ``_starts`` has all
    runs, from which ``partial_fit`` goes on.
    """
    on_kernel = [name for name in fitted if classifier._candidate(name).kernel is not None]
    shares = classifier.blend_.shares
    classifier.network_ = max(on_kernel, key=lambda name: shares[name], default=None)
    if classifier.network_ is None:  # what features are averaged with
        classifier.kernel_, classifier.kernel_name_ = problem.kernels.get(AVERAGING), AVERAGING
        classifier.propagation_, classifier.training_ = "none", None
    else:
        best = fitted[classifier.network_]
        classifier.kernel_, classifier.training_ = best.kernel, best.training
        classifier.propagation_ = classifier._candidate(classifier.network_).propagation
        classifier.kernel_name_ = classifier.network_.partition(",")[0]
    plain = fitted.get("gcn")
    classifier.gcn_training_ = None if plain is None else plain.training
    classifier._taught = parts.taught
    classifier._explainer = None
    trainings = {name: found.training for name, found in fitted.items() if found.training}
    classifier.networks_ = {
        name: [W[:, list(parts.answering)].cpu().numpy() for W in training.weights]
        for name, training in trainings.items()
    }
    classifier._starts = {
        name: [W.cpu() for W in training.weights] for name, training in trainings.items()
    }


def answering_parts(classifier: LCNClassifier, taught: np.ndarray) -> Parts:
    """Return the runs that answer, which all learn from the nodes ``taught``."""
    runs = next((weights[0].shape[1] for weights in classifier.networks_.values()), 1)
    return Parts([(taught, np.empty(0, dtype=np.int64))] * runs, range(runs))


def fitted_problem(classifier: LCNClassifier, method: str) -> Problem:
    """Return the problem that a classifier was fitted on, for a method that needs it."""
    if getattr(classifier, "_probabilities", None) is None:
        raise LovaszError(f"{method} needs a fitted classifier; call fit(graph, y) first")
    problem = classifier._problem
    if problem is None:
        raise LovaszError(
            f"{method} needs the hypergraph, which a saved model has not; call fit(graph, y) first"
        )
    return problem
