"""Methods to compare with: GPNN, graph attention, SPORE, learned edge weights."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lovasz.base.extras import require

if TYPE_CHECKING:
    from lovasz.baselines.attention import train_attention
    from lovasz.baselines.gpnn import train_gpnn
    from lovasz.baselines.learned_edges import train_edges
    from lovasz.baselines.spore import SPOREClassifier

# The module of each name. They are loaded when first used, because most of them import torch.
_MODULES = {
    "SPOREClassifier": "lovasz.baselines.spore",
    "train_attention": "lovasz.baselines.attention",
    "train_edges": "lovasz.baselines.learned_edges",
    "train_gpnn": "lovasz.baselines.gpnn",
}
require("torch", what="lovasz.baselines")
__all__ = ["SPOREClassifier", "train_attention", "train_edges", "train_gpnn"]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'lovasz.baselines' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return __all__
