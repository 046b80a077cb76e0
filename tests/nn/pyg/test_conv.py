"""The layer and the network: every way to hand over K gives the same answer."""

import networkx as nx
import numpy as np
import pytest
import torch

import lovasz
from lovasz.nn import LCN, LovaszConv
from lovasz.nn.engine.operators import as_operator, receptive_field


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


def test_the_gradient_of_an_unsymmetric_operator_is_its_transpose():
    matrix = np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]])
    from scipy import sparse

    for given in (matrix, sparse.csr_array(matrix)):
        H = torch.randn(3, 2, dtype=torch.float64, requires_grad=True)
        operator = as_operator(given, dtype=torch.float64)
        assert torch.autograd.gradcheck(lambda H, operator=operator: operator @ H, (H,))


def test_lcn_is_two_layers_of_the_formula(K):
    torch.manual_seed(0)
    model, x = LCN(6, 5, 3).eval(), torch.randn(10, 6)
    dense = torch.as_tensor(K.toarray(), dtype=torch.float32)
    first, second = (conv.lin.weight.t() for conv in model.convs)
    torch.testing.assert_close(model(x, dense), dense @ (dense @ x @ first).relu() @ second)


@pytest.mark.parametrize("layers", [1, 2, 4])
def test_lcn_has_as_many_layers_as_asked(K, layers):
    model = LCN(10, 4, 3, num_layers=layers)
    assert len(model.convs) == layers
    assert model(None, as_operator(K)).shape == (10, 3)


def test_lcn_drops_inputs_only_in_training(K):
    torch.manual_seed(0)
    model, operator = LCN(10, 16, 3), as_operator(K)
    assert not torch.equal(model(None, operator), model(None, operator))
    model.eval()
    assert torch.equal(model(None, operator), model(None, operator))


def test_a_receptive_field_is_exact():
    K = lovasz.kernel(nx.path_graph(60), "ls")
    rows = np.array([5, 17])
    (first, second), (nodes, _, last) = receptive_field(K, rows, layers=2)
    assert last is rows
    X = np.random.default_rng(0).standard_normal((60, 4))
    np.testing.assert_allclose(second @ (first @ X[nodes]), (K @ (K @ X))[rows], atol=1e-12)
    assert len(nodes) == 10


def test_a_layer_takes_what_kernel_gives():
    from lovasz.nn import LovaszConv

    K = lovasz.kernel(nx.petersen_graph(), "ls")
    conv, x = LovaszConv(4, 2), torch.randn(10, 4)
    expected = conv(x, torch.as_tensor(K.toarray(), dtype=torch.float32))
    torch.testing.assert_close(conv(x, K), expected)
    torch.testing.assert_close(conv(x, K.toarray()), expected)
