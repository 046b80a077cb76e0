"""Communities of a graph from its Lovász or Luz–Schrijver embedding.

There are four steps, with one file each. The spectrum of the kernel gives every node a vector and
proposes a number of communities (:mod:`.spectrum`). k-means partitions the vectors
(:mod:`.kmeans`). Belief propagation on the edges turns the partition into probabilities, and says
how probable the graph is with it (:mod:`.posterior`). The number of communities is chosen by that
probability (:mod:`.community_count`). k-means knows the embedding only; with ``refine=False`` its
partition is the answer. :mod:`.community_search` puts the steps together.
"""

from lovasz.clustering.communities_result import Communities
from lovasz.clustering.community_search import communities
from lovasz.clustering.spectrum import Spectrum

__all__ = ["Communities", "Spectrum", "communities"]
