"""Numbers as short text, read back by a second implementation."""

import json
from base64 import b64decode

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lovasz.graphs import Graph
from lovasz.pages.viewer.encoding import embed_json, encode_edges, encode_shares, encode_varints


def decode_varints(text):
    numbers, value, shift = [], 0, 0
    for byte in b64decode(text):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value)
            value = shift = 0
    return numbers


@given(st.lists(st.integers(0, 2**40)))
def test_varints_come_back(numbers):
    assert decode_varints(encode_varints(np.array(numbers, dtype=np.int64))) == numbers


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9))))
def test_edges_come_back(pairs):
    source, target = zip(*pairs, strict=True) if pairs else ((), ())
    graph = Graph.from_edges(source, target, n=10)
    numbers = decode_varints(encode_edges(graph))
    steps, found = iter(numbers[10:]), []
    for row, count in enumerate(numbers[:10]):
        column = row
        for _ in range(count):
            column += next(steps)
            found.append((row, column))
    assert found == list(zip(*(end.tolist() for end in graph.edges()), strict=True))


def test_shares_are_exact_to_a_65535th():
    shares = np.linspace(0, 1, 77)
    back = np.frombuffer(b64decode(encode_shares(shares)), "<u2") / 65535
    np.testing.assert_allclose(back, shares, atol=0.5 / 65535 + 1e-12)
    assert encode_shares(np.array([np.nan, -1, 2])) == encode_shares(np.array([0, 0, 1]))


@pytest.mark.parametrize("name", ["</script>", "<!--", "\u2028", "\u2029", "&lt;", "日本"])
def test_json_in_a_page_ends_no_script(name):
    text = embed_json({name: name})
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {name: name}
