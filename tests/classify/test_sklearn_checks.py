"""scikit-learn's own checks of estimators, with those listed that a graph estimator fails."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from lovasz import (
    KernelClassifier,
    LCNClassifier,
    LovaszClustering,
    LovaszEmbedding,
    LovaszError,
    SPOREClassifier,
)

TRANSDUCTIVE = "it answers for the rows it was fitted on; other rows are another graph"
UNLABELLED = "the check's class -1 means unlabelled"
FEWER = "y gives clusters, and the check sets fewer n_clusters than y has"
FLOATS = "classes may be any numbers, so a continuous target is many classes"
COLUMN = "y has one dimension; a column vector is refused, not flattened with a warning"
OBJECTS = "a cell that is no number is a LovaszError, a ValueError; the check wants a TypeError"
LIMITS = "the message names the entry, such as X[0, 1] is nan, and not the words NaN or inf"
SHAPES = "the message names the shape, in other words than scikit-learn"
LABELS = "partial_fit takes labels alone; the graph is that of the fit"

CLASSIFIER = {
    "check_dtype_object": OBJECTS,
    "check_classifiers_classes": UNLABELLED,
    "check_classifiers_regression_target": FLOATS,
    "check_supervised_y_2d": COLUMN,
    "check_methods_sample_order_invariance": TRANSDUCTIVE,
    "check_methods_subset_invariance": TRANSDUCTIVE,
    "check_fit_idempotent": TRANSDUCTIVE,
}
"""Checks that every classifier fails by design."""

LCN = {
    "check_estimators_partial_fit_n_features": LABELS,
    "check_n_features_in_after_fitting": LABELS,
    "check_fit_score_takes_y": LABELS,
}
"""Checks that only LCNClassifier fails."""

EMBEDDING = {
    "check_dtype_object": OBJECTS,
    "check_estimators_nan_inf": LIMITS,
    "check_estimators_empty_data_messages": SHAPES,
}
"""Checks that LovaszEmbedding fails."""

CLUSTERING = EMBEDDING | {
    "check_fit2d_1feature": SHAPES,
    "check_fit2d_predict1d": FEWER,
    "check_dont_overwrite_parameters": FEWER,
    "check_methods_sample_order_invariance": FEWER,
    "check_methods_subset_invariance": FEWER,
}
"""Checks that LovaszClustering fails."""

ESTIMATORS = [
    KernelClassifier("ls", affinity="rbf"),
    LCNClassifier("ls", affinity="rbf", epochs=5, random_state=0),
    LovaszEmbedding(affinity="rbf"),
    LovaszClustering(affinity="rbf", random_state=0),
]


SLOW = [SPOREClassifier(affinity="rbf", iterations=2, theta_seconds=1.0)]


def expected(estimator):
    if isinstance(estimator, LCNClassifier):
        return {k: v for k, v in CLASSIFIER.items() if k != "check_fit_idempotent"} | LCN
    if isinstance(estimator, LovaszClustering):
        return CLUSTERING
    return EMBEDDING if isinstance(estimator, LovaszEmbedding) else CLASSIFIER


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(SLOW, expected_failed_checks=expected)
def test_slow_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("model", [KernelClassifier(), SPOREClassifier()], ids=repr)
def test_a_model_that_is_not_fitted_says_so_in_both_languages(model):
    with pytest.raises(NotFittedError, match="call fit"):
        model.predict()
    with pytest.raises(LovaszError, match="call fit"):
        model.predict()


def test_predict_takes_the_table_that_fit_took():
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    clf = KernelClassifier(affinity="rbf").fit(X, y)
    assert np.array_equal(clf.predict(X), clf.predict())
    assert clf.n_features_in_ == 2
    with pytest.raises(LovaszError, match="use LCNClassifier, which labels new rows"):
        clf.predict(X + 1)
    for bad, words in ((X * 1j, "Complex data"), (X[:0], "0 sample"), (X[:, :0], "0 feature")):
        with pytest.raises(LovaszError, match=words):
            KernelClassifier(affinity="rbf").fit(bad, y[: len(bad)])
    with pytest.raises(LovaszError, match="target y is None"):
        KernelClassifier(affinity="rbf").fit(X, None)
