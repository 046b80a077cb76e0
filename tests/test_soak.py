"""A sample of the soak; ``make soak`` judges a hundred thousand graphs."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def soak(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    for name in ("soak", "soak_families", "soak_laws"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import soak

    return soak


def test_no_interval_of_two_hundred_graphs_breaks_a_law(soak):
    lines = [soak.soak_chunk(chunk) for chunk in (2_000, 2_001)]
    assert [line["misses"] for line in lines] == [[], []]
    assert {family for line in lines for family in line["families"]} == set(soak.FAMILIES)


@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_a_shifted_interval_breaks_laws(soak, factor, monkeypatch):
    def shifted(graph, **options):
        found = theta(graph, **options)
        ends = {"lower": found.lower * factor, "upper": found.upper * factor}
        return replace(found, value=ends["lower"], **ends)

    theta = soak.theta
    monkeypatch.setattr(soak, "theta", shifted)
    broken = {miss.split(": ")[1] for miss in soak.soak_chunk(0)["misses"]}
    assert {"sandwich", "perfect", "closed form", "exact"} <= broken


def test_the_judges_agree_with_graphs_known_by_heart(soak):
    from soak_laws import (
        clique_cover,
        clique_cover_number,
        heaviest_independent_set,
        neighbourhoods,
    )

    ring = neighbourhoods(7, [(v, (v + 1) % 7) for v in range(7)])
    assert heaviest_independent_set(ring, [1] * 7) == (3, True)
    assert heaviest_independent_set(ring, [9, 1, 1, 9, 1, 1, 1]) == (19, True)
    assert clique_cover_number(ring) == 4 <= clique_cover(ring, [1] * 7)
