"""``lovasz kernel`` as a user meets it."""

import csv
import json

import numpy as np
import pytest
from scipy import sparse

import lovasz


@pytest.mark.parametrize("suffix", ["npz", "mtx", "csv"])
def test_kernel_to_a_file(run, inputs, tmp_path, suffix):
    code, out, _ = run("kernel", "graph.csv", "--kernel", "gcn", "--out", f"K.{suffix}")
    assert code == 0 and f"K.{suffix}" in out
    graph = lovasz.as_graph(tmp_path / "graph.csv")
    expected = lovasz.kernel(graph, "gcn").toarray()
    path = tmp_path / f"K.{suffix}"
    if suffix == "npz":
        found = sparse.load_npz(path).toarray()
    elif suffix == "mtx":
        from scipy.io import mmread

        found = mmread(path).toarray()
    else:
        found = np.zeros((60, 60))
        for row in list(csv.reader(path.open()))[1:]:
            found[graph.positions[row[0]], graph.positions[row[1]]] = float(row[2])
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_kernel_to_stdout_and_as_json(run, inputs):
    _, out, _ = run("kernel", "graph.csv")
    assert out.startswith("node,node,value")
    _, out, _ = run("kernel", "graph.csv", "--json")
    answer = json.loads(out)
    assert answer["nodes"] == 60 and answer["diagonal"] == [1.0, 1.0]
