"""Laws of Schrijver's ϑ′ and Szegedy's ϑ⁺: proven intervals, signs, and the order of the three."""

from itertools import combinations
from math import comb

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from tests.number import oracle
from tests.number.test_theta import ATLAS, adjacency, alpha, cover_number, matrices, paley

from lovasz.graphs import as_graph
from lovasz.number import theta
from lovasz.number.bracket import Bracket
from lovasz.number.proofs import certify
from lovasz.number.solvers.contract import Core, Referee
from lovasz.number.solvers.splitting import DenseSplitting
from lovasz.number.variants import Variant

SIGNED = ["schrijver", "szegedy"]
law = settings(deadline=None)


def check(A, variant, weights=None, tol=1e-6):
    """The interval contains the truth and is narrow, the kernel is feasible; returns the result."""
    result = theta(A, variant=variant, weights=weights, tol=tol)
    truth = oracle.theta(A, weights, variant)
    assert result.lower <= result.value <= result.upper
    assert result.lower <= truth * (1 + 1e-5) and truth * (1 - 1e-5) <= result.upper
    assert result.gap <= tol and result.status == "optimal"
    check_kernel(A, variant, result, weights)
    return result


def check_kernel(A, variant, result, weights=None):
    K, n = result.kernel.toarray(), len(A)
    c = np.ones(n) if weights is None else np.sqrt(weights)
    apart = (A == 0) & ~np.eye(n, dtype=bool)
    assert np.array_equal(K, K.T) and np.array_equal(np.diag(K), np.ones(n))
    assert (K[apart] <= 0).all() if variant == "schrijver" else not K[apart].any()
    assert variant != "szegedy" or (K >= 0).all()
    assert np.linalg.eigvalsh(result.upper * K - np.outer(c, c))[0] > -1e-10 * n * result.upper


def random_graph(rng, n, p):
    A = np.triu(rng.random((n, n)) < p, 1).astype(float)
    return A + A.T


@pytest.mark.parametrize("part", range(10))
def test_every_graph_of_the_atlas(part):
    for graph in ATLAS[part::10]:
        A = adjacency(graph)
        prime, plus = (check(A, variant) for variant in SIGNED)
        number = theta(A)
        assert alpha(A) <= prime.upper and prime.lower <= number.upper
        assert number.lower <= plus.upper and plus.lower <= cover_number(A)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("part", range(5))
def test_six_hundred_random_graphs(part, weighted):
    rng = np.random.default_rng([part, weighted])
    for _ in range(60):
        A = random_graph(rng, int(rng.integers(2, 13)), rng.random())
        weights = 10 ** rng.uniform(-1.5, 1.5, len(A)) if weighted else None
        prime, plus = (check(A, variant, weights) for variant in SIGNED)
        number = theta(A, weights=weights)
        assert prime.lower <= number.upper and number.lower <= plus.upper


@pytest.mark.parametrize("seed", [0, 1, 2, 5])
def test_the_three_differ(seed):
    """On graphs of a few nodes they rarely do."""
    A = random_graph(np.random.default_rng(seed), 24, 0.4)
    prime, plus, number = check(A, "schrijver"), check(A, "szegedy"), theta(A)
    assert prime.upper < number.lower and number.upper < plus.lower


@law
@given(matrices(9), st.sampled_from(SIGNED), st.randoms(use_true_random=False))
def test_relabelling_changes_nothing(A, variant, random):
    order = list(range(len(A)))
    random.shuffle(order)
    one, two = theta(A, variant=variant), theta(A[order][:, order], variant=variant)
    assert one.lower <= two.upper and two.lower <= one.upper


@law
@given(matrices(8), matrices(6), st.sampled_from(SIGNED))
def test_union_adds_and_join_takes_the_larger(A, B, variant):
    one, two = theta(A, variant=variant), theta(B, variant=variant)
    apart = np.zeros((len(A) + len(B),) * 2)
    apart[: len(A), : len(A)], apart[len(A) :, len(A) :] = A, B
    joined = apart.copy()
    joined[: len(A), len(A) :] = joined[len(A) :, : len(A)] = 1
    for whole, low, high in (
        (apart, one.lower + two.lower, one.upper + two.upper),
        (joined, max(one.lower, two.lower), max(one.upper, two.upper)),
    ):
        truth = oracle.theta(whole, None, variant)
        assert low <= truth * (1 + 1e-5) and truth * (1 - 1e-5) <= high
        check_kernel(whole, variant, theta(whole, variant=variant))


@law
@given(matrices(7), st.sampled_from(SIGNED), st.sampled_from(["interior", "splitting"]))
def test_solvers_agree(A, variant, solver):
    one, two = theta(A, variant=variant, solver=solver, tol=1e-5), theta(A, variant=variant)
    assert one.lower <= two.upper and two.lower <= one.upper
    assert one.gap <= 1e-5


@pytest.mark.parametrize("variant", SIGNED)
@pytest.mark.parametrize("n", [1, 5, 12])
def test_bounds_hold_whatever_a_solver_returns(n, variant):
    rng = np.random.default_rng(n)
    for _ in range(20):
        A = random_graph(rng, n, 0.5)
        graph, w = as_graph(A), 10 ** rng.uniform(-1, 1, n)
        truth, noise = oracle.theta(A, w, variant), rng.normal(size=(n, n))
        kind = Variant(variant)
        upper, K = certify.upper_bound(
            graph, np.sqrt(w), rng.normal(size=graph.m), excess=noise, variant=kind
        )
        lower = certify.lower_bound(graph, np.sqrt(w), noise @ noise.T, kind)
        assert lower <= truth * (1 + 1e-6) and truth * (1 - 1e-6) <= upper
        kernel = K().toarray()
        off = kernel[(A == 0) & ~np.eye(n, dtype=bool)]
        assert (off <= 0).all() if variant == "schrijver" else kernel.min() >= 0


def delsarte(n, d):
    """Delsarte's bound on codes of n bits at distance ≥ d: max Σa_i, a ≥ 0, Σ_i a_i K_k(i) ≥ 0."""

    def krawtchouk(k, i):
        return sum((-1) ** j * comb(i, j) * comb(n - i, k - j) for j in range(k + 1))

    table = np.array([[krawtchouk(k, i) for i in range(n + 1)] for k in range(n + 1)])
    bounds = [(1, 1) if i == 0 else (0, 0) if i < d else (0, None) for i in range(n + 1)]
    return -linprog(-np.ones(n + 1), -table, np.zeros(n + 1), bounds=bounds).fun


def close_words(n, d):
    """Words of n bits, adjacent at distances 1 … d − 1."""
    A = np.zeros((2**n, 2**n))
    for u, v in combinations(range(2**n), 2):
        A[u, v] = A[v, u] = (u ^ v).bit_count() < d
    return A


@pytest.mark.parametrize(("n", "d"), [(5, 3), (6, 3), (6, 4), (7, 3), (7, 4), (8, 3), (8, 5)])
def test_codes(n, d):
    """ϑ′ is Delsarte's bound; the graph is vertex-transitive, so ϑ′(G) ϑ⁺(complement) = 2ⁿ."""
    A, expected = close_words(n, d), delsarte(n, d)
    prime = theta(A, variant="schrijver")
    assert prime.lower <= expected * (1 + 1e-9) and expected * (1 - 1e-9) <= prime.upper
    assert prime.gap <= 1e-6
    plus = theta(A, variant="szegedy", complement=True)
    assert plus.lower <= 2**n / expected * (1 + 1e-9)
    assert 2**n / expected * (1 - 1e-9) <= plus.upper and plus.gap <= 1e-6


@pytest.mark.parametrize("seed", [1, 2])
def test_codes_whatever_the_order_of_the_nodes(seed):
    """Iterates live in nine dimensions here: acceleration that never goes back wanders off."""
    order = np.random.default_rng(seed).permutation(2**8)
    A = close_words(8, 5)[np.ix_(order, order)]
    prime = theta(A, variant="schrijver")
    plus = theta(A, variant="szegedy", complement=True)
    assert max(prime.gap, plus.gap) <= 1e-6
    assert prime.upper * plus.upper >= 2**8 * (1 - 1e-9)


def test_schrijvers_example():
    A = close_words(6, 4)
    assert theta(A, variant="schrijver").value == 4
    assert theta(A).value == pytest.approx(16 / 3, rel=1e-6)
    assert theta(A, variant="szegedy", complement=True).value == pytest.approx(16, rel=1e-6)
    assert theta(A, complement=True).value == pytest.approx(12, rel=1e-6)


@pytest.mark.parametrize("variant", SIGNED)
@pytest.mark.parametrize("q", [5, 13, 29])
def test_paley_graphs_have_one_number(q, variant):
    result = theta(paley(q), variant=variant)
    assert result.lower <= q**0.5 * (1 + 1e-12) and q**0.5 * (1 - 1e-12) <= result.upper


@pytest.mark.parametrize("variant", SIGNED)
def test_dense_cores_are_split(variant):
    A = random_graph(np.random.default_rng(0), 110, 0.5)
    result = theta(A, variant=variant)
    assert result.gap <= 1e-6 and result.method == "splitting (1)"
    check_kernel(A, variant, result)


def test_the_number_answers_where_it_is_alpha():
    result = theta(nx.mycielski_graph(7), variant="schrijver")
    assert result.value == 47 and result.method == "interior point (1)"


@pytest.mark.parametrize("variant", SIGNED)
def test_a_fixed_point_is_a_pair_of_solutions(variant):
    A = random_graph(np.random.default_rng(3), 30, 0.5)
    graph, c = as_graph(A), np.ones(30)
    pair = DenseSplitting().solve(Core(graph, c, Variant(variant)), Referee(tol=3e-9))
    bracket = Bracket(graph, c, Variant(variant))
    assert bracket.offer(pair, "splitting") <= 1e-8
