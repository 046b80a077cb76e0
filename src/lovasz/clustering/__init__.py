"""Communities of a graph from its Lovász or Luz–Schrijver embedding.

Three steps, a file each: the spectrum of the kernel says how many communities there are and
gives every node a vector (:mod:`.spectrum`); k-means makes a partition of the vectors
(:mod:`.partition`); belief propagation on the edges makes probabilities of the partition
(:mod:`.posterior`).
"""

from lovasz.clustering.result import Communities
from lovasz.clustering.search import communities
from lovasz.clustering.spectrum import Spectrum

__all__ = ["Communities", "Spectrum", "communities"]
