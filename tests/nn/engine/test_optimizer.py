"""Adam for runs with equal and with different settings."""

import subprocess
import sys

import torch

from lovasz.nn.engine.optimizer import CpuAdam, Stretches, adam


def test_equal_settings_are_one_optimizer_of_torch_and_others_its_stretches():
    weights = [torch.randn(4, 6, 2, requires_grad=True)]
    assert isinstance(adam(weights, 0.1, 0.0), CpuAdam)
    assert isinstance(adam(weights, [0.1] * 6, [[0.0] * 6]), CpuAdam)
    stepped = adam(weights, [0.1, 0.1, 0.1, 0.2, 0.2, 0.2], 0.0)
    assert isinstance(stepped, Stretches) and stepped.sizes == [3, 3]
    before = weights[0].detach().clone()
    weights[0].grad = torch.ones_like(before)
    stepped.step()  # the first step of Adam has the length of the rate
    moved = (before - weights[0].detach()).mean((0, 2))
    torch.testing.assert_close(moved, torch.tensor([0.1] * 3 + [0.2] * 3))


def test_adam_on_a_cpu_is_that_of_torch_to_the_last_bit():
    start = [torch.randn(5, 3, 4), torch.randn(4, 3, 2)]
    ours, theirs = ([W.clone().requires_grad_() for W in start] for _ in range(2))
    groups = [
        {"params": [W], "lr": 0.02, "weight_decay": d}
        for W, d in zip(theirs, (0.1, 0), strict=True)
    ]
    steps = adam(ours, 0.02, [0.1, 0.0]), torch.optim.Adam(groups, fused=True)
    for _ in range(20):
        for weights, optimizer in zip((ours, theirs), steps, strict=True):
            optimizer.zero_grad()
            sum((W**2).sin().sum() for W in weights).backward()
            optimizer.step()
    assert all(torch.equal(a, b) for a, b in zip(ours, theirs, strict=True))


def test_a_fit_does_not_import_the_compiler_of_torch():
    code = """
import sys
from lovasz import LCNClassifier
LCNClassifier("ls", epochs=2, device="cpu").fit([(0, 1), (1, 2), (2, 3)], {0: "a", 3: "b"})
print("torch._dynamo" in sys.modules)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"
