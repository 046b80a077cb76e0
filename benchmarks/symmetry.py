"""ϑ of symmetric graphs: families that are never written down, and explicit graphs with symmetry.

    python benchmarks/symmetry.py > benchmarks/symmetry.txt

The first table has one row per family: nodes, edges, ϑ as an exact number or the width of its
interval, the CPU milliseconds of ``theta`` on the family, the closed form where one is known, and
whether it agrees. On graphs of at most 1,100 nodes the graph is also written down and solved with
the search for symmetry turned off; "apart" is the distance of that interval from the value (0 if
it is inside) and the last column its CPU milliseconds.

The second table is for explicit graphs: CPU seconds and relative gap of ``theta`` with and without
the search for symmetry, at most 60 seconds each, and ϑ itself where the search proves it. The
third says what the search costs on graphs that have none: CPU milliseconds of the search, of the
whole ``theta``, and their ratio. Everything is computed once before it is measured, on one thread.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import contextmanager
from fractions import Fraction
from math import comb, cos, pi

import networkx as nx
import numpy as np

from lovasz import as_graph, theta
from lovasz.graphs import Graph, families
from lovasz.graphs.symmetric_graph import SymmetricGraph
from lovasz.number.result import Theta
from lovasz.number.symmetry import coherent
from lovasz.number.symmetry.orbits import solve_by_orbits
from lovasz.number.variants import Variant

WRITTEN_UP_TO = 1100
LIMIT = 60.0


def odd_cycle(n: int) -> float:
    return n * cos(pi / n) / (1 + cos(pi / n))


FAMILIES: list[tuple[SymmetricGraph, str, object]] = [
    (families.cycle(101), "n cos(π/n) / (1 + cos(π/n))", odd_cycle(101)),
    (families.cycle(10**6 + 1), "n cos(π/n) / (1 + cos(π/n))", odd_cycle(10**6 + 1)),
    (families.cycle(10**12 + 1), "n cos(π/n) / (1 + cos(π/n))", odd_cycle(10**12 + 1)),
    (families.circulant(1000, {1, 10, 100}), "", None),
    (families.circulant(10**6 + 3, {1, 2, 5}), "", None),
    (families.cayley((101,) * 3, np.eye(3, dtype=int).tolist()), "", None),
    (families.paley(1009), "√q", 1009**0.5),
    (families.paley(10**6 + 33), "√q", (10**6 + 33) ** 0.5),
    (families.paley(10**12 + 61), "√q", (10**12 + 61) ** 0.5),
    (families.kneser(10, 4), "C(n−1, k−1)", comb(9, 3)),
    (families.kneser(24, 8), "C(n−1, k−1)", comb(23, 7)),
    (families.kneser(40, 15), "C(n−1, k−1)", comb(39, 14)),
    (families.kneser(43, 20), "C(n−1, k−1)", comb(42, 19)),
    (families.johnson(11, 5, {1, 3}), "", None),
    (families.johnson(24, 12, {1, 2, 3}), "", None),
    (families.johnson(42, 21, {1, 2, 3, 4, 5}), "", None),
    (families.hamming(7, {5, 6}), "128/3 (seventh DIMACS challenge)", Fraction(128, 3)),
    (families.hamming(8, {3, 4}), "128/5 (seventh DIMACS challenge)", Fraction(128, 5)),
    (families.hamming(10, {2}), "512/5 (seventh DIMACS challenge)", Fraction(512, 5)),
    (families.hamming(10, {2, 5}), "", None),
    (families.hamming(20, {1}), "2^(n−1)", 2**19),
    (families.hamming(23, {1}), "2^(n−1)", 2**22),
    (families.hamming(23, {2}), "", None),
    (families.hamming(23, {1, 2}), "2^n / (n + 1)", Fraction(2**23, 24)),
    (families.hamming(23, {3, 4}), "", None),
    (families.hamming(23, range(1, 7)), "4096 (Golay's code)", 4096),
    (families.hamming(40, {1}), "2^(n−1)", 2**39),
    (families.hamming(40, range(1, 9)), "", None),
    (families.hamming(25, {1, 2}, q=3), "", None),
    (families.distance_regular((7, 6), (1, 1)), "15 (Hoffman–Singleton)", 15),
    (families.z_channel(9), "68.75 (1zc.512)", Fraction(275, 4)),
    (families.z_channel(10), "128.66667 (1zc.1024)", Fraction(386, 3)),
    (families.z_channel(11), "237.4 (1zc.2048)", Fraction(1187, 5)),
    (families.z_channel(12), "449.16667 (1zc.4096)", Fraction(2695, 6)),
    (families.z_channel(13), "839.23611 (1zc.8192)", Fraction(60425, 72)),
    (families.z_channel(20), "", None),
    (families.z_channel(40), "", None),
]  # fmt: skip


def even_permutations() -> Graph:
    """A Cayley graph of the 360 even permutations of six."""
    steps = [(1, 2, 0, 3, 4, 5), (0, 2, 3, 4, 5, 1)]
    seen, new = set(), {(0, 1, 2, 3, 4, 5)}
    graph = nx.Graph()
    while new:
        seen |= new
        edges = [(p, tuple(p[i] for i in step)) for p in new for step in steps]
        graph.add_edges_from(edges)
        new = {q for _, q in edges} - seen
    return as_graph(graph)


EXPLICIT: list[tuple[str, Callable[[], Graph]]] = [
    ("circulant(101, 4 steps)", lambda: circulant(101, 4)),
    ("circulant(400, 4 steps)", lambda: circulant(400, 4)),
    ("circulant(800, 4 steps)", lambda: circulant(800, 4)),
    ("circulant(300, 60 steps)", lambda: circulant(300, 60)),
    ("johnson(9, 4, {1, 3})", lambda: families.johnson(9, 4, {1, 3}).to_graph()),
    ("johnson(11, 5, {1, 3})", lambda: families.johnson(11, 5, {1, 3}).to_graph()),
    ("hamming(9, {2, 5})", lambda: families.hamming(9, {2, 5}).to_graph()),
    ("hamming(10, {2, 5})", lambda: families.hamming(10, {2, 5}).to_graph()),
    ("even permutations of 6", even_permutations),
    ("1zc.128", lambda: families.z_channel(7).to_graph()),
    ("1zc.256", lambda: families.z_channel(8).to_graph()),
    ("1zc.512", lambda: families.z_channel(9).to_graph()),
    ("1zc.1024", lambda: families.z_channel(10).to_graph()),
]

PLAIN: list[tuple[str, Callable[[], Graph]]] = [
    ("G(100, 1/2)", lambda: as_graph(nx.gnp_random_graph(100, 0.5, seed=1))),
    ("G(300, 1/2)", lambda: as_graph(nx.gnp_random_graph(300, 0.5, seed=1))),
    ("G(1000, 10/n)", lambda: as_graph(nx.fast_gnp_random_graph(1000, 0.01, seed=1))),
    ("6-regular, 500", lambda: as_graph(nx.random_regular_graph(6, 500, seed=1))),
    ("10-regular, 2000", lambda: as_graph(nx.random_regular_graph(10, 2000, seed=1))),
    ("Barabási–Albert, 1000", lambda: as_graph(nx.barabasi_albert_graph(1000, 5, seed=1))),
    ("geometric, 800", lambda: as_graph(nx.random_geometric_graph(800, 0.08, seed=1))),
]


def circulant(n: int, count: int) -> Graph:
    rng = np.random.default_rng(n + count)
    steps = rng.choice(np.arange(1, n // 2), size=count, replace=False)
    return families.circulant(n, steps.tolist()).to_graph()


@contextmanager
def no_symmetry():
    """Turn the search for symmetry off."""
    most = coherent.MOST_NODES
    coherent.MOST_NODES = 0
    try:
        yield
    finally:
        coherent.MOST_NODES = most


def timed(graph: object, **options: object) -> tuple[Theta, float]:
    """The result and the CPU seconds."""
    started = time.process_time()
    found = theta(graph, **options)
    return found, time.process_time() - started


def shown(found: Theta) -> str:
    """The exact number if it is short, else the middle and the relative gap."""
    if found.exact is None:
        return f"{found.value:.10g}, gap {found.gap:.0e}"
    text = found.exact
    return text if len(text) <= 22 else f"{found.value:.12g} (exact)"


def print_families() -> None:
    print("families that are not written down\n")
    print(
        f"{'family':<60}{'n':>19}{'m':>27}  {'ϑ':<28}{'ms':>9}  {'closed form':<34}{'agrees':<8}"
        f"{'apart':>8}{'ms, written':>13}"
    )
    for graph, formula, value in FAMILIES:
        theta(graph)
        found, seconds = timed(graph)
        agrees = ""
        if value is not None:
            exact = found.exact is not None and not isinstance(value, float)
            near = found.lower * (1 - 1e-12) <= float(value) <= found.upper * (1 + 1e-12)
            agrees = "yes" if (found.exact_number == value if exact else near) else "NO"
        beside = ""
        if graph.n <= WRITTEN_UP_TO and "distance_regular" not in graph.name:
            with no_symmetry():
                other, plain = timed(graph.to_graph(), time_limit=LIMIT)
            apart = max(0.0, other.lower - found.upper, found.lower - other.upper)
            beside = f"{apart:>8.0e}{1000 * plain:>13.1f}"
        print(
            f"{graph.name:<60}{graph.n:>19,}{graph.m:>27.6g}  {shown(found):<28}"
            f"{1000 * seconds:>9.1f}  {formula:<34}{agrees:<8}{beside}",
            flush=True,
        )


def print_explicit() -> None:
    print("\nexplicit graphs, with and without the search for symmetry\n")
    print(
        f"{'graph':<26}{'n':>6}{'m':>9}{'ϑ':>14}  {'s':>7}{'gap':>8}  {'s, without':>11}{'gap':>8}"
        f"{'ratio':>7}  {'method without':<22}exactly"
    )
    for name, make in EXPLICIT:
        graph = make()
        theta(graph)
        found, seconds = timed(graph)
        with no_symmetry():
            other, plain = timed(graph, time_limit=LIMIT)
        if max(found.lower, other.lower) > min(found.upper, other.upper):
            raise SystemExit(f"{name}: the two intervals are disjoint")
        print(
            f"{name:<26}{graph.n:>6,}{graph.m:>9,}{found.value:>14.7f}  {seconds:>7.2f}"
            f"{found.gap:>8.0e}  {plain:>11.2f}{other.gap:>8.0e}{plain / seconds:>7.1f}"
            f"  {other.method:<22}{'' if found.exact is None else found.exact}",
            flush=True,
        )


def print_cost() -> None:
    print("\nwhat the search costs where there is no symmetry\n")
    print(f"{'graph':<26}{'n':>6}{'m':>9}  {'search ms':>10}{'theta ms':>10}{'share %':>9}")
    for name, make in PLAIN:
        graph = make()
        theta(graph, tol=1e-5)
        _, whole = timed(graph, tol=1e-5, time_limit=LIMIT)
        started = time.process_time()
        for _ in range(5):
            if solve_by_orbits(graph, np.ones(graph.n), Variant.LOVASZ) is not None:
                raise SystemExit(f"{name} has symmetry")
        search = (time.process_time() - started) / 5
        print(
            f"{name:<26}{graph.n:>6,}{graph.m:>9,}  {1000 * search:>10.2f}{1000 * whole:>10.1f}"
            f"{100 * search / whole:>9.2f}",
            flush=True,
        )


def main() -> None:
    load = os.getloadavg()[0]
    print("$ python benchmarks/symmetry.py")
    print(f"one thread, CPU times, load average {load:.1f} on {os.cpu_count()} cores\n")
    theta(nx.gnp_random_graph(80, 0.3, seed=0))
    theta(nx.fast_gnp_random_graph(700, 0.01, seed=0), tol=1e-4)
    print_families()
    print_explicit()
    print_cost()


if __name__ == "__main__":
    main()
