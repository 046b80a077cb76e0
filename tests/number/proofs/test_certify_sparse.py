"""The bounds for sparse graphs hold whatever a solver returns."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.number import exact, oracle

from lovasz.graphs import as_graph
from lovasz.number.proofs import certify, certify_sparse


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [2, 6, 11])
def test_bounds_hold_whatever_a_solver_returns(n, weighted):
    rng = np.random.default_rng(n)
    for seed in range(25):
        graph = as_graph(nx.gnp_random_graph(n, 0.5, seed=seed))
        w = rng.uniform(0.5, 2, n) if weighted else np.ones(n)
        truth = oracle.theta(graph.adjacency.toarray(), w)
        scale = 10 ** rng.uniform(-2, 2)
        upper, kernel = certify_sparse.upper_bound(
            graph, np.sqrt(w), scale * rng.normal(size=graph.m)
        )
        V = rng.normal(size=(n, 3)) * rng.integers(0, 2, (n, 1))
        lower = certify_sparse.lower_bound(graph, np.sqrt(w), V)
        assert lower <= truth * (1 + 1e-6) and truth * (1 - 1e-6) <= upper
        K = kernel().toarray()
        assert (K[graph.adjacency.toarray() + np.eye(n) == 0] == 0).all()
        assert (np.diag(K) == 1).all()
        assert np.linalg.eigvalsh(upper * K - np.sqrt(np.outer(w, w)))[0] > -1e-9 * upper


def solve_exactly(K, b):
    """x with K x = b and the pivots of the elimination, in rationals."""
    n = len(b)
    rows = [[Fraction(float(v)) for v in row] + [x] for row, x in zip(K, b, strict=True)]
    pivots = []
    for k in range(n):
        pivots.append(rows[k][k])
        if rows[k][k] == 0:
            return None, pivots
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    x = [Fraction(0)] * n
    for k in reversed(range(n)):
        known = sum(rows[k][j] * x[j] for j in range(k + 1, n))
        x[k] = (rows[k][n] - known) / rows[k][k]
    return x, pivots


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 8), st.integers(0, 10**6), st.floats(-150, 150), st.booleans())
def test_the_upper_bound_holds_in_rationals(n, seed, exponent, weighted):
    rng = np.random.default_rng(seed)
    graph = as_graph(nx.gnp_random_graph(n, 0.6, seed=seed))
    w = rng.integers(1, 9, n) ** 2 if weighted else np.ones(n)  # their roots are rational
    w = w * 4.0 ** int(exponent)
    y = rng.normal(size=graph.m) * 10 ** rng.uniform(-1, 1)
    upper, kernel = certify_sparse.upper_bound(graph, np.sqrt(w), y, guess=1.0)
    c = [Fraction(float(x)) for x in np.sqrt(w)]
    x, pivots = solve_exactly(kernel().toarray(), c)
    assert all(pivot > 0 for pivot in pivots)
    exact = sum(a * b for a, b in zip(c, x, strict=True))
    assert exact <= Fraction(upper) <= exact * (1 + Fraction(1, 10**9))


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 7), st.integers(1, 4), st.integers(0, 10**6), st.floats(-140, 140))
def test_the_lower_bound_holds_in_rationals(n, r, seed, exponent):
    """With Q = I the bound is that of an exact matrix whose smallest added diagonal is known."""
    rng = np.random.default_rng(seed)
    graph = as_graph(nx.gnp_random_graph(n, 0.5, seed=seed))
    V = rng.normal(size=(n, r)) * 10.0**exponent * rng.integers(0, 2, (n, 1))
    V *= 10.0 ** rng.uniform(-40, 0, (n, 1))
    w = rng.uniform(0.1, 9, n)
    lower = certify_sparse.lower_bound(graph, np.sqrt(w), V)
    truth = oracle.theta(graph.adjacency.toarray(), w)
    assert 0 <= lower <= truth * (1 + 1e-7)
    exact = plain_ratio(graph, V, w)
    assert float(exact) * (1 - 2e-6) - 1e-12 <= lower or lower == 0


def plain_ratio(graph, V, w):
    """cᵀXc / tr X in rationals, up to the roots of w."""
    rows = [[Fraction(float(x)) for x in row] for row in V]
    c = [Fraction(float(x)) for x in np.sqrt(w)]
    i, j = graph.edges()
    sums = [sum(a * row[k] for a, row in zip(c, rows, strict=True)) for k in range(V.shape[1])]
    above, below = sum(s * s for s in sums), sum(x * x for row in rows for x in row)
    for a, b in zip(i, j, strict=True):
        R = sum(x * y for x, y in zip(rows[a], rows[b], strict=True))
        above += abs(R) * (c[a] ** 2 + c[b] ** 2) - 2 * c[a] * c[b] * R
        below += 2 * abs(R)
    return above / below if below else Fraction(0)


@pytest.mark.parametrize("n", [5, 40, 151])
@pytest.mark.parametrize("excess", [1e-15, 1e-13, 1e-10, 1e-4])
def test_a_kernel_that_is_barely_indefinite_is_pulled_towards_the_identity(n, excess):
    graph = as_graph(nx.cycle_graph(n))
    least = -2 * np.cos(np.pi * (n - 1) / n)  # |λ_min| of an odd cycle
    y = np.full(graph.m, (1 + excess) / least)
    upper, kernel = certify_sparse.upper_bound(graph, np.ones(n), y, guess=1.0)
    K = kernel()
    assert abs(K - K.T).max() == 0 and (K.diagonal() == 1).all()
    assert K[0, 1] < y[0]
    truth = n * np.cos(np.pi / n) / (1 + np.cos(np.pi / n))
    assert truth <= upper


@pytest.mark.parametrize("weighted", [False, True])
def test_both_proofs_agree_on_what_the_interior_point_returns(weighted):
    from lovasz.number.solvers.contract import Core, Referee
    from lovasz.number.solvers.interior_point import InteriorPoint

    graph = as_graph(nx.gnm_random_graph(60, 150, seed=2))
    w = np.random.default_rng(2).uniform(0.5, 2, graph.n) if weighted else np.ones(graph.n)
    c = np.sqrt(w)
    pair = InteriorPoint(tol=1e-9).solve(Core(graph, c), Referee(1e-9))
    dense, _ = certify.upper_bound(graph, c, pair.edge_values)
    thin, _ = certify_sparse.upper_bound(graph, c, pair.edge_values)
    values, Q = np.linalg.eigh(pair.matrix)
    V = Q * np.sqrt(values.clip(min=0))
    low, lower = certify.lower_bound(graph, c, pair.matrix), certify_sparse.lower_bound(graph, c, V)
    assert dense == pytest.approx(thin, rel=1e-7) and low == pytest.approx(lower, rel=1e-6)
    assert max(low, lower) <= min(dense, thin)


@pytest.mark.parametrize("y", [np.nan, np.inf, 1e308, -1e308])
def test_values_that_are_none_give_the_bound_of_the_identity(y):
    graph = as_graph(nx.cycle_graph(5))
    upper, kernel = certify_sparse.upper_bound(graph, np.ones(5), np.full(5, y), guess=1e-10)
    assert upper == pytest.approx(5) and upper > 5 and kernel().nnz == 5
    assert 0 <= certify_sparse.lower_bound(graph, np.ones(5), np.full((5, 2), y)) < 5**0.5


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 30), st.integers(0, 10**6), st.floats(1e-3, 1e3))
def test_no_bound_crosses_an_integer_that_is_attained(n, seed, scale):
    """A tree has ϑ = α, attained by a set on the one side and a clique cover on the other."""
    tree = nx.random_labeled_tree(n, seed=seed)
    matching = nx.max_weight_matching(tree, maxcardinality=True)
    cover = nx.bipartite.to_vertex_cover(
        tree, {a: b for pair in matching for a, b in (pair, pair[::-1])}
    )
    graph, alpha = as_graph(tree), n - len(cover)
    order = {node: k for k, node in enumerate(graph.nodes)}
    V = np.zeros((n, 1))
    V[[order[node] for node in set(tree) - cover]] = scale
    assert alpha * (1 - 1e-10) <= certify_sparse.lower_bound(graph, np.ones(n), V) <= alpha
    matched = {frozenset((order[a], order[b])) for a, b in matching}
    y = np.array([float(frozenset(e) in matched) for e in zip(*graph.edges(), strict=True)])
    upper, _ = certify_sparse.upper_bound(graph, np.ones(n), y, guess=1.0)
    assert alpha <= upper <= alpha * (1 + 1e-6)


def test_a_proof_that_would_take_too_long_is_left_out():
    graph = as_graph(nx.cycle_graph(5))
    upper, _ = certify_sparse.upper_bound(
        graph, np.ones(5), np.full(5, 0.5), guess=1.0, left=lambda: 0.0
    )
    assert upper == pytest.approx(5)


def solved(K, w):
    """√wᵀK⁻¹√w in rationals, up to the error of the square roots."""
    roots = [exact.root_below(Fraction(x)) for x in w.tolist()]
    x, _ = solve_exactly(K, roots)
    return sum(a * b for a, b in zip(roots, x, strict=True))


@pytest.mark.parametrize("poor", [0.0, 1e-9, 0.5, 1.0])
def test_the_bound_of_the_identity_holds_for_any_vector(poor):
    """For K = I it is Σw whatever z is, so that nothing but rounding is between the two."""
    rng = np.random.default_rng(0)
    for n in (1, 3, 10, 200):
        for _ in range(10):
            w = rng.uniform(0.1, 1, n)
            z = certify_sparse._normalised(np.sqrt(w))[0] * (1 - poor * rng.uniform(0.9, 1, n))
            z = z if poor < 1 else np.zeros(n)
            K = sparse.eye_array(n, format="csr")
            upper = certify_sparse.quadratic_bound(K, np.sqrt(w), z, 1.0)
            truth = sum(map(Fraction, w.tolist()))
            assert truth <= Fraction(upper) <= truth * (1 + Fraction(1, 10**5))


@pytest.mark.parametrize("n", [5, 7, 9])
def test_the_bound_of_a_nearly_singular_kernel_allows_for_the_residual(n):
    rng, C = np.random.default_rng(n), nx.to_numpy_array(nx.cycle_graph(n))
    least = 2 * np.cos(np.pi / n)  # |λ_min| of an odd cycle
    for _ in range(12):
        slack = 10 ** rng.uniform(-9, -6)
        signs = np.where(np.arange(n) % 2, -1.0, 1.0)
        K = np.eye(n) + C * ((1 - slack) / least)
        w = rng.uniform(0.1, 1, n)
        c, _ = certify_sparse._normalised(np.sqrt(w))
        z = np.linalg.solve(K, c) * (1 + 1e-12 * signs)
        upper = certify_sparse.quadratic_bound(sparse.csr_array(K), np.sqrt(w), z, slack / 2)
        assert solved(K, w) <= Fraction(upper)


def test_the_plain_bound_is_rounded_up():
    rng = np.random.default_rng(0)
    for n in (1, 2, 5, 100):
        for _ in range(10):
            w = rng.uniform(0.1, 1, n)
            graph = as_graph(nx.empty_graph(n))
            upper, _ = certify_sparse.upper_bound(
                graph, np.sqrt(w), np.zeros(0), 1.0, left=lambda: -1.0
            )
            assert sum(map(Fraction, w.tolist())) <= Fraction(upper)


@pytest.mark.parametrize("seed", range(10))
def test_a_kernel_is_positive_definite_to_the_last_bit(seed):
    """Kernels on the border of the cone; plain factorisations pass where there is no proof."""
    rng = np.random.default_rng(seed)
    graph = as_graph(nx.gnp_random_graph(6, 0.6, seed=seed))
    y = rng.normal(size=graph.m)
    A, (i, j) = np.zeros((6, 6)), graph.edges()
    A[i, j] = A[j, i] = y
    for steps in range(-3, 4):
        guess = -float(np.linalg.eigvalsh(A)[0]) * (1 + steps * 2.0**-53)
        _, kernel = certify_sparse.upper_bound(graph, np.ones(6), y, guess)
        K = exact.rationals(kernel().toarray())
        least = Fraction(1, 2**53)
        assert exact.is_psd([[K[a][b] - least * (a == b) for b in range(6)] for a in range(6)])


@pytest.fixture
def taken(monkeypatch):
    """The arguments of the ratios that a lower bound compares, and what they are."""
    seen, ratio = [], certify_sparse._ratio

    def note(*arguments):
        seen.append((arguments, ratio(*arguments)))
        return seen[-1][1]

    monkeypatch.setattr(certify_sparse, "_ratio", note)
    return seen


@pytest.mark.parametrize("n", [3, 8, 15])
def test_the_lower_bound_is_that_of_a_feasible_matrix_rounded_down(n, taken):
    """X = V Vᵀ − R + excess in rationals: excess dominates R, and the ratio is at most its own."""
    rng = np.random.default_rng(n)
    for seed in range(6):
        graph = as_graph(nx.gnp_random_graph(n, 0.7, seed=seed))
        if not graph.m:
            continue
        w = rng.uniform(0.25, 1, n)
        roots = [exact.root_above(Fraction(x)) for x in w.tolist()]  # a smaller q is a larger bound
        certify_sparse.lower_bound(graph, np.sqrt(w), rng.normal(size=(n, 3)))
        for (_, c, V, _, excess, _, q), found in taken[-2:]:
            rows, p = exact.rationals(V), [Fraction(x) for x in (q * c).tolist()]
            R = [[sum(a * b for a, b in zip(x, y, strict=True)) for y in rows] for x in rows]
            extra = [Fraction(x) for x in excess.tolist()]
            linked = graph.adjacency.toarray() != 0
            for a in range(n):
                assert extra[a] >= sum(abs(R[a][b]) for b in range(n) if linked[a, b])
            above = sum(x * x * y for x, y in zip(p, extra, strict=True)) + sum(
                p[a] * p[b] * R[a][b] for a in range(n) for b in range(n) if not linked[a, b]
            )
            below = sum((p[a] / roots[a]) ** 2 * (R[a][a] + extra[a]) for a in range(n))
            assert Fraction(found) <= above / below
            assert found >= float(above / below) * (1 - 1e-9) - 1e-9


def test_the_lower_bound_of_theta_plus_is_that_of_a_feasible_matrix(taken):
    """X = V Vᵀ − R + excess in rationals, with R the doubles that are taken from the edges."""
    rng = np.random.default_rng(0)
    for seed in range(12):
        graph = as_graph(nx.gnp_random_graph(9, 0.6, seed=seed))
        i, j = graph.edges()
        V = rng.normal(size=(9, 4))
        V[1::2] -= V[1::2] @ np.outer(V[0], V[0]) / (V[0] @ V[0])  # products of about zero
        certify_sparse.lower_bound(graph, np.full(9, 0.75), V, signed=True)
        for (_, _, scaled, _, excess, removed, q), found in taken[-2:]:
            rows, p = exact.rationals(scaled), [Fraction(x) for x in (0.75 * q).tolist()]
            X = [[sum(a * b for a, b in zip(x, y, strict=True)) for y in rows] for x in rows]
            extra = [Fraction(x) for x in excess.tolist()]
            for a, b, less in zip(i.tolist(), j.tolist(), removed.tolist(), strict=True):
                X[a][b] = X[b][a] = X[a][b] - Fraction(less)
                assert X[a][b] <= 0 <= less
            for node in range(9):
                mine = removed[(i == node) | (j == node)].tolist()
                assert extra[node] >= sum(map(Fraction, mine))
                X[node][node] += extra[node]
            above = sum(p[a] * p[b] * X[a][b] for a in range(9) for b in range(9))
            below = sum((p[a] / Fraction(3, 4)) ** 2 * X[a][a] for a in range(9))
            assert Fraction(found) <= above / below
            assert found >= float(above / below) * (1 - 1e-9) - 1e-9
