"""Write the corpus: small good files of every format.

python -m tests.fuzz.make_corpus
"""

import gzip
import io
import shutil

import networkx as nx
import numpy as np
import torch
from scipy import sparse
from tests.fuzz.harness import CORPUS
from tests.fuzz.targets import PATH, run_batch

from lovasz import LCNClassifier, as_graph, as_hypergraph, theta
from lovasz.app.project import Answered, Project
from lovasz.graphs import write_graph
from lovasz.graphs.formats.hyperedges import write_hypergraph


def main() -> None:
    """Write every file of the corpus."""
    shutil.rmtree(CORPUS, ignore_errors=True)
    for name in ("graphs", "hypergraphs", "tables", "models", "proofs", "batches", "projects"):
        (CORPUS / name).mkdir(parents=True)
    _graphs()
    _hypergraphs()
    _tables()
    _proofs()
    _batches()
    _project()
    _models()


def _graphs() -> None:
    folder = CORPUS / "graphs"
    graph = as_graph(nx.petersen_graph())
    heavy = as_graph([("ann", "bob", 0.5), ("Li, Bo", "ann", 2.0), ("é", 'q"x', 1)], weights="keep")
    for suffix in (".csv", ".tsv", ".txt", ".col", ".gml", ".graphml", ".mtx", ".npz", ".pt",
                   ".g6", ".s6"):  # fmt: skip
        write_graph(graph, folder / f"petersen{suffix}")
        if suffix not in (".col", ".g6", ".s6"):
            write_graph(heavy, folder / f"heavy{suffix}")
    (folder / "gset.txt").write_text("3 2\n1 2 1\n2 3 -1\n")
    (folder / "comments.col").write_bytes(b"c one\r\nc two\r\n\r\np edge 3 2\r\ne 1 2\r\ne 2 3\r\n")
    (folder / "gephi.csv").write_text("Id,Source,Target,Type,Weight\n0,a,b,Undirected,1\n")
    (folder / "dense.mtx").write_text("%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n0\n")
    (folder / "petersen.csv.gz").write_bytes(
        gzip.compress((folder / "petersen.csv").read_bytes(), mtime=0)
    )
    for kind in ("csc", "coo", "dia"):
        sparse.save_npz(folder / f"{kind}.npz", graph.adjacency.asformat(kind))
    torch.save(torch.tensor([[0, 1], [1, 0]]), folder / "ends.pt")


def _hypergraphs() -> None:
    folder = CORPUS / "hypergraphs"
    hypergraph = as_hypergraph([["ann", "bob", "cem"], ["cem", "dan"], ["dan", "ann", "eve"]])
    for suffix in (".hg", ".csv", ".tsv", ".json", ".npz"):
        write_hypergraph(hypergraph, folder / f"sets{suffix}")
    sparse.save_npz(folder / "incidence.npz", sparse.csr_array(hypergraph.incidence))


def _models() -> None:
    """Write models of the format that is read today; older ones would be refused unread."""
    graph = as_graph(nx.karate_club_graph(), weights="drop")
    labels = {0: "left", 1: "left", 33: "right", 32: "right"}
    named = LCNClassifier("ls", epochs=5, hidden=2, random_state=0).fit(graph, labels)
    named.save(CORPUS / "models" / "ls")
    club = {v: "left" if v < 17 else "right" for v in range(0, 34, 2)}
    features = np.random.default_rng(0).normal(size=(34, 3)).round(2)
    auto = LCNClassifier(fast=True, random_state=0).fit(graph, club, features)
    auto.save(CORPUS / "models" / "auto")


def _proofs() -> None:
    union = nx.disjoint_union(nx.gnp_random_graph(9, 0.5, seed=3), nx.complete_graph(3))
    cases = {
        "pentagon": (nx.cycle_graph(5), {}),
        "heptagon": (nx.cycle_graph(7), {"variant": "schrijver"}),
        "union": (union, {}),
        "complement": (nx.path_graph(5), {"complement": True}),
    }
    for name, (graph, options) in cases.items():
        folder = CORPUS / "proofs" / name
        folder.mkdir()
        write_graph(as_graph(graph), folder / "graph.csv")
        theta(folder / "graph.csv", **options).save(folder / "proof.npz")


def _batches() -> None:
    for name, resumed in (("fresh", False), ("resumed", True)):
        folder = CORPUS / "batches" / name
        folder.mkdir()
        for suffix, encode in ((".g6", nx.to_graph6_bytes), (".s6", nx.to_sparse6_bytes)):
            graphs = [nx.cycle_graph(5), nx.path_graph(4), nx.empty_graph(2), nx.petersen_graph()]
            lines = b"".join(encode(graph, header=False) for graph in graphs)
            (folder / f"graphs{suffix}").write_bytes(lines)
        if resumed:
            run_batch(folder)
            table = folder / "table.csv"
            table.write_text("".join(table.read_text().splitlines(keepends=True)[:5]))


def _project() -> None:
    file = CORPUS / "projects" / "path.db"
    project = Project(file, PATH)
    project.label(0, "red", "one")
    project.label_all({1: "blue", 2: "red"}, "two")
    project.skip(3, "one")
    project.add_class("green", "one")
    project.set_aside(3, "two")
    project.undo("two")
    project.note_answer(Answered(3, 3, 0.8, 0.6, 0.9, 1.5))
    project.close()


def _tables() -> None:
    folder = CORPUS / "tables"
    (folder / "labels.csv").write_text('node,class\nann,red\n"bob",blue\ncem,\n')
    (folder / "features.csv").write_text("node,a,b\nann,1,2\nbob,3,4.5\ncem,-1,1e3\ndan,0,0\n")
    (folder / "features.txt").write_text("ann 1 2\nbob 3 4\ncem 5 6\ndan 7 8\n")
    table = np.arange(8.0).reshape(4, 2)
    np.save(folder / "features.npy", table)
    np.savez(folder / "features.npz", table)
    sparse.save_npz(folder / "sparse.npz", sparse.csr_array(table))
    out = io.BytesIO()
    np.save(out, table.astype(np.int8))
    (folder / "small.npy.gz").write_bytes(gzip.compress(out.getvalue(), mtime=0))


if __name__ == "__main__":
    main()
