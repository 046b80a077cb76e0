"""Neural networks on torch: the layer, the networks, the training loop.

``LovaszKernel``, ``LovaszConv`` and ``LCN`` are a transform, a layer and a model for PyTorch
Geometric and need it: ``pip install "lovasz[pyg]"``. Everything else here, and
:class:`lovasz.LCNClassifier`, needs torch only.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lovasz.base.extras import needed_for

if TYPE_CHECKING:
    from lovasz.linalg.low_rank import LowRank
    from lovasz.nn.engine.settings import Settings
    from lovasz.nn.engine.training import Training
    from lovasz.nn.networks.hop import train
    from lovasz.nn.networks.propagation import Consistency, Propagation, train_propagated
    from lovasz.nn.pyg.conv import LovaszConv
    from lovasz.nn.pyg.models import LCN
    from lovasz.nn.pyg.transform import LovaszKernel

# The module of each name. They are loaded when first used: training must not need PyTorch
# Geometric, and settings must not pay for the import of torch, which takes more than a second.
_MODULES = {
    "Consistency": "lovasz.nn.networks.propagation",
    "LCN": "lovasz.nn.pyg.models",
    "LovaszConv": "lovasz.nn.pyg.conv",
    "LovaszKernel": "lovasz.nn.pyg.transform",
    "LowRank": "lovasz.linalg.low_rank",
    "Propagation": "lovasz.nn.networks.propagation",
    "Settings": "lovasz.nn.engine.settings",
    "Training": "lovasz.nn.engine.training",
    "train": "lovasz.nn.networks.hop",
    "train_propagated": "lovasz.nn.networks.propagation",
}
__all__ = [
    "LCN", "Consistency", "LovaszConv", "LovaszKernel", "LowRank", "Propagation", "Settings",
    "Training", "train", "train_propagated",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'lovasz.nn' has no attribute {name!r}")
    with needed_for(f"lovasz.nn.{name}"):
        return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return __all__
