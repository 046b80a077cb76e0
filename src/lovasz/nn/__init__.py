"""Neural networks on torch: the layer, the network, the training loop."""

from lovasz.nn.conv import LovaszConv
from lovasz.nn.gpnn import train_gpnn
from lovasz.nn.models import LCN
from lovasz.nn.operators import LowRank
from lovasz.nn.train import Training, train

__all__ = ["LCN", "LovaszConv", "LowRank", "Training", "train", "train_gpnn"]
