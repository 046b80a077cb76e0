"""LCN among the models of PyTorch Geometric, and life without PyTorch Geometric."""

import subprocess
import sys
from pathlib import Path

import networkx as nx
import pytest
import torch
from torch_geometric.explain import Explainer, GNNExplainer
from torch_geometric.nn.models.basic_gnn import BasicGNN
from torch_geometric.utils import from_networkx

import lovasz
from lovasz.nn import LCN, LovaszKernel
from lovasz.nn.engine.operators import as_operator

DATA = from_networkx(nx.karate_club_graph())
del DATA.weight, DATA.club
DATA.x = torch.randn(34, 8, generator=torch.Generator().manual_seed(0))
ENTRIES = LovaszKernel("ls")(DATA)


def test_it_is_a_basic_gnn():
    model = LCN(8, 16, 3)
    assert isinstance(model, BasicGNN)
    assert str(model) == "LCN(8, 3, num_layers=2)"


@pytest.mark.parametrize("jk", [None, "last", "cat", "max", "lstm"])
@pytest.mark.parametrize("norm", [None, "batch_norm", "graph_norm"])
def test_jumping_knowledge_and_norms(jk, norm):
    model = LCN(8, 16, 3, num_layers=3, jk=jk, norm=norm, act="elu", kernel="gcn").eval()
    out = model(DATA.x, DATA.edge_index)
    assert out.shape == (34, 3)
    entries = LovaszKernel("gcn")(DATA)
    torch.testing.assert_close(model(DATA.x, entries.edge_index, entries.edge_weight), out)


def test_options_reach_the_layers():
    model = LCN(8, 16, 3, cached=True, bias=True, kernel="ls")
    assert all(conv.cached and conv.bias is not None for conv in model.convs)
    assert LCN(8, 16).out_channels == 16
    assert all(conv.bias is None for conv in LCN(8, 16, 3).convs)


def test_lazy_input_size():
    model = LCN(-1, 16, 3)
    assert model(DATA.x, DATA.edge_index).shape == (34, 3)


@pytest.mark.parametrize("entries", [False, True], ids=["graph", "kernel"])
def test_an_explainer_gives_a_mask_for_every_edge(entries):
    torch.manual_seed(0)
    given = ENTRIES if entries else DATA
    more = {"edge_weight": ENTRIES.edge_weight} if entries else {}
    explainer = Explainer(
        LCN(8, 16, 3).eval(),
        algorithm=GNNExplainer(epochs=5),
        explanation_type="model",
        node_mask_type="attributes",
        edge_mask_type="object",
        model_config={
            "mode": "multiclass_classification",
            "task_level": "node",
            "return_type": "raw",
        },
    )
    found = explainer(DATA.x, given.edge_index, index=0, **more)
    assert found.edge_mask.shape == (given.num_edges,)
    assert found.node_mask.shape == DATA.x.shape
    near = torch.as_tensor(
        [nx.shortest_path_length(nx.karate_club_graph(), 0, v) for v in range(34)]
    )
    seen = (near[given.edge_index] <= 2).all(0)  # two layers look two steps far
    assert found.edge_mask[seen].max() > 0
    assert not found.edge_mask[(near[given.edge_index] > 2).any(0)].any()


def test_compiled_in_one_piece_and_trained():
    torch.manual_seed(0)
    model = LCN(8, 16, 3, dropout=0.0)
    out = model(DATA.x, DATA.edge_index)
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    found = compiled(DATA.x, ENTRIES.edge_index, ENTRIES.edge_weight)
    torch.testing.assert_close(found, out)
    found.square().sum().backward()
    assert all(p.grad.abs().sum() > 0 for p in model.parameters())


def test_exported_without_torchscript():
    model = LCN(8, 16, 3).eval()
    program = torch.export.export(model, (DATA.x, ENTRIES.edge_index, ENTRIES.edge_weight))
    found = program.module()(DATA.x, ENTRIES.edge_index, ENTRIES.edge_weight)
    torch.testing.assert_close(found, model(DATA.x, DATA.edge_index))


WITHOUT = """
import sys
sys.modules["torch_geometric"] = None  # as if it were not installed
import lovasz, lovasz.nn
two_triangles = [*zip("abccxyz", "bcaxyzx")]
clf = lovasz.LCNClassifier(random_state=0).fit(two_triangles, {"a": "left", "z": "right"})
print(clf.predict().tolist(), [W.shape for W in clf.weights_])
clf.save("model")
print(lovasz.LCNClassifier.load("model").predict().tolist())
for name in ("LCN", "LovaszConv", "LovaszKernel"):
    try:
        getattr(lovasz.nn, name)
    except ImportError as problem:
        print(problem)
try:
    clf.model_
except ImportError as problem:
    print(problem)
"""


def test_all_but_the_citizens_works_without_pyg(tmp_path):
    source = Path(__file__).parents[3] / "src"
    result = subprocess.run(
        [sys.executable, "-c", WITHOUT],
        capture_output=True, text=True, check=True, cwd=tmp_path,
        env={"PYTHONPATH": str(source), "PATH": "", "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    answers, loaded, *refusals = result.stdout.splitlines()
    assert answers.startswith("['left', 'left', 'left', 'right', 'right', 'right']")
    assert loaded in answers
    assert len(refusals) == 4
    assert all("lovasz[pyg]" in line for line in refusals)


@pytest.fixture
def K():
    return lovasz.kernel(nx.petersen_graph(), "ls")


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
