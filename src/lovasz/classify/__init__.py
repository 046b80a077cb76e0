"""scikit-learn estimators that label the nodes of a graph."""

from lovasz.classify.lcn import LCNClassifier
from lovasz.classify.svm import KernelClassifier

__all__ = ["KernelClassifier", "LCNClassifier"]
