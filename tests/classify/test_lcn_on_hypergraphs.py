"""LCNClassifier on hypergraphs."""

import numpy as np
import pytest

import lovasz
from lovasz.graphs.hypergraph import hypergraph as random_hypergraph


@pytest.fixture(scope="module")
def labelled():
    """A hypergraph of two classes whose nodes are in an order of their own, one of them alone."""
    edges, y = random_hypergraph(n=40, size=6, homogeneous=30, heterogeneous=2, seed=1)
    order = np.random.default_rng(0).permutation(41)
    nodes = [f"n{row}" for row in order]
    H = lovasz.as_hypergraph([[f"n{row}" for row in edge] for edge in edges], nodes=nodes)
    truth = {f"n{row}": ("left", "right")[code] for row, code in enumerate(y)}
    return H, truth


def test_answers_are_in_the_order_of_the_hypergraph(labelled):
    H, truth = labelled
    given = {name: truth[name] for name in [*truth][:16]}
    clf = lovasz.LCNClassifier(random_state=0, device="cpu").fit(H, given)
    assert tuple(clf.nodes_) == tuple(H.nodes)
    answers = dict(zip(H.nodes, clf.predict(), strict=True))
    hidden = [name for name in truth if name not in given]
    assert np.mean([answers[name] == truth[name] for name in hidden]) > 0.8
    lone = H.nodes.index("n40")
    assert H.degrees[lone] == 0 and answers["n40"] in ("left", "right")
    assert np.isfinite(clf.predict_proba()).all()
    assert np.array_equal(clf.predict(H), clf.predict())


@pytest.mark.parametrize("weights", ["hyperedges", "hyperedges-normalized", "incidence"])
def test_hyperedge_weights_are_options_of_the_kernel(labelled, weights):
    H, truth = labelled
    clf = lovasz.LCNClassifier(
        "ls", kernel_options={"weights": weights}, epochs=5, random_state=0, device="cpu"
    ).fit(H, truth)
    assert (clf.kernel_ != lovasz.kernel(H, "ls", weights=weights)).nnz == 0
