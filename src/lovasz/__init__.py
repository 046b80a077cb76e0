"""Learning on graphs with Lovász orthonormal embeddings.

>>> import lovasz
>>> K = lovasz.kernel([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)], "ls")
>>> round(float(K[0, 1]), 4)  # the 5-cycle: 1 / (2 cos 36°)
0.618
"""

from importlib import import_module
from typing import Any

from lovasz.base import display
from lovasz.base.extras import MissingPackage, needed_for

__version__ = "0.2.0"

# Name -> module. Loaded when first used: `import lovasz` must not pay for torch.
_HOMES = {
    "LovaszError": "lovasz.base.errors",
    "Graph": "lovasz.graphs",
    "as_graph": "lovasz.graphs",
    "Hypergraph": "lovasz.graphs",
    "as_hypergraph": "lovasz.graphs",
    "read_graph": "lovasz.graphs",
    "write_graph": "lovasz.graphs",
    "theta": "lovasz.number",
    "theta_many": "lovasz.number.batch",
    "verify": "lovasz.verification",
    "kernel": "lovasz.kernels",
    "embedding": "lovasz.kernels.embedding",
    "communities": "lovasz.clustering",
    "LovaszClustering": "lovasz.clustering.estimators",
    "LovaszEmbedding": "lovasz.clustering.estimators",
    "coloring": "lovasz.colors",
    "clique_cover": "lovasz.colors",
    "independent_set": "lovasz.colors",
    "max_clique": "lovasz.colors",
    "coloring_fraction": "lovasz.colors",
    "is_perfect_evidence": "lovasz.colors",
    "LCNClassifier": "lovasz.classify",
    "suggest": "lovasz.classify.suggest",
    "KernelClassifier": "lovasz.classify",
    "SPOREClassifier": "lovasz.baselines.spore",
}
__all__ = ["__version__", *sorted(_HOMES)]


def _draw(shown: object) -> str | None:
    try:
        return str(import_module("lovasz.pages.notebook").draw_html(shown))
    except MissingPackage:  # a notebook shows the repr instead
        return None


display.draw_with(_draw)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'lovasz' has no attribute {name!r}")
    with needed_for(f"lovasz.{name}"):
        return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
