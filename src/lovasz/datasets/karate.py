"""Reader of Zachary's karate club, which ships with networkx."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lovasz.datasets.dataset import Dataset
from lovasz.datasets.entry import DatasetEntry
from lovasz.graphs.convert import as_graph


def read_karate(entry: DatasetEntry, contents: Mapping[str, bytes]) -> Dataset:
    """Return the unweighted graph; the classes are the two clubs after the split."""
    import networkx as nx

    club = nx.karate_club_graph()
    y = np.array([entry.classes.index(club.nodes[member]["club"]) for member in club])
    return Dataset(entry.name, as_graph(club, weights="drop"), None, y, entry.classes, {})
