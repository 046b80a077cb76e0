"""LCNClassifier(fast=True): no network, no torch, and everything else still works."""

import subprocess
import sys

import numpy as np
import pytest

from lovasz import LCNClassifier, LovaszError
from lovasz.classify.candidates import NETWORKS
from lovasz.graphs.families import planted_partition

BLOCKS = planted_partition(120, 3, 0.25, 0.03, seed=0)
X = np.eye(3)[BLOCKS.y] + np.random.default_rng(0).standard_normal((120, 3))
FEW = {row: int(BLOCKS.y[row]) for row in range(0, 120, 4)}


@pytest.fixture(scope="module")
def fitted():
    return LCNClassifier(fast=True, random_state=0).fit(BLOCKS.graph, FEW, X)


def test_it_trains_no_network_and_says_so(fitted):
    assert not set(NETWORKS) & set(fitted.tried_)
    assert fitted.network_ is None and fitted.networks_ == {} and fitted.training_ is None
    assert fitted.kernel_.shape == (120, 120) and fitted.logits_.shape == (120, 3)
    for name in ("weights_", "model_"):
        with pytest.raises(LovaszError, match="fast=True trains no network; name a kernel"):
            getattr(fitted, name)
        assert not hasattr(fitted, name) and dir(fitted)
    assert (fitted.predict() == BLOCKS.y).mean() > 0.9


def test_a_saved_one_answers_explains_and_grows_as_before(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    loaded = LCNClassifier.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict_proba(), fitted.predict_proba())
    assert loaded.explain(5).evidence == fitted.explain(5).evidence
    assert loaded.network_ is None and loaded.suggest(3) == fitted.suggest(3)
    grown = fitted.predict_proba(graph=BLOCKS.graph, features=X)
    np.testing.assert_allclose(grown, fitted.predict_proba(), atol=1e-6)


def test_more_labels_are_a_fresh_fit(fitted):
    more = FEW | {1: int(BLOCKS.y[1])}
    later = LCNClassifier(fast=True, random_state=0).fit(BLOCKS.graph, FEW, X).partial_fit(more)
    fresh = LCNClassifier(fast=True, random_state=0).fit(BLOCKS.graph, more, X)
    np.testing.assert_array_equal(later.predict_proba(), fresh.predict_proba())


def test_two_labels_are_enough():
    clf = LCNClassifier(fast=True, random_state=0).fit(BLOCKS.graph, {0: "a", 119: "b"})
    assert clf.tried_.keys() == {"spectral", "spreading", "blocks"}
    assert clf.expected_accuracy_ is None


WITHOUT_TORCH = """
import sys
from lovasz.__main__ import main
sys.argv = ["lovasz", "classify", "graph.csv", "--labels", "labels.csv", "--fast"]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print(sorted({"torch", "sklearn", "pandas", "networkx"} & set(sys.modules)))
"""


def test_the_command_does_not_import_torch(tmp_path):
    ends = np.argwhere(np.triu(BLOCKS.graph.adjacency.toarray()))
    np.savetxt(tmp_path / "graph.csv", ends, fmt="%d", delimiter=",")
    lines = [f"{node},{code}\n" for node, code in FEW.items()]
    (tmp_path / "labels.csv").write_text("node,class\n" + "".join(lines))
    found = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH], cwd=tmp_path, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert "torch" not in found.stdout.splitlines()[-1]
    assert "label spreading" in found.stdout
    page = (tmp_path / "results" / "report.html").read_text(encoding="utf-8")
    assert "With --fast no network is trained" in page
