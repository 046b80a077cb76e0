"""Numbers of nodes that cannot be held are refused before memory is allocated."""

from math import inf

import pytest

from lovasz.base import memory
from lovasz.base.errors import LovaszError
from lovasz.graphs.counts import ALWAYS_FITS, MOST_NODES, check_node_count, parse_count


def test_the_system_is_not_asked_about_small_graphs(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 0.0)
    check_node_count(ALWAYS_FITS)
    with pytest.raises(LovaszError, match=r"a graph of 1,048,577 nodes would need .*; correct"):
        check_node_count(ALWAYS_FITS + 1)


def test_pairs_of_nodes_must_be_64_bit_integers(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: inf)
    check_node_count(MOST_NODES)
    assert (MOST_NODES - 1) * MOST_NODES + MOST_NODES - 1 < 2**63
    with pytest.raises(LovaszError, match=r"nodes is too large; at most 3,037,000,499 fit"):
        check_node_count(MOST_NODES + 1)


def test_thousands_of_digits_are_not_read():
    assert parse_count("000" + "9" * 18, "edges") == 10**18 - 1
    with pytest.raises(LovaszError, match=r"^9{59}… edges do not fit into any memory"):
        parse_count("9" * 5000, "edges")
