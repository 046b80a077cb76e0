"""Exact reductions of ϑ: smaller graphs with the same value, and how kernels are lifted back."""
