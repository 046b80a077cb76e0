"""Every rounding term of the dense proofs decides somewhere; rationals are the judge."""

import math
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from tests.number import exact

from lovasz.base.rounding import down, up
from lovasz.graphs import Graph, as_graph
from lovasz.number.proofs import certify
from lovasz.number.variants import Variant


@pytest.mark.parametrize(("n", "block"), [(2, 4096), (3, 4096), (4, 4096), (8, 4096), (8, 3)])
def test_what_counts_as_semidefinite_is_semidefinite(n, block, monkeypatch):
    """Matrices whose least eigenvalue is 0 up to rounding; every tenth passes without a shift."""
    monkeypatch.setattr(certify.blocks, "BLOCK", block)
    rng = np.random.default_rng(n)
    indefinite = 0
    for _ in range(1500 if n == 2 else 300):
        V = rng.normal(size=(n, n - 1))
        S = V @ V.T
        S = (S + S.T) / 2
        if certify.proves_psd(S.copy()):
            assert exact.is_psd(exact.rationals(S))
        indefinite += not exact.is_psd(exact.rationals(S))
        S.flat[:: n + 1] += 4 * (n + 6) * 2.0**-53 * np.trace(S)
        assert certify.proves_psd(S)
    assert indefinite > 50


def bordered(n, own, beside, corner, unit):
    """own·I, bordered by ``beside`` with a corner: semidefinite if corner·own ≥ (n − 1)·beside²."""
    S = np.diag(np.full(n, own * unit))
    S[-1, :-1] = S[:-1, -1] = beside * unit
    S[-1, -1] = corner * unit
    return S, corner * own >= (n - 1) * beside**2


@pytest.mark.parametrize("exponent", [-1074, -1060, -900, -301])
def test_products_that_underflow_prove_nothing(exponent):
    S, semidefinite = bordered(1000, 107, 6, 200, 2.0**exponent)
    assert not semidefinite and not certify.proves_psd(S)


@pytest.mark.parametrize("exponent", [-290, 0, 900])
def test_the_range_of_doubles_is_judged(exponent):
    S, semidefinite = bordered(100, 107, 6, 40, 2.0**exponent)
    assert semidefinite and certify.proves_psd(S)
    S, semidefinite = bordered(100, 107, 6, 33, 2.0**exponent)
    assert not semidefinite and not certify.proves_psd(S)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("where", [(0, 0), (4, 1), (4, 4)])
def test_numbers_that_are_none_prove_nothing(bad, where):
    S = np.eye(5)
    S[where] = S[where[::-1]] = bad
    assert not certify.proves_psd(S)


@pytest.fixture
def sharp(monkeypatch):
    """A factorisation that proves all that is true, so that no other margin hides a term."""
    monkeypatch.setattr(certify, "proves_psd", lambda S: exact.is_psd(exact.rationals(S)))


def guesses_near(largest, n):
    """Guesses whose first step ends within some units in the last place of ``largest``."""
    first = 1 + 2 * certify.gamma(n + 2) * n
    start = largest / first
    return [up(start, k) if k >= 0 else down(start, -k) for k in range(-6, 7)]


@pytest.mark.parametrize("n", [2, 3, 5])
def test_an_upper_bound_allows_for_the_square_roots(sharp, n):
    """Without edges ϑ = Σw and K = I; the rounded roots of w may have squares that are less."""
    rng, graph = np.random.default_rng(n), Graph.from_edges([], [], nodes=range(n))
    tight = 0
    for _ in range(20):
        w = rng.uniform(1, 4, n)
        c = np.sqrt(w)
        total = sum(map(Fraction, w.tolist()))
        for guess in guesses_near(float(np.linalg.eigvalsh(np.outer(c, c))[-1]), n):
            t, _ = certify.upper_bound(graph, c, np.zeros(0), guess)
            assert total <= Fraction(t)
            tight += t < float(total) * (1 + 20 * n * 2.0**-53)
    assert tight > 20


@pytest.mark.parametrize("variant", list(Variant))
def test_a_kernel_proves_its_bound_to_the_last_bit(sharp, variant):
    rng = np.random.default_rng(1)
    for seed in range(12):
        n = 3 + seed % 5
        graph = as_graph(nx.gnp_random_graph(n, 0.6, seed=seed))
        w, y = rng.uniform(0.1, 4, n), rng.normal(size=graph.m) * 10 ** rng.uniform(-1, 1)
        excess = rng.normal(size=(n, n)) / 10 if variant is Variant.SCHRIJVER else None
        c = np.sqrt(w)
        M = certify.dual_matrix(graph, c, y, excess, variant)
        for guess in guesses_near(float(np.linalg.eigvalsh(M)[-1]), n)[::4]:
            t, kernel = certify.upper_bound(graph, c, y, guess, excess, variant)
            K = kernel().toarray()
            assert (np.diag(K) == 1).all() and (K == K.T).all()
            assert exact.proves_ratio(K, t, w)
            apart = (graph.adjacency.toarray() == 0) & ~np.eye(n, dtype=bool)
            linked = graph.adjacency.toarray() != 0
            assert (K[apart] <= 0).all() and (variant is Variant.SCHRIJVER or not K[apart].any())
            assert variant is not Variant.SZEGEDY or (K[linked] >= 0).all()


@pytest.mark.parametrize("n", [1, 2, 5, 30])
def test_a_ratio_is_rounded_down(n):
    """√wᵀX√w / tr X in rationals; sums of doubles in any order are above it every other time."""
    rng, above = np.random.default_rng(n), 0
    for _ in range(40):
        w, V = rng.uniform(0.1, 4, n), rng.normal(size=(n, 3)) + 1
        X, c = V @ V.T, np.sqrt(w)
        X = (X + X.T) / 2
        found, rows = certify._ratio(X, c), exact.rationals(X)
        roots = [exact.root_below(Fraction(x)) for x in w.tolist()]
        value = sum(a * rows[i][j] * b for i, a in enumerate(roots) for j, b in enumerate(roots))
        truth = value / sum(rows[i][i] for i in range(n))
        assert Fraction(found) <= truth
        most = float(c @ np.abs(X) @ c) / np.trace(X)
        assert found >= float(truth) - 4 * (3 * n + 16) * 2.0**-53 * most
        above += Fraction(float(c @ (X @ c)) / float(np.trace(X))) > truth
    assert above >= 5


@pytest.mark.parametrize("variant", list(Variant))
def test_a_lower_bound_is_that_of_a_feasible_matrix(variant, monkeypatch):
    """The matrix whose ratio is returned is semidefinite and has the right zeros and signs."""
    seen = []
    monkeypatch.setattr(certify, "_ratio", lambda X, c: seen.append(X.copy()) or 1.0)
    rng, judged = np.random.default_rng(0), 0
    for seed in range(20):
        n = 2 + seed % 6
        graph = as_graph(nx.gnp_random_graph(n, 0.6, seed=seed))
        V = rng.normal(size=(n, 2))
        if not certify.lower_bound(graph, np.sqrt(rng.uniform(0.1, 4, n)), V @ V.T, variant):
            continue
        judged += 1
        X, (i, j) = seen[-1], graph.edges()
        assert (X == X.T).all() and exact.is_psd(exact.rationals(X))
        assert (X[i, j] <= 0).all() and (variant is Variant.SZEGEDY or not X[i, j].any())
        assert variant is not Variant.SCHRIJVER or (X >= 0).all()
    assert judged > 10


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0, -1.0])
def test_a_matrix_of_no_use_gives_the_bound_zero(bad):
    graph = as_graph(nx.path_graph(3))
    assert certify.lower_bound(graph, np.ones(3), np.full((3, 3), bad)) == 0


def test_no_step_is_taken_for_proven_that_is_not():
    asked = []
    assert certify.smallest_step(lambda step: asked.append(step), 1.0) == math.inf
    assert len(asked) == 60
    assert 5 <= certify.smallest_step(lambda step: step >= 5, 1.0) <= 10
    assert certify.smallest_step(lambda step: True, 1.0, 5) == 1.0
