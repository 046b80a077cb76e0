"""Families that would be too large are refused from their parameters, before anything is built."""

import pytest

from lovasz import LovaszError
from lovasz.graphs import families
from lovasz.graphs.family_sizes import MOST_BITS
from lovasz.graphs.symmetric_families import parse_family

HUGE = 10**400


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("hamming(10000000000000, {1})", "pass n up to 999$"),
        ("hamming(1000, {1})", "pass n up to 999$"),
        ("hamming(631, {1}, q=3)", "pass n up to 630$"),
        (f"hamming(2, {{1}}, q={HUGE})", r"pass q below 2\*\*1000$"),
        ("johnson(100000000000, 50000000000)", "pass k up to 30, or n up to 1005 with any k$"),
        ("kneser(1000000, 66)", "pass k up to 65, or n up to 1005 with any k$"),
        ("johnson(1006, 503)", "or n up to 1005 with any k$"),
        ("z_channel(10000000000000)", "pass n up to 64$"),
        (f"paley({HUGE})", r"pass q below 2\*\*1000$"),
        (f"cycle({HUGE})", r"pass n below 2\*\*1000$"),
        (f"circulant({HUGE}, {{1}})", r"pass n below 2\*\*1000$"),
        (f"cayley(({HUGE}, 2), [(1, 0)])", r"pass the product of orders below 2\*\*1000$"),
        (
            f"distance_regular([{HUGE}], [1])",
            r"^an entry of farther is over 2\*\*1000, .* pass entries below 2\*\*1000$",
        ),
        (f"distance_regular([7, 6], [1, {HUGE}])", r"^an entry of closer is over 2\*\*1000, "),
    ],
)
def test_one_line_says_what_is_the_largest_that_works(name, remedy):
    with pytest.raises(LovaszError, match=remedy) as caught:
        parse_family(name)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 200


@pytest.mark.parametrize(
    "graph",
    [
        families.hamming(999, {1}),
        families.hamming(630, {1}, q=3),
        families.johnson(1005, 502),
        families.kneser(10**6, 65),
        families.z_channel(64),
        families.cycle(2**MOST_BITS - 1),
    ],
    ids=lambda graph: graph.name[:20],
)
def test_the_largest_that_works_is_accepted(graph):
    assert graph.n.bit_length() <= MOST_BITS
