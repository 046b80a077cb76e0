"""Laws of ϑ: the interval contains the truth, whatever the graph."""

import signal
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networkx.generators.atlas import graph_atlas_g
from tests.number import oracle

from lovasz.base.errors import LovaszError
from lovasz.number import theta

ATLAS = [graph for graph in graph_atlas_g() if graph.number_of_nodes()]


def adjacency(graph):
    return nx.to_numpy_array(graph, weight=None)


def alpha(A):
    """Size of a largest independent set, by inclusion of the first node or not."""

    def grow(candidates):
        if not candidates:
            return 0
        first, *rest = candidates
        return max(1 + grow([v for v in rest if not A[first, v]]), grow(rest))

    return grow(list(range(len(A))))


def cover_number(A):
    """Fewest cliques that cover the nodes: inclusion–exclusion over sets (Björklund et al.)."""
    n = len(A)
    masks = [sum(1 << int(v) for v in np.flatnonzero(row)) for row in A]
    cliques = np.zeros(1 << n, dtype=object)  # number of cliques inside a set, the empty one too
    cliques[0] = 1
    for s in range(1, 1 << n):
        top = s.bit_length() - 1
        rest = s & ~(1 << top)
        cliques[s] = cliques[rest] + cliques[rest & masks[top]]
    signs = np.array([(-1) ** (n - bin(s).count("1")) for s in range(1 << n)], dtype=object)
    return next(k for k in range(1, n + 1) if (signs * cliques**k).sum() > 0)


def check(A, result):
    truth = oracle.theta(A)
    assert result.lower <= result.value <= result.upper
    assert result.lower <= truth + 2e-5 and truth - 2e-5 <= result.upper
    assert result.gap <= 1e-6 and result.status == "optimal"
    assert alpha(A) <= result.upper
    assert result.lower <= cover_number(A)


def check_kernel(A, result, c=None):
    """In 𝒦(G), and upper · K ⪰ c cᵀ."""
    K = result.kernel.toarray()
    n = len(A)
    c = np.ones(n) if c is None else c
    assert np.array_equal(K, K.T) and np.array_equal(np.diag(K), np.ones(n))
    assert not K[(A == 0) & ~np.eye(n, dtype=bool)].any()
    assert np.linalg.eigvalsh(K)[0] > -1e-12 * n
    assert np.linalg.eigvalsh(result.upper * K - np.outer(c, c))[0] > -1e-10 * n * result.upper


@pytest.mark.parametrize("part", range(10))
def test_every_graph_of_the_atlas(part):
    for graph in ATLAS[part::10]:
        result = theta(graph)
        check(adjacency(graph), result)
        check_kernel(adjacency(graph), result)


@pytest.mark.parametrize("part", range(10))
def test_three_thousand_random_graphs(part):
    rng = np.random.default_rng(part)
    for _ in range(300):
        n = int(rng.integers(2, 13))
        A = np.triu(rng.random((n, n)) < rng.random(), 1).astype(float)
        check(A + A.T, theta(A + A.T))


@st.composite
def matrices(draw, largest=10):
    n = draw(st.integers(1, largest))
    A = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            A[i, j] = A[j, i] = draw(st.booleans())
    return A


@given(matrices(), matrices(6))
def test_union_adds_and_join_takes_the_larger(A, B):
    one, two = theta(A), theta(B)
    apart = np.zeros((len(A) + len(B),) * 2)
    apart[: len(A), : len(A)], apart[len(A) :, len(A) :] = A, B
    union = theta(apart)
    assert union.lower <= one.upper + two.upper and one.lower + two.lower <= union.upper
    joined = apart.copy()
    joined[: len(A), len(A) :] = joined[len(A) :, : len(A)] = 1
    join = theta(joined)
    assert join.lower <= max(one.upper, two.upper) and max(one.lower, two.lower) <= join.upper
    check_kernel(joined, join)


@given(matrices(), st.randoms(use_true_random=False))
def test_relabelling_changes_nothing(A, random):
    order = list(range(len(A)))
    random.shuffle(order)
    one, two = theta(A), theta(A[order][:, order])
    assert one.lower <= two.upper and two.lower <= one.upper


@settings(deadline=None, max_examples=60)
@given(matrices(8), st.data())
def test_weights(A, data):
    w = np.array([data.draw(st.floats(0.01, 100)) for _ in A])
    result = theta(A, weights=w)
    truth = oracle.theta(A, w)
    assert result.lower <= truth * (1 + 1e-5) and truth * (1 - 1e-5) <= result.upper
    assert result.gap <= 1e-6
    check_kernel(A, result, np.sqrt(w))


@given(matrices())
def test_complement_is_the_complement(A):
    other = 1 - A
    np.fill_diagonal(other, 0)
    one, two = theta(A, complement=True), theta(other)
    assert one.lower <= two.upper and two.lower <= one.upper


@given(matrices(7), st.sampled_from(["interior", "splitting"]))
def test_solvers_agree(A, solver):
    one, two = theta(A, solver=solver, tol=1e-5), theta(A)
    assert one.lower <= two.upper and two.lower <= one.upper
    assert one.gap <= 1e-5


def paley(q):
    squares = {x * x % q for x in range(1, q)}
    return nx.Graph((i, j) for i in range(q) for j in range(i) if (i - j) % q in squares)


KNOWN = {
    "empty": (nx.empty_graph(7), 7),
    "complete": (nx.complete_graph(7), 1),
    "C5": (nx.cycle_graph(5), 5**0.5),
    "C7": (nx.cycle_graph(7), 7 * np.cos(np.pi / 7) / (1 + np.cos(np.pi / 7))),
    "Petersen": (nx.petersen_graph(), 4),
    "Paley 13": (paley(13), 13**0.5),
    "Paley 37": (paley(37), 37**0.5),
    "icosahedron": (nx.icosahedral_graph(), 3 * 5**0.5 - 3),
    "dodecahedron": (nx.dodecahedral_graph(), 15 * 5**0.5 - 25),
    "hypercube": (nx.hypercube_graph(7), 64),
    "caveman": (nx.connected_caveman_graph(50, 10), 100),
    "Schläfli complement of the line graph K8": (nx.line_graph(nx.complete_graph(8)), 4),
}


@pytest.mark.parametrize("name", KNOWN)
def test_closed_forms(name):
    graph, expected = KNOWN[name]
    result = theta(graph, tol=1e-8)
    assert result.lower * (1 - 1e-13) <= expected <= result.upper * (1 + 1e-13)
    assert result.gap <= 1e-8
    if float(expected).is_integer():
        assert result.value == expected
    check_kernel(adjacency(graph), result)


def test_integers_are_exact_where_a_set_meets_a_cover():
    result = theta(nx.connected_caveman_graph(50, 10))
    assert result.lower == result.upper == 100
    assert result.method == "reduction"


def test_names_and_order_survive():
    graph = nx.Graph([("z", "y"), ("y", "x"), ("x", "w"), ("w", "v"), ("v", "z")])
    result = theta(graph)
    assert list(result.nodes) == ["z", "y", "x", "w", "v"]
    assert result.kernel[0, 1] != 0 and result.kernel[0, 2] == 0
    assert theta(graph, weights=dict.fromkeys("vwxyz", 2.0)).upper == pytest.approx(2 * 5**0.5)


def test_a_wrong_time_limit_is_refused():
    with pytest.raises(LovaszError, match="time_limit=-1 must be seconds"):
        theta(nx.path_graph(3), time_limit=-1)


def test_a_time_limit_returns_what_is_proven():
    graph = nx.gnp_random_graph(200, 0.5, seed=0)
    result = theta(graph, time_limit=0)
    assert result.status.startswith("time limit")
    assert result.lower <= 14.6 <= result.upper  # ϑ of such a graph is near √n
    check_kernel(adjacency(graph), result)


@pytest.fixture
def ctrl_c():
    """Ctrl-C as in a fresh interpreter."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_returns_what_is_proven(monkeypatch, ctrl_c):
    from lovasz.number import core

    def interrupted(*args, **options):
        signal.raise_signal(signal.SIGINT)
        return hoffman(*args, **options)

    hoffman = core.hoffman
    monkeypatch.setattr(core, "hoffman", interrupted)
    graph = nx.disjoint_union(nx.cycle_graph(7), nx.gnp_random_graph(60, 0.5, seed=0))
    result = theta(graph, solver="splitting")
    assert result.status.startswith("interrupted")
    check_kernel(adjacency(graph), result)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_whoever_gives_a_stop_keeps_ctrl_c(monkeypatch, ctrl_c):
    monkeypatch.setattr("lovasz.number.reduce", lambda *_: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        theta(nx.path_graph(3), stop=lambda: False)


def test_whoever_watches_sees_the_interval_shrink_to_the_answer(monkeypatch):
    from lovasz.number import core

    monkeypatch.setattr(core, "SHOW_AFTER", 0.0)
    monkeypatch.setattr(core, "SHOW_SHARE", 1.0)
    seen = []
    graph = nx.gnp_random_graph(60, 0.5, seed=0)
    result = theta(graph, solver="splitting", callback=lambda *bounds: seen.append(bounds))
    assert len(seen) > 5
    for (low, high), (lower, upper) in pairwise(seen):
        assert low <= lower <= result.upper and result.lower <= upper <= high
    assert seen[-1] == pytest.approx((result.lower, result.upper), rel=1e-12)


def test_a_stop_returns_the_bounds_of_the_iteration_it_came_in():
    graph, polls = nx.gnp_random_graph(60, 0.5, seed=0), iter(range(10**9))
    result = theta(graph, solver="splitting", stop=lambda: next(polls) > 30)
    assert result.status.startswith("interrupted")
    assert 1e-6 < result.gap < 0.05  # counting alone leaves 0.6
    check_kernel(adjacency(graph), result)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"solver": "magic"}, "unknown solver 'magic'"),
        ({"variant": "wild"}, "unknown variant 'wild'; known: lovasz, schrijver, szegedy"),
        ({"tol": 0}, "tol=0"),
        ({"tol": "small"}, "tol='small'"),
        ({"tol": None}, "tol=None"),
        ({"callback": 7}, "callback=7 cannot be called"),
        ({"stop": True}, "stop=True cannot be called"),
        ({"weights": [1, 2]}, "weights of shape (2,)"),
        ({"weights": [1, 2, 0, 1, 1]}, "a weight is 0.0"),
        ({"weights": {0: 1.0}}, "1 weight for 5 nodes: node 1 has none; add it"),
        ({"weights": dict.fromkeys("01234x", 1)}, "6 weights for 5 nodes: node 0 has none"),
        ({"weights": dict.fromkeys(range(6), 1)}, "6 weights for 5 nodes: 5 is no node; leave it"),
        ({"device": "abacus"}, "device 'abacus' cannot be used here"),
    ],
)
def test_bad_calls(options, message):
    with pytest.raises(LovaszError) as problem:
        theta(nx.cycle_graph(5), **options)
    assert message in str(problem.value) and "\n" not in str(problem.value)


@pytest.mark.parametrize("seed", range(6))
def test_the_complement_is_that_of_every_component(seed):
    network = nx.disjoint_union_all(
        [nx.gnp_random_graph(7, 0.5, seed=seed), nx.empty_graph(2), nx.cycle_graph(5 + seed)]
    )
    ours, plain = theta(network, complement=True), theta(nx.complement(network))
    assert ours.lower <= plain.upper and plain.lower <= ours.upper
    K, linked = ours.kernel.toarray(), nx.to_numpy_array(nx.complement(network))
    assert (K[(linked == 0) & ~np.eye(len(K), dtype=bool)] == 0).all()
    assert np.linalg.eigvalsh(ours.upper * K - 1)[0] > -1e-9


def test_an_interior_point_that_cannot_fit_is_refused_in_one_line():
    with pytest.raises(LovaszError, match=r"rows for a core of 400 nodes.*use solver='auto'"):
        theta(nx.gnp_random_graph(400, 0.5, seed=0), solver="interior")
