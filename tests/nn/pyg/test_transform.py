"""LovaszKernel: entries of K for edges, everything else as it was."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric import transforms as T
from torch_geometric.data import Batch, Data, HeteroData, InMemoryDataset
from torch_geometric.loader import DataLoader
from torch_geometric.utils import to_dense_adj

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.nn import LovaszConv, LovaszKernel


def random_data(n, p, seed, **fields):
    rng = np.random.default_rng(seed)
    A = np.triu(rng.random((n, n)) < p, 1)
    edge_index = torch.as_tensor(np.stack((A | A.T).nonzero()))
    order = torch.as_tensor(rng.permutation(edge_index.shape[1]))
    return Data(
        x=torch.as_tensor(rng.standard_normal((n, 3)), dtype=torch.float32),
        edge_index=edge_index[:, order],
        y=torch.arange(n),
        **fields,
    )


def as_matrix(data):
    return to_dense_adj(data.edge_index, None, data.edge_weight, data.num_nodes)[0]


@given(n=st.integers(1, 12), p=st.floats(0, 1), seed=st.integers(0, 99))
@settings(max_examples=25, deadline=None)
@pytest.mark.parametrize("name", ["ls", "gcn", "adjacency", "ppr"])
def test_the_edges_are_the_entries_of_the_kernel(name, n, p, seed):
    data = random_data(n, p, seed)
    out = LovaszKernel(name)(data)
    expected = lovasz.kernel(data, name).toarray()
    np.testing.assert_allclose(as_matrix(out), expected, atol=1e-6)
    kept = data.edge_index.shape[1]
    assert torch.equal(out.edge_index[:, :kept], data.edge_index)
    assert torch.equal(out.edge_index[:, -n:], torch.arange(n).repeat(2, 1))


def test_fields_stay_and_the_given_data_is_left_alone():
    data = random_data(8, 0.5, 0, train_mask=torch.arange(8) < 3, name="eight")
    before = data.clone()
    out = LovaszKernel("ls")(data)
    assert set(out.keys()) == {*data.keys(), "edge_weight"}
    for key in ("x", "y", "train_mask"):
        assert out[key] is data[key]
    assert out.name == "eight"
    assert torch.equal(data.edge_index, before.edge_index) and "edge_weight" not in data
    assert out.edge_weight.dtype == data.x.dtype


def test_what_is_known_of_an_edge_moves_with_it():
    data = random_data(6, 0.6, 1)
    loops = torch.tensor([[2, 3], [2, 3]])
    data.edge_index = torch.cat([loops, data.edge_index, data.edge_index[:, :1]], dim=1)
    data.edge_attr = torch.stack([data.edge_index[0], data.edge_index[1]], dim=1) + 1.0
    out = LovaszKernel("ls")(data)
    is_loop = out.edge_index[0] == out.edge_index[1]
    assert is_loop.sum() == 6
    assert torch.equal(out.edge_attr[~is_loop], out.edge_index.T[~is_loop] + 1.0)
    assert not out.edge_attr[is_loop].any()
    assert out.is_coalesced() or len(torch.unique(out.edge_index, dim=1).T) == out.num_edges


def test_weights_that_are_there_weight_the_graph_so_that_twice_is_once():
    data = random_data(9, 0.5, 2)
    once = LovaszKernel("ls")(data)
    twice = LovaszKernel("ls")(once)
    assert torch.equal(once.edge_index, twice.edge_index)
    torch.testing.assert_close(once.edge_weight, twice.edge_weight)


def test_every_graph_of_a_batch_has_its_own_kernel():
    graphs = [random_data(n, 0.6, n, edge_attr=None) for n in (5, 1, 9, 7)]
    graphs[1].edge_index = torch.empty((2, 0), dtype=torch.int64)
    for data in graphs:
        data.edge_attr = data.edge_index.T.float()
    transform = LovaszKernel("ls")
    before = Batch.from_data_list([transform(data) for data in graphs])
    batch = Batch.from_data_list(graphs)
    after = transform(batch)
    for key in ("x", "edge_index", "edge_weight", "edge_attr", "batch", "ptr"):
        torch.testing.assert_close(after[key], before[key])
    for data, part in zip(graphs, after.to_data_list(), strict=True):
        alone = transform(data)
        assert torch.equal(part.edge_index, alone.edge_index)
        torch.testing.assert_close(part.edge_weight, alone.edge_weight)
        torch.testing.assert_close(part.edge_attr, alone.edge_attr)
    assert [d.num_edges for d in batch.to_data_list()] == [d.num_edges for d in graphs]
    one = LovaszKernel("ls")(Data(edge_index=batch.edge_index, num_nodes=batch.num_nodes))
    assert not torch.allclose(one.edge_weight.sum(), after.edge_weight.sum())  # one λ_min for all


def test_a_batch_in_any_order_of_nodes():
    first, second = random_data(5, 0.7, 0), random_data(6, 0.7, 1)
    batch = Batch.from_data_list([first, second])
    order = torch.as_tensor(np.random.default_rng(0).permutation(11))
    back = order.argsort()
    mixed = Data(edge_index=back[batch.edge_index], batch=batch.batch[order], num_nodes=11)
    K = as_matrix(LovaszKernel("ls")(batch))
    torch.testing.assert_close(as_matrix(LovaszKernel("ls")(mixed)), K[order][:, order])
    mixed.batch = mixed.batch.roll(1)
    with pytest.raises(LovaszError, match="joins two graphs"):
        LovaszKernel("ls")(mixed)


def test_as_transform_and_pre_transform_and_in_a_loader():
    class Two(InMemoryDataset):
        def __init__(self, transform=None, before=None):
            super().__init__(None, transform)
            graphs = [random_data(6, 0.6, 3), random_data(4, 0.6, 4)]
            self.data, self.slices = self.collate([before(g) if before else g for g in graphs])

    late, early = Two(transform=LovaszKernel("ls")), Two(before=LovaszKernel("ls"))
    for first, second in zip(late, early, strict=True):
        assert torch.equal(first.edge_index, second.edge_index)
        assert torch.equal(first.edge_weight, second.edge_weight)
    (batch,) = DataLoader(late, batch_size=2)
    conv = LovaszConv(3, 2)
    out = conv(batch.x, batch.edge_index, batch.edge_weight)
    torch.testing.assert_close(out[:6], conv(late[0].x, late[0].edge_index))
    torch.testing.assert_close(out[6:], conv(late[1].x, late[1].edge_index))


def test_its_functional_name():
    from torch.utils.data.datapipes.iter import IterableWrapper

    data = random_data(5, 0.6, 0)
    (out,) = IterableWrapper([data]).lovasz_kernel("ls", weights="normalized")
    assert torch.equal(out.edge_weight, LovaszKernel("ls", weights="normalized")(data).edge_weight)
    assert "edge_weight" not in data


def test_it_composes_with_the_transforms_of_pyg():
    data = random_data(6, 0.5, 5)
    pipeline = T.Compose([T.NormalizeFeatures(), LovaszKernel("ls"), T.ToSparseTensor()])
    out = pipeline(data)
    np.testing.assert_allclose(out.adj_t.to_dense(), lovasz.kernel(data, "ls").toarray(), atol=1e-6)
    conv = LovaszConv(3, 2)
    torch.testing.assert_close(conv(out.x, out.adj_t), conv(out.x, data.edge_index))


def test_what_it_cannot_take_is_refused_in_one_line():
    hetero = HeteroData()
    hetero["paper"].x = torch.ones(2, 3)
    one_way = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)
    for data, said in (
        (hetero, "to_homogeneous"),
        (Data(x=torch.ones(2, 2)), "without edge_index"),
        (one_way, "one direction only"),
    ):
        with pytest.raises(LovaszError, match=said) as problem:
            LovaszKernel("ls")(data)
        assert "\n" not in str(problem.value)
    assert LovaszKernel("ls", symmetrize=True)(one_way).num_edges == 4
    with pytest.raises(LovaszError, match="unknown kernel"):
        LovaszKernel("nothing")(random_data(3, 1.0, 0))


def test_its_name_says_what_it_does():
    transform = LovaszKernel("ls", symmetrize=True, weights="normalized")
    assert str(transform) == "LovaszKernel('ls', symmetrize=True, weights='normalized')"
