import os
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from lovasz import LCNClassifier
from lovasz.base import memory
from lovasz.base.errors import LovaszError
from lovasz.graphs import similarity
from lovasz.graphs.similarity import similarity_graph

shapes = st.tuples(st.integers(2, 9), st.integers(1, 4))
small_tables = st.one_of(
    arrays(float, shapes, elements=st.integers(-3, 3)),  # with ties and equal rows
    arrays(float, shapes, elements=st.floats(-10, 10, width=16)),
)


def distance(x, y):
    return float(np.sqrt(((x - y) ** 2).sum()))


def brute_force_rbf(X):
    n = len(X)
    sigma = np.mean([distance(X[i], X[j]) for i in range(n) for j in range(i)])
    s = np.array([[np.exp(-(distance(x, y) ** 2) / (2 * sigma**2)) for y in X] for x in X])
    return (s > s.mean()) & ~np.eye(n, dtype=bool)


def brute_force_cosine(X, threshold):
    n = len(X)
    edges = np.zeros((n, n), dtype=bool)
    for i in range(n):
        for j in range(n):
            lengths = np.linalg.norm(X[i]) * np.linalg.norm(X[j])
            if i != j and lengths:
                edges[i, j] = 1 - X[i] @ X[j] / lengths < threshold - 1e-12
    return edges


def edges(graph):
    return graph.adjacency.toarray() != 0


@settings(deadline=None)
@given(small_tables)
def test_rbf_is_its_definition(X):
    if np.ptp(X, axis=0).max() == 0:
        with pytest.raises(LovaszError, match="all rows of X are equal"):
            similarity_graph(X, "rbf")
    else:
        assert (edges(similarity_graph(X, "rbf")) == brute_force_rbf(X)).all()


@settings(deadline=None)
@given(small_tables, st.sampled_from([0.05, 0.4, 1.0, 1.5]))
def test_cosine_is_its_definition(X, threshold):
    found = edges(similarity_graph(X, "cosine", threshold=threshold))
    assert (found == brute_force_cosine(X, threshold)).all()


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(["rbf", "cosine", "knn"]))
def test_permuted_rows_give_the_permuted_graph(seed, affinity):
    rng = np.random.default_rng(seed)
    X, order = rng.normal(size=(25, 3)), rng.permutation(25)
    original = edges(similarity_graph(X, affinity))
    assert (edges(similarity_graph(X[order], affinity)) == original[np.ix_(order, order)]).all()


def test_rbf_ignores_shifts_scales_and_constant_columns():
    X = np.random.default_rng(0).normal(size=(60, 4))
    original = edges(similarity_graph(X, "rbf"))
    moved = np.column_stack([1e-3 * X + 1e4, np.full(60, 7.0)])
    assert (edges(similarity_graph(moved, "rbf")) == original).all()


def test_cosine_ignores_the_length_of_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    stretched = X * rng.uniform(0.1, 10, size=(60, 1))
    expected = edges(similarity_graph(X, "cosine"))
    assert (edges(similarity_graph(stretched, "cosine")) == expected).all()


def test_equal_rows_far_from_the_origin_have_distance_zero():
    X = np.repeat(np.random.default_rng(0).normal(size=(20, 50)), 2, axis=0) + 1e3
    assert (edges(similarity_graph(X, "rbf")) == brute_force_rbf(X)).all()


def test_a_cosine_distance_at_the_threshold_is_no_edge():
    X = np.array([[1.0, 0.0], [3.0, 4.0]])  # cos = 0.6
    for scale in np.random.default_rng(0).uniform(0.1, 10, size=50):
        assert similarity_graph(X * [[1], [scale]], "cosine", threshold=0.4).m == 0


def test_equal_distances_are_not_above_their_mean():
    # Off the diagonal all similarities are equal, and the ones on it pull the mean above them.
    assert similarity_graph(np.eye(20), "rbf").m == 0


@pytest.mark.parametrize("affinity", ["rbf", "cosine"])
def test_the_size_of_the_blocks_changes_nothing(affinity, monkeypatch):
    X = np.random.default_rng(0).normal(size=(40, 3))
    whole = edges(similarity_graph(X, affinity))
    monkeypatch.setattr(similarity, "BLOCK", 70)
    assert (edges(similarity_graph(X, affinity)) == whole).all()


@pytest.mark.parametrize("affinity", ["rbf", "cosine", "knn"])
def test_sparse_tables_give_the_graph_of_dense_ones(affinity):
    X = np.random.default_rng(0).normal(size=(40, 6)) * (np.arange(240).reshape(40, 6) % 3 > 0)
    from_sparse = similarity_graph(sparse.csc_array(X), affinity)
    assert (edges(from_sparse) == edges(similarity_graph(X, affinity))).all()


def test_knn_joins_both_ways():
    X = np.random.default_rng(0).normal(size=(50, 3))
    distances = np.array([[distance(x, y) for y in X] for x in X]) + np.diag(np.full(50, np.inf))
    near = np.zeros((50, 50), dtype=bool)
    np.put_along_axis(near, np.argsort(distances, axis=1)[:, :4], True, axis=1)
    found = edges(similarity_graph(X, "knn", k=4))
    assert (found == found.T).all()
    assert (found == (near | near.T)).all()
    assert similarity_graph(X, "knn", k=4).notes == ()


def test_knn_joins_ten_rows_or_as_many_as_there_are():
    few, many = np.arange(3.0)[:, None], np.arange(30.0)[:, None]
    assert similarity_graph(few, "knn").m == 3
    assert (
        edges(similarity_graph(many, "knn")) == edges(similarity_graph(many, "knn", k=10))
    ).all()
    model = LCNClassifier(affinity="knn", fast=True).fit([[0.0], [0.1], [5.0]], ["a", -1, "b"])
    assert model.predict([[0.0], [0.1], [5.0], [5.1]]).shape == (4,)


def test_knn_takes_a_metric():
    X = np.array([[1.0, 0.0], [9.0, 1.0], [1.0, 0.5]])
    by_angle = edges(similarity_graph(X, "knn", k=1, metric="cosine"))
    assert by_angle[0, 1] and not edges(similarity_graph(X, "knn", k=1))[0, 1]


def test_zero_rows_have_no_direction_and_a_note():
    graph = similarity_graph([[0, 0], [1, 0], [1, 0.1], [0, 0]], "cosine", threshold=2)
    assert graph.degrees.tolist() == [0, 1, 1, 0]
    assert graph.notes == ("left 2 all-zero rows of X without edges",)


def test_rows_of_a_frame_keep_their_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 1, 9], "b": [0, 1, 9]}, index=["x", "y", "z"])
    assert similarity_graph(frame, "rbf").nodes == ("x", "y", "z")


@pytest.mark.parametrize("affinity", ["rbf", "cosine"])
def test_one_row_or_none_is_a_graph_without_edges(affinity):
    assert similarity_graph(np.ones((1, 3)), affinity).n == 1
    assert similarity_graph(np.ones((0, 3)), affinity).n == 0


def test_a_graph_that_cannot_fit_is_refused_with_an_estimate(monkeypatch):
    X = np.random.default_rng(0).normal(size=(1500, 2))
    monkeypatch.setattr(memory, "free_memory", lambda: 1e6)
    with pytest.raises(
        LovaszError, match=r"rbf.*about 6e\+05 pairs.* need about 0\.1 GiB and 0\.0 GiB"
    ) as caught:
        similarity_graph(X, "rbf")
    assert "\n" not in str(caught.value)
    assert similarity_graph(X, "knn").n == 1500


def test_the_estimate_does_not_take_a_constant_sample_for_the_table():
    X = np.zeros((1500, 2))
    X[np.arange(1500) % 3 > 0] = 1  # every sampled row is zero
    assert similarity_graph(X, "rbf").m == 500 * 499 // 2 + 1000 * 999 // 2


def test_rbf_and_cosine_do_without_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.neighbors", None)
    X = np.random.default_rng(0).normal(size=(20, 3))
    assert similarity_graph(X, "rbf").m and similarity_graph(X, "cosine").m
    with pytest.raises(ImportError, match="scikit-learn"):
        similarity_graph(X, "knn")


@pytest.mark.parametrize(
    "X, affinity, options, message",
    [
        ([1, 2, 3], "rbf", {}, r"shape \(3,\).*reshape"),
        (np.ones((3, 0)), "cosine", {}, r"shape \(3, 0\)"),
        ([[1, 2], [np.nan, 3]], "rbf", {}, r"X\[1, 0\] is nan"),
        ([[1, 2], [3, np.inf]], "cosine", {}, r"X\[1, 1\] is inf"),
        (sparse.csr_array([[0, 2], [0, np.nan]]), "cosine", {}, r"X\[1, 1\] is nan"),
        ([[1, 1e200], [3, 1]], "rbf", {}, r"X\[0, 1\] is 1e\+200.*rescale"),
        ([["a", "b"]], "rbf", {}, "not a table of numbers"),
        ([[1, 2], [1, 2]], "rbf", {}, "all rows of X are equal"),
        ([[1, 2], [3, 4]], "rbf", {"k": 3}, "'rbf' has no option 'k'; it takes none"),
        ([[1, 2], [3, 4]], "knn", {"threshold": 3}, "it takes k, metric"),
        ([[1, 2], [3, 4]], "cosine", {"threshold": 3}, "threshold=3"),
        (
            [[1, 2], [3, 4]],
            "knn",
            {"k": 2},
            r"k=2 .* among 2 rows; pass k from 1 to 1 .*\{\"k\": 1\}",
        ),
        ([[1, 2]], "knn", {}, "X has 1 row; affinity 'knn' needs at least 2"),
        ([[1, 2], [3, 4]], "knn", {"k": 1, "metric": "no"}, "metric='no'"),
        ([[1, 2], [3, 4]], "gaussian", {}, "'gaussian' is not known; use one of rbf, cosine, knn"),
    ],
)
def test_bad_input_is_named_in_one_line(X, affinity, options, message):
    with pytest.raises(LovaszError, match=message) as caught:
        similarity_graph(X, affinity, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.data
@pytest.mark.parametrize(
    "name, m",
    [("ionosphere", 28_765), ("fourclass", 192_229), ("sonar", 11_090), ("heart", 17_272)],
)
def test_the_graphs_of_the_paper_are_the_ones_that_were_measured(name, m):
    """These are the graphs with the cores of the design notes (sonar 107 nodes, heart 169)."""
    lines = Path(os.environ["LOVASZ_DATA"], "uci", f"{name}_scale").read_text().splitlines()
    entries = [dict(map(float, word.split(":")) for word in line.split()[1:]) for line in lines]
    X = np.zeros((len(lines), int(max(map(max, entries)))))
    for row, values in enumerate(entries):
        X[row, np.array(list(values), dtype=int) - 1] = list(values.values())
    assert similarity_graph(X, "rbf").m == m
