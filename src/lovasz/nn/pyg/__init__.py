"""The kernel, the layer and the network as citizens of PyTorch Geometric."""
