"""Sloane's graphs 1zc in exact arithmetic."""

import os
from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np
import pytest

from lovasz import LovaszError, read_graph, theta
from lovasz.graphs.families import z_channel
from lovasz.number.symmetry.z_channel import cover_words, solve_channel


@pytest.mark.parametrize(
    ("n", "value"),
    [
        (7, Fraction(62, 3)),
        (8, 38),
        (9, Fraction(275, 4)),
        (10, Fraction(386, 3)),
        (11, Fraction(1187, 5)),
        (12, Fraction(2695, 6)),
        (13, Fraction(60425, 72)),
    ],
)
def test_the_value_is_proven_in_fractions(n, value):
    assert theta(z_channel(n)).exact_number == value


@pytest.mark.parametrize("n", range(1, 8))
def test_the_value_and_the_kernel_are_those_of_the_graph_written_down(n):
    graph = z_channel(n)
    explicit = graph.to_graph()
    assert (explicit.n, explicit.m, explicit.notes) == (graph.n, graph.m, ())
    found, other = theta(graph), theta(explicit)
    assert other.lower <= found.upper and found.lower <= other.upper
    K = found.kernel.toarray()
    assert (np.diag(K) == 1).all() and (K >= 0).all()
    assert ((K == 0) | (explicit.adjacency.toarray() + np.eye(graph.n) > 0)).all()
    assert np.linalg.eigvalsh(found.upper * K - 1)[0] >= -1e-9 * 2**n


def test_every_word_is_covered():
    n = 9
    value, up, down = cover_words(n)
    assert sum(comb(n, w) * (up[w] + down[w]) for w in range(n + 1)) == value
    for w in range(n + 1):
        above = (n - w) * down[w + 1] if w < n else 0
        below = w * up[w - 1] if w else 0
        assert up[w] + down[w] + above + below >= 1


def test_a_wrong_cover_is_not_proven(monkeypatch):
    import lovasz.number.symmetry.z_channel as module

    honest = cover_words(8)
    worse = honest._replace(value=honest.value + 1)
    monkeypatch.setattr(module, "cover_words", lambda n: worse)
    with pytest.raises(LovaszError, match="no proof"):
        solve_channel(8)


def test_schrijvers_number_is_left_to_the_graph_itself():
    with pytest.raises(LovaszError, match="to_graph"):
        theta(z_channel(5), variant="schrijver")
    with pytest.raises(LovaszError, match="complement"):
        theta(z_channel(5), complement=True)
    assert theta(z_channel(5), variant="szegedy").exact == "7"


@pytest.mark.data
def test_the_graph_is_sloanes():
    folder = Path(os.environ["LOVASZ_DATA"], "graphs", "sloane")
    published = read_graph(folder / "1zc.128.col.gz")
    ours = z_channel(7).to_graph()
    assert (published.adjacency != ours.adjacency).nnz == 0


def test_without_time_for_the_proof_there_is_no_exact_value():
    found = theta(z_channel(9), time_limit=0)
    assert found.exact is None and found.lower < found.upper
    assert found.status.startswith("time limit")
