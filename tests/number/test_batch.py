"""``theta_many``: the results of ``theta``, in order, whatever the number of processes."""

import itertools
import random
import signal

import networkx as nx
import numpy as np
import pytest
from tests.number import oracle

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.graphs import families


def connected_on_eight(count, seed):
    """Connected graphs of 8 nodes: one of 7 nodes and a further node next to some of them."""
    rng = random.Random(seed)
    seven = [g for g in nx.graph_atlas_g() if len(g) == 7 and nx.is_connected(g)]
    for _ in range(count):
        graph = rng.choice(seven).copy()
        near = rng.sample(range(7), rng.randint(1, 7))
        graph.add_edges_from((7, node) for node in near)
        yield graph


def test_a_sample_of_the_connected_graphs_of_eight_nodes_agrees_with_another_solver():
    graphs = list(connected_on_eight(150, seed=1))
    for graph, found in zip(graphs, lovasz.theta_many(graphs), strict=True):
        known = oracle.theta(nx.to_numpy_array(graph))
        assert found.status == "optimal" and found.gap <= 1e-6
        assert found.lower - 1e-6 <= known <= found.upper + 1e-6


def test_processes_give_the_results_of_a_loop_in_order(tmp_path):
    graphs = list(connected_on_eight(60, seed=2))
    path = tmp_path / "many.g6"
    path.write_bytes(b"".join(nx.to_graph6_bytes(graph, header=False) for graph in graphs))
    alone = [lovasz.theta(graph) for graph in graphs]
    for found in (
        list(lovasz.theta_many(graphs, jobs=2)),
        list(lovasz.theta_many(path, jobs=2)),
        list(lovasz.theta_many(str(path))),
    ):
        for one, other in zip(found, alone, strict=True):  # compiled or not: up to rounding
            assert one.lower == pytest.approx(other.lower, rel=1e-9)
            assert one.upper == pytest.approx(other.upper, rel=1e-9)
            assert abs(one.kernel - other.kernel).max() < 1e-6 and one.method == other.method


def test_graphs_are_taken_as_they_are_needed():
    endless = (nx.cycle_graph(5) for _ in itertools.count())
    first = list(itertools.islice(lovasz.theta_many(endless), 3))
    assert [round(r.value, 6) for r in first] == [2.236068] * 3


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bad_graph_does_not_lose_the_others(jobs):
    graphs = [[(0, 1)], "no such file", nx.empty_graph(0), nx.path_graph(3)]
    found = list(lovasz.theta_many(graphs, jobs=jobs, on_error="return"))
    assert found[0].value == 1 and found[3].value == 2
    assert str(found[1]) == "graph 2: no such file: no such file; check the path"
    assert str(found[2]).startswith("graph 3: the graph has no nodes")
    results = lovasz.theta_many(graphs, jobs=jobs)
    assert next(results).value == 1
    with pytest.raises(LovaszError, match="graph 2"):
        next(results)


def test_a_bad_line_of_a_file_is_named(tmp_path):
    path = tmp_path / "many.g6"
    path.write_bytes(b">>graph6<<Bw\n\nDhc\nD\xff\n:Dr\n")
    found = list(lovasz.theta_many(path, on_error="return"))
    assert len(found) == 4 and isinstance(found[2], LovaszError)
    assert str(found[2]).startswith(f"{path} line 4: not valid graph6")


def test_tol_and_jobs_may_be_given_by_position():
    assert next(lovasz.theta_many([[(0, 1)]], 1e-4, 1)).value == 1
    with pytest.raises(LovaszError, match="tol=2 must be"):
        lovasz.theta_many([], 2)


def test_options_are_those_of_theta():
    graph = np.ones((4, 4)) - np.eye(4)
    options = {"complement": True, "variant": "szegedy", "tol": 1e-3, "time_limit": 5.0}
    assert next(lovasz.theta_many([graph], **options)).value == 4


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"jobs": 0}, "jobs=0"),
        ({"tol": 2}, "tol=2"),
        ({"solver": "magic"}, "magic"),
        ({"weights": [1]}, "theta_many has no option 'weights'; known: tol, solver"),
        ({"on_error": "ignore"}, "on_error='ignore'"),
    ],
)
def test_wrong_options_are_refused_at_once(options, said):
    with pytest.raises(LovaszError, match=said):
        lovasz.theta_many([], **options)


def test_ctrl_c_ends_the_loop_and_not_only_one_graph(monkeypatch):
    from lovasz.number import core

    def interrupted(*arguments, **options):
        signal.raise_signal(signal.SIGINT)
        return search(*arguments, **options)

    search = core._search
    monkeypatch.setattr(core, "_search", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        results = lovasz.theta_many([nx.path_graph(5), nx.mycielski_graph(5), nx.path_graph(5)])
        assert next(results).status == "optimal"
        assert next(results).status.startswith("interrupted")
        with pytest.raises(KeyboardInterrupt):
            next(results)
    finally:
        signal.signal(signal.SIGINT, before)


def test_symmetric_graphs_are_not_written_down():
    (found,) = lovasz.theta_many([families.hamming(40, {1})])
    assert found.exact_number == 2**39
