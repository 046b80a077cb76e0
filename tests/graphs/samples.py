"""What several tests of files share."""

import io

import networkx as nx
import numpy as np
import torch
from torch_geometric.data import Data

from lovasz.graphs import as_graph, read_graph

PETERSEN = as_graph(nx.petersen_graph())
ENDS = torch.tensor([[0, 1], [1, 0]])
DATA = Data(edge_index=ENDS, num_nodes=3)


def read_text(tmp_path, text, name="g.csv", **options):
    data = text if isinstance(text, bytes) else text.encode()
    (tmp_path / name).write_bytes(data)
    return read_graph(tmp_path / name, **options)


def assert_same(graph, other, *, names=True):
    np.testing.assert_array_equal(graph.adjacency.toarray(), other.adjacency.toarray())
    if names:
        assert list(graph.nodes) == list(other.nodes)
        assert [type(name) for name in graph.nodes] == [type(name) for name in other.nodes]


def saved(content):
    out = io.BytesIO()
    torch.save(content, out)
    return out.getvalue()


class Evil:
    def __reduce__(self):
        return (open, ("ran", "w"))
