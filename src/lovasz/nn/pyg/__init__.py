"""A transform, a layer and a model for PyTorch Geometric."""
