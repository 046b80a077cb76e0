"""LovaszConv among the layers of PyTorch Geometric: what GCNConv can, after GCNConv's tests."""

import copy
import io

import networkx as nx
import pytest
import torch
from torch_geometric import EdgeIndex
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv, MessagePassing
from torch_geometric.utils import from_networkx, to_torch_coo_tensor, to_torch_csc_tensor

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.nn import LovaszConv, LovaszKernel
from lovasz.nn.engine.operators import as_operator

PETERSEN = from_networkx(nx.petersen_graph()).edge_index
STAR = torch.tensor([[0, 0, 0, 1, 2, 3], [1, 2, 3, 0, 0, 0]])


@pytest.fixture
def x():
    return torch.randn(4, 16, generator=torch.Generator().manual_seed(0))


@pytest.fixture
def conv():
    torch.manual_seed(0)
    layer = LovaszConv(16, 32)
    torch.nn.init.normal_(layer.bias)
    return layer


def dense(edge_index, n, name="ls", **options):
    K = lovasz.kernel(Data(edge_index=edge_index, num_nodes=n), name, **options)
    return torch.as_tensor(K.toarray(), dtype=torch.float32)


def expected(conv, x, K):
    return K @ conv.lin(x) + conv.bias


def test_it_is_a_layer_with_a_short_name(conv):
    assert isinstance(conv, MessagePassing)
    assert str(conv) == "LovaszConv(16, 32)"
    assert LovaszConv(16, 32).state_dict().keys() == GCNConv(16, 32).state_dict().keys()


def test_a_graph_alone_gets_its_kernel(conv, x):
    torch.testing.assert_close(conv(x, STAR), expected(conv, x, dense(STAR, 4)))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("ls", {"weights": "normalized"}),
        ("lovasz", {}),
        ("gcn", {}),
        ("adjacency", {}),
        ("ppr", {"alpha": 0.2}),
    ],
)
def test_any_kernel_by_name(x, name, options):
    conv = LovaszConv(16, 8, kernel=name, kernel_options=options)
    torch.testing.assert_close(
        conv(x, STAR), expected(conv, x, dense(STAR, 4, name, **options)), rtol=1e-4, atol=1e-5
    )


def test_with_the_gcn_kernel_and_its_weights_it_is_gcnconv(x):
    gcn, ours = GCNConv(16, 8), LovaszConv(16, 8, kernel="gcn")
    ours.load_state_dict(gcn.state_dict())
    torch.testing.assert_close(ours(x, STAR), gcn(x, STAR))


def test_edges_with_weights_are_k_itself_and_sparse_tensors_agree(conv, x):
    value = torch.rand(6, generator=torch.Generator().manual_seed(1))
    graph = to_torch_csc_tensor(STAR, size=(4, 4)).t()
    weighted = to_torch_csc_tensor(STAR, value, size=(4, 4)).t()
    torch.testing.assert_close(conv(x, graph), conv(x, STAR))
    torch.testing.assert_close(conv(x, weighted), conv(x, STAR, value))
    K = torch.zeros(4, 4).index_put((STAR[1], STAR[0]), value)
    torch.testing.assert_close(conv(x, STAR, value), expected(conv, x, K))


def test_a_sparse_tensor_with_a_diagonal_is_k(conv, x):
    """I + A of a perfect matching is its LS kernel, and all ones; of a star it is no kernel."""
    loops = torch.arange(4).repeat(2, 1)
    ones = to_torch_coo_tensor(torch.cat([STAR, loops], dim=1), size=4).to_sparse_csr()
    torch.testing.assert_close(conv(x, ones), expected(conv, x, ones.to_dense()))


def test_an_edge_index_that_knows_its_order_gives_the_same(conv, x):
    index = EdgeIndex(STAR, sparse_size=(4, 4), is_undirected=True, sort_order="row")
    torch.testing.assert_close(conv(x, index), conv(x, STAR))
    out = LovaszKernel("ls")(Data(edge_index=STAR, num_nodes=4))
    ordered, order = EdgeIndex(out.edge_index, sparse_size=(4, 4)).sort_by("col")
    torch.testing.assert_close(conv(x, ordered, out.edge_weight[order]), conv(x, STAR))


def test_without_normalize_entries_are_ones(x):
    conv = LovaszConv(16, 8, normalize=False)
    A = torch.zeros(4, 4).index_put((STAR[1], STAR[0]), torch.ones(6))
    torch.testing.assert_close(conv(x, STAR), expected(conv, x, A))


def test_the_first_kernel_is_kept_when_cached(conv, x):
    out = conv(x, STAR)
    conv.cached = True
    torch.testing.assert_close(conv(x, STAR), out)
    assert conv._cached_edge_index is not None
    torch.testing.assert_close(conv(x, STAR[:, :0]), out)
    conv.reset_parameters()
    assert conv._cached_edge_index is None


def test_the_cached_kernel_moves_with_the_layer(conv, x):
    conv.cached = True
    out = conv(x, STAR)
    moved = copy.deepcopy(conv).double()
    torch.testing.assert_close(moved(x.double(), STAR), out.double(), rtol=1e-5, atol=1e-5)
    conv.to("meta")
    assert conv._cached_edge_index[0].is_meta and conv._cached_edge_index[1].is_meta


def test_a_kernel_is_computed_once_a_tensor(conv, x, monkeypatch):
    import lovasz.nn.pyg.conv as home

    calls = []
    compute = home.kernel_edges
    monkeypatch.setattr(home, "kernel_edges", lambda *given: calls.append(1) or compute(*given))
    graph = STAR.clone()
    first = conv(x, graph)
    assert torch.equal(conv(x, graph), first) and len(calls) == 1
    conv(x, graph.clone())
    assert len(calls) == 2
    conv(x, graph)
    graph[:, [0, 3]] = graph[:, [1, 4]]  # a smaller star, written into the same tensor
    assert not torch.allclose(conv(x, graph), first)
    assert len(calls) == 4


def test_a_layer_that_remembers_can_be_copied_and_saved(conv, x):
    out = conv(x, STAR)
    assert torch.equal(copy.deepcopy(conv)(x, STAR), out)
    file = io.BytesIO()
    torch.save(conv, file)
    file.seek(0)
    assert torch.equal(torch.load(file, weights_only=False)(x, STAR), out)


def test_feature_decomposition(conv, x):
    decomposed = copy.deepcopy(conv)
    decomposed.decomposed_layers = 2
    torch.testing.assert_close(decomposed(x, STAR), conv(x, STAR))


def test_sparse_features(conv):
    thin = torch.sparse_coo_tensor([[0, 0], [0, 1]], [1.0, 1.0], size=(4, 16))
    torch.testing.assert_close(conv(thin, STAR), conv(thin.to_dense(), STAR))


def test_static_graphs(conv):
    many = torch.randn(3, 4, 16)
    torch.testing.assert_close(conv(many, STAR)[1], conv(many[1], STAR))


def test_both_directions_of_flow(conv, x):
    out = conv(x, STAR)
    conv.flow = "target_to_source"
    torch.testing.assert_close(conv(x, STAR.flip(0)), out)


def test_lazy_input_size(x):
    conv = LovaszConv(-1, 8)
    with pytest.raises(LovaszError, match="in_channels=-1"):
        conv(None, STAR)
    assert conv(x, STAR).shape == (4, 8)
    assert conv.lin.in_channels == 16


def test_two_kinds_of_nodes_need_entries_of_k(conv, x):
    """Rows of K on their own: what the nodes of a mini-batch hear from their neighbours."""
    K = dense(STAR, 4)
    target, source = K[:2].nonzero(as_tuple=True)
    index, weight = torch.stack([source, target]), K[target, source]
    out = conv((x, x[:2]), index, weight)
    torch.testing.assert_close(out, conv(x, STAR)[:2])
    torch.testing.assert_close(conv((x, None), index, weight, size=(4, 2)), out)
    torch.testing.assert_close(conv((x, x[:2]), K[:2].to_sparse_csr()), out)
    with pytest.raises(ValueError, match="no kernel"):
        conv((x, x[:2]), index)


def test_gradients_reach_the_weights_of_edges(conv, x):
    value = torch.rand(6, requires_grad=True)
    conv(x, STAR, value).sum().backward()
    assert value.grad.abs().min() > 0


def test_a_directed_graph_is_refused_unless_asked(x):
    one_way = STAR[:, :3]
    with pytest.raises(LovaszError, match="one direction only"):
        LovaszConv(16, 8)(x, one_way)
    both = LovaszConv(16, 8, symmetrize=True)
    torch.testing.assert_close(both(x, one_way), expected(both, x, dense(STAR, 4)))


def test_options_that_are_no_numbers_are_refused():
    with pytest.raises(LovaszError, match="numbers and strings"):
        LovaszConv(4, 2, kernel="lovasz", kernel_options={"nearest": torch.eye(2)})


def test_compiled_in_one_piece(conv, x):
    """As GCNConv: no graph break, whether K is given or computed."""
    K = LovaszKernel("ls")(Data(edge_index=STAR, num_nodes=4))
    compiled = torch.compile(conv, fullgraph=True, backend="aot_eager")
    out = conv(x, STAR)
    torch.testing.assert_close(compiled(x, K.edge_index, K.edge_weight), out)
    torch.testing.assert_close(compiled(x, STAR), out)


def test_exported_without_torchscript(conv, x):
    K = LovaszKernel("ls")(Data(edge_index=STAR, num_nodes=4))
    out = conv(x, STAR)
    program = torch.export.export(conv, (x, K.edge_index, K.edge_weight))
    torch.testing.assert_close(program.module()(x, K.edge_index, K.edge_weight), out)
    program = torch.export.export(conv, (x, STAR))
    torch.testing.assert_close(program.module()(x, STAR), out)


@pytest.fixture
def K():
    return lovasz.kernel(nx.petersen_graph(), "ls")


def ways(K):
    """The same kernel dense, sparse (two layouts), as an operator and as weighted edges."""
    dense = torch.as_tensor(K.toarray(), dtype=torch.float32)
    target, source = dense.nonzero(as_tuple=True)
    yield (dense,)
    yield (dense.to_sparse_csr(),)
    yield (dense.to_sparse_coo(),)
    yield (as_operator(K),)
    yield (torch.stack([source, target]), dense[target, source])


def test_dense_sparse_and_edge_list_agree(K):
    torch.manual_seed(0)
    conv, x = LovaszConv(6, 3, bias=True), torch.randn(10, 6)
    torch.nn.init.normal_(conv.bias)
    K_x = torch.as_tensor(K.toarray(), dtype=torch.float32) @ x
    expected = conv.lin(K_x) + conv.bias
    for way in ways(K):
        torch.testing.assert_close(conv(x, *way), expected)


def test_no_features_means_identity_features(K):
    conv = LovaszConv(10, 3)
    for way in ways(K):
        torch.testing.assert_close(conv(None, *way), conv(torch.eye(10), *way))


def test_gradients_agree_whatever_the_layout(K):
    torch.manual_seed(0)
    conv, x = LovaszConv(6, 3), torch.randn(10, 6)
    gradients = []
    for way in ways(K):
        conv.zero_grad()
        conv(x, *way).square().sum().backward()
        gradients.append(conv.lin.weight.grad.clone())
    for gradient in gradients[1:]:
        torch.testing.assert_close(gradient, gradients[0])
