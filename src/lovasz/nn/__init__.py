"""Neural networks on torch: the layer, the network, the training loop."""

import warnings

# torch calls its CSR layout beta in a warning at first use; the parts used here are tested.
warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta", UserWarning)
warnings.filterwarnings("ignore", "Sparse invariant checks are implicitly disabled", UserWarning)

from lovasz.nn.conv import LovaszConv  # noqa: E402
from lovasz.nn.models import LCN  # noqa: E402
from lovasz.nn.train import Training, train  # noqa: E402

__all__ = ["LCN", "LovaszConv", "Training", "train"]
