"""Intervals hold for weights from the whole range of doubles and beyond; rationals decide."""

import math
from decimal import Decimal
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.number import exact

from lovasz import LovaszError, as_graph, theta
from lovasz.base.rounding import up
from lovasz.number import core, plan
from lovasz.number.bracket import Bracket
from lovasz.number.variants import Variant
from lovasz.number.weights import SMALLEST, node_weights

VARIANTS = [variant.value for variant in Variant]


def perfect(kind, n, seed):
    """A perfect graph: ϑ(G, w) = ϑ′ = ϑ⁺ is the largest weight of an independent set."""
    half = nx.bipartite.random_graph(n // 2, n - n // 2, 0.5, seed=seed)
    if kind == "bipartite":
        return half
    if kind == "cobipartite":
        return nx.complement(half)
    if kind == "cograph":
        return nx.random_cograph(3, seed=seed)  # unions and joins
    line = nx.line_graph(nx.Graph(half.edges))
    return line.subgraph(sorted(line)[:9]) if line else half


def exact_value(graph, weights):
    graph = as_graph(graph)
    return exact.heaviest_independent_set(graph.n, zip(*graph.edges(), strict=True), weights)


def holds(result, truth):
    return Fraction(result.lower) <= truth <= Fraction(result.upper)


doubles = st.builds(math.ldexp, st.floats(1, 2, exclude_max=True), st.integers(-1074, 1015))
near = st.builds(lambda x: x * 2.0**1018, st.floats(0.5, 1))
spread = st.lists(doubles, min_size=9, max_size=9)
alike = st.tuples(st.integers(-1070, 1015), st.lists(st.floats(1, 8), min_size=9, max_size=9)).map(
    lambda pair: [math.ldexp(x, pair[0]) for x in pair[1]]
)
integers = st.lists(st.integers(1, 2**70), min_size=9, max_size=9)
fractions = st.lists(st.fractions(Fraction(1, 1000), 1000), min_size=9, max_size=9)
any_weights = st.one_of(spread, alike, integers, fractions, st.lists(near, min_size=9, max_size=9))
KINDS = st.sampled_from(["bipartite", "cobipartite", "cograph", "line"])


@settings(max_examples=150)
@given(KINDS, st.integers(2, 9), st.integers(0, 999), any_weights, st.sampled_from(VARIANTS))
@example("bipartite", 7, 0, [math.ldexp(x, -1056) for x in (1, 1, 2, 1, 1, 1, 2, 1, 1)], "lovasz")
def test_the_interval_holds_the_exact_value_of_a_perfect_graph(kind, n, seed, weights, variant):
    graph = perfect(kind, n, seed)
    given_weights = weights[: len(graph)]
    if not given_weights:
        return
    for complement in (False, True):
        result = theta(graph, weights=given_weights, variant=variant, complement=complement)
        network = nx.complement(graph) if complement else graph
        assert holds(result, exact_value(network, given_weights))
        # Near 1e-318 neighbouring doubles differ by more than 1e-6 of their size.
        assert result.gap <= 1e-6 or result.upper == math.nextafter(result.lower, math.inf)


@pytest.fixture
def stripped(monkeypatch):
    """Neither reductions nor counting, so that a solver has to work on every graph."""

    def count(self):
        self.upper = up(self.total * 1.001)

    monkeypatch.setattr(Bracket, "count", count)
    monkeypatch.setattr(Bracket, "_round", lambda *_, **options: None)


class Never:
    def __call__(self):
        return False

    def left(self):
        return math.inf


@pytest.mark.parametrize("variant", list(Variant))
@pytest.mark.parametrize("solver", ["interior", "splitting", "low rank"])
def test_every_solver_holds_the_exact_value(solver, variant, stripped, monkeypatch):
    if solver == "low rank":
        if variant is Variant.SCHRIJVER:
            pytest.skip("low-rank sweeps do not solve ϑ′")
        monkeypatch.setattr(plan, "DENSE_UP_TO", {})
    rng = np.random.default_rng(0)
    for seed in range(12):
        kind = ("bipartite", "cobipartite", "line")[seed % 3]
        network = perfect(kind, 8, seed)
        network = network.subgraph(max(nx.connected_components(network), key=len))
        if len(network) < 2:
            continue
        graph = as_graph(network)
        exponents = rng.uniform(-1, 1, graph.n) * (0, 40, 1000)[seed % 3]
        weights = np.ldexp(rng.uniform(1, 2, graph.n), exponents.astype(int)).tolist()
        given_weights = node_weights(graph, weights)
        solution = core.solve_core(
            graph, given_weights.used, tol=1e-6, device="cpu",
            solver="splitting" if solver == "low rank" else solver,
            stop=Never(), report=lambda *_: None, variant=variant,
        )  # fmt: skip
        assert solution.methods == ("none",) or solution.methods[0].startswith(solver)
        found = given_weights.given_back(solution)
        assert holds(found, exact_value(graph, weights))
        assert exact.proves_ratio(solution.kernel.toarray(), solution.upper, given_weights.used)


@settings(max_examples=60)
@given(st.integers(0, 999), any_weights, st.sampled_from(VARIANTS))
def test_the_sandwich_holds(seed, weights, variant):
    """α(G, w) ≤ ϑ′ ≤ ϑ ≤ ϑ⁺ ≤ the weight of any partition into cliques."""
    graph = nx.gnp_random_graph(9, 0.5, seed=seed)
    result = theta(graph, weights=weights, variant=variant)
    assert exact_value(graph, weights) <= Fraction(result.upper)
    cover = nx.coloring.greedy_color(nx.complement(graph))
    cliques = [[v for v in graph if cover[v] == q] for q in set(cover.values())]
    assert Fraction(result.lower) <= sum(max(Fraction(weights[v]) for v in Q) for Q in cliques)


@settings(max_examples=60)
@given(KINDS, st.integers(2, 8), st.integers(0, 999), spread)
def test_the_kernel_is_one_of_the_given_weights(kind, n, seed, weights):
    graph = perfect(kind, n, seed)
    weights = weights[: len(graph)]
    if not weights:
        return
    result = theta(graph, weights=weights)
    K = result.kernel.toarray()
    share = np.array([float(Fraction(w) / Fraction(result.upper)) for w in weights])
    assert (np.diag(K) == 1).all() and (K == K.T).all()
    apart = nx.to_numpy_array(graph) + np.eye(len(graph)) == 0
    assert not K[apart].any()
    assert np.linalg.eigvalsh(K - np.sqrt(np.outer(share, share)))[0] > -1e-9


def test_integers_between_two_doubles_are_not_rounded():
    graph = nx.path_graph(3)
    weights = [2**53 + 1, 1, 2**53 + 3]
    result = theta(graph, weights=weights)
    assert holds(result, 2**54 + 4) and result.gap < 1e-15
    assert holds(theta(graph, weights=np.array(weights)), 2**54 + 4)
    assert holds(theta(graph, weights=dict(enumerate(weights))), 2**54 + 4)
    assert holds(theta(graph, weights=[Fraction(1, 3), 0.1, Decimal("0.1")]), Fraction(13, 30))
    assert holds(theta(graph, weights=[2**53 + 1, 0.5, 1.0]), 2**53 + 2)
    assert holds(theta(graph, weights=[2**53 + 1, 1, 2**53 + 1]), 2**54 + 2)


@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e-200, 1e-30, 1e30, 1e200, 1e305])
def test_weights_of_any_size_give_the_same_number_of_digits(scale):
    weights = [scale] * 5
    result = theta(nx.cycle_graph(5), weights=weights)
    assert 5 * (result.lower / scale) ** 2 <= 25 * (1 + 1e-15)
    assert result.lower <= 5**0.5 * scale * (1 + 1e-15) and result.upper >= 5**0.5 * scale
    assert result.upper - result.lower <= 1e-6 * result.upper + 1e-323


def test_a_scale_that_is_a_power_of_two_changes_nothing():
    graph, rng = nx.gnp_random_graph(12, 0.4, seed=3), np.random.default_rng(3)
    w = rng.uniform(1, 2, 12)
    plain, shifted = theta(graph, weights=w), theta(graph, weights=w * 2.0**-900)
    assert shifted.lower == pytest.approx(plain.lower * 2.0**-900, rel=1e-9)
    assert shifted.upper == pytest.approx(plain.upper * 2.0**-900, rel=1e-9)


def test_exact_values_are_those_of_the_given_weights(tmp_path):
    path = nx.path_graph(3)
    assert theta(path, weights=[2**70, 1, 2**70]).exact_number == 2**71
    assert theta(path, weights=[Fraction(1, 3), 1.0, 1.0]).exact is None
    with pytest.raises(LovaszError, match="nothing was kept that a proof could be made of"):
        theta(path, weights=[2**70, 1, 2**70]).save(tmp_path / "proof.npz")


def test_exact_sums_stay_exact():
    result = theta(nx.path_graph(4), weights=[0.5, 0.25, 0.25, 0.5])
    assert result.lower == result.upper == 1.0
    assert theta(nx.path_graph(2), weights=[3, 2**52]).lower == 2**52


def test_small_weights_are_raised_to_a_share_that_no_double_notices():
    given_weights = node_weights(as_graph(nx.path_graph(3)), [1.0, 1e-300, 4.0])
    assert given_weights.used.tolist() == [1.0, 4 * SMALLEST, 4.0]
    assert Fraction(4 * SMALLEST) - Fraction(1e-300) <= given_weights.added < Fraction(2.0**-90)
    assert given_weights.share.tolist()[::2] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1e308, 1e308, 1e308, 1e308], "add up to more than"),
        ([1, 2, 3, 10**400], "not numbers that doubles can hold"),
        (["a", 1, 1, 1], "not numbers that doubles can hold"),
        ([1, 1, 1, math.nan], "a weight is nan"),
        ([1, 1, 1, math.inf], "a weight is inf; weights must be positive numbers; leave out nodes"),
        ([1, 1, 1, 0], "a weight is 0.0"),
        ([1, 1, 1, -2], "a weight is -2.0"),
        ([1, 1, 1], "weights of shape (3,)"),
    ],
)
def test_weights_that_cannot_be_handled_are_refused_in_one_line(weights, said):
    with pytest.raises(LovaszError) as refusal:
        theta(nx.cycle_graph(4), weights=weights)
    assert said in str(refusal.value) and "\n" not in str(refusal.value)


def test_a_series_of_weights_is_aligned_by_its_index():
    pd = pytest.importorskip("pandas")
    path = [("a", "b"), ("b", "c")]
    assert theta(path, weights=pd.Series({"b": 9, "c": 1, "a": 1})).value == 9
    assert theta(path, weights=pd.Series([1, 9, 1])).value == 9
    with pytest.raises(LovaszError, match="the index of a Series is not the nodes"):
        theta(path, weights=pd.Series({"x": 1, "y": 9, "z": 1}))
