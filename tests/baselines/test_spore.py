"""SPORE: the kernel is feasible, the value falls to the optimum, the machine is solved."""

import subprocess
import sys

import clarabel
import networkx as nx
import numpy as np
import pytest
import torch
from scipy import sparse
from sklearn.base import clone

import lovasz
from lovasz import LovaszError, SPOREClassifier
from lovasz.baselines.spore import spore, theory
from lovasz.baselines.svm_dual import solve_box, value
from lovasz.graphs.families import planted_partition

BLOCKS = planted_partition(40, 2, 0.6, 0.1, seed=1)
ROWS = np.arange(0, 40, 3)
SIGNS = np.where(BLOCKS.y == 1, 1.0, -1.0)


def objective(K, rows, signs, C, beta):
    Q = torch.as_tensor(K[np.ix_(rows, rows)] * np.outer(signs, signs))
    alpha = solve_box(Q, C, torch.zeros(len(rows), dtype=torch.float64))
    return value(Q, alpha) + beta * np.linalg.eigvalsh(K)[-1]


def triangle(n):
    """Clarabel's order of a symmetric matrix: the upper triangle, column by column."""
    return [(i, j) for j in range(n) for i in range(j + 1)]


def solve_programme(graph, rows, signs, C, beta):
    """min F as one semidefinite programme.

    ω is also min ½r + C Σξ with ξ ≥ 0, [[K_S, p], [pᵀ, r]] ⪰ 0 and p = Y(1 + ν − ξ), ν ≥ 0:
    the dual of the machine, with r bounding pᵀ K⁻¹ p.
    """
    n, m, edges = graph.number_of_nodes(), len(rows), list(graph.edges())
    t = len(edges)
    r, xi, nu, width = t + 1, t + 2, t + 2 + m, t + 2 + 2 * m
    where = {frozenset(edge): k for k, edge in enumerate(edges)}

    def cone(size, entry):
        A, b = np.zeros((size * (size + 1) // 2, width)), []
        for row, (i, j) in enumerate(triangle(size)):
            scale = 1 if i == j else 2**0.5
            constant, terms = entry(i, j)
            b.append(scale * constant)
            for column, weight in terms:
                A[row, column] -= scale * weight
        return A, b

    def kernel(i, j):
        if i == j:
            return 1.0, []
        return 0.0, [(where[frozenset((i, j))], 1.0)] if frozenset((i, j)) in where else []

    def ceiling(i, j):
        constant, terms = kernel(i, j)
        return -constant, [(t, 1.0)] * (i == j) + [(k, -w) for k, w in terms]

    def bordered(i, j):
        if j < m:
            return kernel(rows[i], rows[j])
        if i == m:
            return 0.0, [(r, 1.0)]
        return signs[i], [(nu + i, signs[i]), (xi + i, -signs[i])]

    parts = [cone(n, kernel), cone(n, ceiling), cone(m + 1, bordered)]
    signed = -np.eye(width)[xi:]
    A = sparse.csc_matrix(np.vstack([signed, *(part[0] for part in parts)]))
    b = np.concatenate([np.zeros(2 * m), *(part[1] for part in parts)])
    q = np.zeros(width)
    q[t], q[r], q[xi:nu] = beta, 0.5, C
    cones = [clarabel.NonnegativeConeT(2 * m), *map(clarabel.PSDTriangleConeT, (n, n, m + 1))]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    empty = sparse.csc_matrix((width, width))
    answer = clarabel.DefaultSolver(empty, q, A, b, cones, settings).solve()
    assert str(answer.status) in ("Solved", "AlmostSolved")
    return answer.obj_val


# The last has a singular K_S at its minimum, where ω has no derivative and progress is slow.
@pytest.mark.parametrize(
    ("C", "beta", "gap"), [(0.4, 0.0, 1e-4), (0.4, 0.7, 1e-5), (1.0, 0.3, 1e-3), (5.0, 0.1, 6e-2)]
)
@pytest.mark.parametrize("graph", [nx.wheel_graph(6), nx.cycle_graph(5), nx.ladder_graph(4)])
def test_it_reaches_the_optimum(graph, C, beta, gap):
    rows, signs = [0, 1, 2, 4], np.array([1.0, 1.0, -1.0, -1.0])
    options = {"C": C, "beta": beta, "anchor": 0.0, "tol": 1e-6, "iterations": 200}
    _, _, history = spore(graph, signs, rows, **options)
    best = solve_programme(graph, rows, signs, C, beta)
    assert best - 1e-6 <= history[-1] <= best * (1 + gap)


def test_without_an_anchor_some_optimum_is_silent_about_unlabelled_nodes():
    K, _, history = spore(BLOCKS.graph, SIGNS[ROWS], ROWS, C=1.0, beta=0.2, anchor=0.0)
    silent = np.eye(40)
    silent[np.ix_(ROWS, ROWS)] = K.toarray()[np.ix_(ROWS, ROWS)]
    assert objective(silent, ROWS, SIGNS[ROWS], 1.0, 0.2) <= history[-1] + 1e-9


@pytest.mark.parametrize("anchor", [0.0, 1.0])
@pytest.mark.parametrize(("C", "beta"), [(0.2, 0.5), (3.0, 0.05)])
def test_the_kernel_is_in_the_set_and_the_value_falls(C, beta, anchor):
    K, alpha, history = spore(BLOCKS.graph, SIGNS[ROWS], ROWS, C=C, beta=beta, anchor=anchor)
    dense, allowed = K.toarray(), BLOCKS.graph.adjacency.toarray() != 0
    np.testing.assert_array_equal(np.diag(dense), 1)
    np.testing.assert_array_equal(dense, dense.T)
    assert not dense[~allowed & ~np.eye(40, dtype=bool)].any()
    assert np.linalg.eigvalsh(dense)[0] > -1e-12
    ls = lovasz.kernel(BLOCKS.graph, "ls").toarray()
    assert history[0] == pytest.approx(objective(ls, ROWS, SIGNS[ROWS], C, beta))
    assert (np.diff(history) <= 0).all() or anchor
    assert history[-1] < history[0] * 0.98
    assert objective(dense, ROWS, SIGNS[ROWS], C, beta) == pytest.approx(history[-1])
    assert (alpha >= 0).all() and (alpha <= C).all()


def test_relabelling_nodes_relabels_the_answer():
    order = np.random.default_rng(3).permutation(40)
    moved = BLOCKS.graph.adjacency[order][:, order]
    y = np.full(40, -1)
    y[ROWS] = BLOCKS.y[ROWS]
    options = {"C": 1.0, "beta": 0.2, "tol": 1e-6, "iterations": 200}
    first = SPOREClassifier(**options).fit(BLOCKS.graph, y)
    second = SPOREClassifier(**options).fit(moved, y[order])
    np.testing.assert_allclose(second.decision_, first.decision_[order], atol=1e-3)


def test_exchanging_the_classes_changes_only_the_sign():
    y = np.full(40, -1)
    y[ROWS] = BLOCKS.y[ROWS]
    options = {"C": 1.0, "beta": 0.2}
    first = SPOREClassifier(**options).fit(BLOCKS.graph, y)
    second = SPOREClassifier(**options).fit(BLOCKS.graph, np.where(y < 0, -1, 1 - y))
    np.testing.assert_allclose(second.decision_, first.decision_[:, ::-1], atol=1e-8)
    assert first.score(BLOCKS.graph, BLOCKS.y) > 0.9


def test_several_classes_and_the_values_of_theory():
    planted = planted_partition(60, 3, 0.7, 0.05, seed=0)
    y = np.where(np.arange(60) % 5 == 0, planted.y, -1)
    clf = SPOREClassifier("theory").fit(planted.graph, y)
    assert clf.decision_.shape == (60, 3) and len(clf.kernel_) == len(clf.objective_) == 3
    assert clf.score(planted.graph, planted.y) > 0.9
    own, other = (lovasz.theta(planted.graph, complement=c).value for c in (False, True))
    assert clf.beta_ == pytest.approx(own / other, rel=0.03)
    assert pytest.approx(own / (12 * other**0.5), rel=0.05) == clf.C_**2
    assert theory(planted.graph, 12, C=2, beta=3) == (2, 3)


def test_names_survive_and_it_clones():
    clf = SPOREClassifier(C=2.0, beta=0.1)
    clf.fit([*zip("abccxyz", "bcaxyzx", strict=True)], {"a": "left", "z": "right"})
    assert clf.predict().tolist() == ["left"] * 3 + ["right"] * 3
    assert clone(clf).get_params()["C"] == 2.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": 0}, "C=0"),
        ({"C": "theorem"}, "C='theorem'"),
        ({"beta": -1}, "beta=-1"),
        ({"anchor": -1, "beta": 1}, "anchor=-1"),
        ({"iterations": 1.5, "beta": 1}, r"iterations=1\.5"),
        ({"start": "gcn", "beta": 1}, "start is not in"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(LovaszError, match=message):
        SPOREClassifier(**options).fit(nx.path_graph(4), [0, 1, 0, 1])


@pytest.mark.parametrize(
    ("signs", "rows", "message"),
    [
        ([1, 0], [0, 1], "1 or -1"),
        ([1, -1], [0, 4], "0 … 3"),
        ([1, -1], [0, 0], "must differ"),
        ([], [], "at least one"),
    ],
)
def test_bad_labels(signs, rows, message):
    with pytest.raises(LovaszError, match=message):
        spore(nx.path_graph(4), signs, rows, beta=1)


def test_predict_before_fit():
    with pytest.raises(LovaszError, match="not fitted"):
        SPOREClassifier().predict()


def test_it_needs_no_scikit_learn():
    program = """
import sys
sys.modules["sklearn"] = None
from lovasz import SPOREClassifier
print(SPOREClassifier(beta=0.1).fit([(0, 1), (1, 2), (2, 3)], [0, -1, -1, 1]).predict())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[0 0 1 1]", done.stderr
