"""Adam for runs with equal and with different settings."""

import torch

from lovasz.nn.engine.optimizer import Stretches, adam


def test_equal_settings_are_one_optimizer_of_torch_and_others_its_stretches():
    weights = [torch.randn(4, 6, 2, requires_grad=True)]
    assert isinstance(adam(weights, 0.1, 0.0), torch.optim.Adam)
    assert isinstance(adam(weights, [0.1] * 6, [[0.0] * 6]), torch.optim.Adam)
    stepped = adam(weights, [0.1, 0.1, 0.1, 0.2, 0.2, 0.2], 0.0)
    assert isinstance(stepped, Stretches) and stepped.sizes == [3, 3]
    before = weights[0].detach().clone()
    weights[0].grad = torch.ones_like(before)
    stepped.step()  # the first step of Adam has the length of the rate
    moved = (before - weights[0].detach()).mean((0, 2))
    torch.testing.assert_close(moved, torch.tensor([0.1] * 3 + [0.2] * 3))
