"""Neural networks on torch: the layer, the networks, the training loop.

``LovaszKernel``, ``LovaszConv`` and ``LCN`` are a transform, a layer and a model for PyTorch
Geometric and need it: ``pip install "lovasz[pyg]"``. Everything else here, and
:class:`lovasz.LCNClassifier`, needs torch only.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lovasz.base.extras import needed_for

with needed_for("lovasz.nn"):
    from lovasz.nn.engine.operators import LowRank
    from lovasz.nn.engine.settings import Settings
    from lovasz.nn.engine.training import Training
    from lovasz.nn.networks.hop import train
    from lovasz.nn.networks.propagation import Consistency, Propagation, train_propagated

if TYPE_CHECKING:
    from lovasz.nn.pyg.conv import LovaszConv
    from lovasz.nn.pyg.models import LCN
    from lovasz.nn.pyg.transform import LovaszKernel

# The module of each name. They are loaded when first used, because training must not need
# PyTorch Geometric.
_GEOMETRIC = {
    "LCN": "lovasz.nn.pyg.models",
    "LovaszConv": "lovasz.nn.pyg.conv",
    "LovaszKernel": "lovasz.nn.pyg.transform",
}
__all__ = [
    "LCN", "Consistency", "LovaszConv", "LovaszKernel", "LowRank", "Propagation", "Settings",
    "Training", "train", "train_propagated",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _GEOMETRIC:
        raise AttributeError(f"module 'lovasz.nn' has no attribute {name!r}")
    with needed_for(f"lovasz.nn.{name}"):
        return getattr(import_module(_GEOMETRIC[name]), name)


def __dir__() -> list[str]:
    return __all__
