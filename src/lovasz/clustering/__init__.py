"""Communities of a graph from its Lovász or Luz–Schrijver embedding.

Four steps, a file each: the spectrum of the kernel gives every node a vector and proposes a
number of communities (:mod:`.spectrum`); k-means makes a partition of the vectors
(:mod:`.partition`); belief propagation on the edges makes probabilities of the partition, and
says how probable the graph is with it (:mod:`.posterior`); by that the number is chosen
(:mod:`.selection`). What is told to k-means comes from the embedding alone; ``refine=False``
stops there.
"""

from lovasz.clustering.result import Communities
from lovasz.clustering.search import communities
from lovasz.clustering.spectrum import Spectrum

__all__ = ["Communities", "Spectrum", "communities"]
