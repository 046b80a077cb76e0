"""Communities beside Louvain, Leiden and spectral clustering: adjusted mutual information, seconds.

    LOVASZ_DATA=… python benchmarks/communities.py [--seeds 3] [--only sbm] > communities.txt

``lovasz k`` and ``spectral k`` (scikit-learn) are told the number of communities, ``vectors k`` is
``lovasz k`` without refinement, and ``lovasz``, ``louvain`` (networkx) and ``leiden`` (igraph, by
modularity, run until nothing changes) find it. A cell is the mean, the standard deviation and the
seconds (median); the best of a row has a star, and within 0.005 of it counts as equal. ``found``
is how many communities ``lovasz`` found, isolated nodes and other small components, which are
communities of their own, counted in. Random graphs are drawn anew for each seed and their nodes
are shuffled; on the others only the methods' seed changes.

Block models: ``snr`` is (c_in − c_out)²/(q² c), and at 1 communities become undetectable; ``dense``
rows give the probabilities inside and between. LFR: degrees 15 and more on average, exponents 3
and 1.5; networkx's ``mu`` is not the share of edges between communities, which is printed. Data
sets: their largest component, without nodes of no class.
"""

from __future__ import annotations

import argparse
import random
import time
import warnings
from collections.abc import Callable, Iterator

import igraph
import networkx as nx
import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.metrics import adjusted_mutual_info_score

import lovasz
from lovasz import Graph, as_graph
from lovasz.datasets import load
from lovasz.graphs.families import planted_partition
from lovasz.graphs.operations import components, induced

Instance = tuple[Graph, np.ndarray]
EQUAL = 0.005


def sparse_block_model(n: int, q: int, c: float, snr: float) -> Callable[[int], Instance]:
    gap = q * np.sqrt(snr * c)  # c_in − c_out

    def draw(seed: int) -> Instance:
        inside, between = c + (q - 1) / q * gap, c - gap / q
        return shuffled(*planted_partition(n, q, inside / n, between / n, seed=seed)[:2], seed)

    return draw


def dense_block_model(n: int, q: int, p: float, r: float) -> Callable[[int], Instance]:
    return lambda seed: shuffled(*planted_partition(n, q, p, r, seed=seed)[:2], seed)


def lfr(n: int, mu: float) -> Callable[[int], Instance]:
    def draw(seed: int) -> Instance:
        for attempt in range(100):
            try:
                found = nx.LFR_benchmark_graph(
                    n, 3, 1.5, mu, average_degree=15, max_degree=50,
                    min_community=20, max_community=100, seed=1000 * attempt + seed,
                )  # fmt: skip
                break
            except nx.ExceededMaxIterations:  # a matter of luck; another seed has more
                continue
        y = np.array([min(found.nodes[node]["community"]) for node in found])
        return shuffled(as_graph(nx.Graph(found)), y, seed)

    return draw


def dataset(name: str) -> Callable[[int], Instance]:
    def read(_: int) -> Instance:
        data = load(name)
        rows = max(components(data.graph), key=len)
        rows = rows[np.asarray(data.y)[rows] >= 0]
        return induced(data.graph, rows), np.asarray(data.y)[rows]

    return read


def shuffled(graph: Graph, y: np.ndarray, seed: int) -> Instance:
    """The same graph with its nodes in another order: methods must not live on the order."""
    order = np.random.default_rng(seed).permutation(graph.n)
    place = np.argsort(order)
    source, target = graph.edges()
    return Graph.from_edges(place[source], place[target], n=graph.n), y[order]


def rows() -> Iterator[tuple[str, Callable[[int], Instance]]]:
    """Every row of the table: its name, and the graph of a seed."""
    for q, c, n in ((2, 8, 1000), (2, 8, 3000), (4, 12, 1000)):
        for snr in (1.2, 1.5, 2, 3, 5):
            yield f"sbm q={q} c={c} n={n} snr={snr}", sparse_block_model(n, q, c, snr)
    for n, q, p, r in (
        (500, 2, 0.55, 0.45), (1000, 2, 0.5, 0.45), (500, 3, 0.6, 0.4), (500, 3, 0.9, 0.8),
        (500, 5, 0.4, 0.2), (1000, 8, 0.5, 0.35),
    ):  # fmt: skip
        yield f"dense q={q} {p}/{r} n={n}", dense_block_model(n, q, p, r)
    for mu in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6):
        yield f"lfr n=1000 mu={mu}", lfr(1000, mu)
    for name in ("karate", "polblogs", "cora", "citeseer", "amazon-photo"):
        yield name, dataset(name)


def louvain(graph: Graph, k: int, seed: int) -> np.ndarray:
    network = nx.Graph()
    network.add_nodes_from(range(graph.n))
    network.add_edges_from(zip(*(end.tolist() for end in graph.edges()), strict=True))
    return membership(nx.community.louvain_communities(network, seed=seed), graph.n)


def leiden(graph: Graph, k: int, seed: int) -> np.ndarray:
    random.seed(seed)  # igraph draws from Python's generator
    edges = list(zip(*(end.tolist() for end in graph.edges()), strict=True))
    found = igraph.Graph(graph.n, edges).community_leiden("modularity", n_iterations=-1)
    return np.array(found.membership)


def spectral(graph: Graph, k: int, seed: int) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says that a graph is not connected
        return SpectralClustering(
            k, affinity="precomputed", random_state=seed, assign_labels="kmeans"
        ).fit_predict(graph.adjacency)


def membership(sets: list[set[int]], n: int) -> np.ndarray:
    codes = np.zeros(n, dtype=int)
    for code, members in enumerate(sets):
        codes[list(members)] = code
    return codes


METHODS: dict[str, Callable[[Graph, int, int], np.ndarray]] = {
    "lovasz k": lambda g, k, seed: lovasz.communities(g, k, random_state=seed).membership,
    "vectors k": lambda g, k, seed: (
        lovasz.communities(g, k, random_state=seed, refine=False).membership
    ),
    "spectral k": spectral,
    "lovasz": lambda g, k, seed: lovasz.communities(g, random_state=seed).membership,
    "louvain": louvain,
    "leiden": leiden,
}


def measure(draw: Callable[[int], Instance], seeds: int) -> tuple[np.ndarray, np.ndarray, dict]:
    """(methods, seeds) of AMI and of seconds, and what the graph was like."""
    score, seconds = np.zeros((2, len(METHODS), seeds))
    counts: dict[str, list[int]] = {name: [] for name in METHODS}
    for seed in range(seeds):
        graph, y = draw(seed)
        k = len(np.unique(y))
        for row, (name, method) in enumerate(METHODS.items()):
            start = time.perf_counter()
            found = method(graph, k, seed)
            seconds[row, seed] = time.perf_counter() - start
            score[row, seed] = adjusted_mutual_info_score(y, found)
            counts[name].append(len(np.unique(found)))
    i, j = graph.edges()
    about = {"n": graph.n, "m": graph.m, "k": k, "outside": float((y[i] != y[j]).mean())}
    return score, seconds, about | {"found": np.mean(counts["lovasz"])}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument(
        "--only", default="", help="rows whose name holds one of these, with commas"
    )
    options = parser.parse_args()
    for method in METHODS.values():  # load and compile before the clock runs
        method(nx_karate(), 2, 0)
    cells = "".join(f"{name:>19}" for name in METHODS)
    print(f"{'graph':30}{'n':>6}{'m':>8}{'out':>5}{'k':>4}{'found':>7}{cells}", flush=True)
    for name, draw in rows():
        if not any(part in name for part in options.only.split(",")):
            continue
        score, seconds, about = measure(draw, options.seeds)
        best = score.mean(axis=1).max()
        line = f"{name:30}{about['n']:6}{about['m']:8}{about['outside']:5.2f}{about['k']:4}"
        line += f"{about['found']:7.1f}"
        for ami, took in zip(score, seconds, strict=True):
            star = "*" if ami.mean() >= best - EQUAL else " "
            line += f"{ami.mean():7.3f}±{ami.std():.2f}{star}{np.median(took):6.2f}"
        print(line, flush=True)


def nx_karate() -> Graph:
    return as_graph(nx.karate_club_graph(), weights="drop")


if __name__ == "__main__":
    main()
