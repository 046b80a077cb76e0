"""Datasets that are hypergraphs, whose graphs are their 2-sections."""

from __future__ import annotations

from lovasz.datasets.entry import DatasetEntry, File


def _hypergcn(
    name: str, about: str, sizes: tuple[int, int, int, int], classes: int, file: tuple[int, str]
) -> DatasetEntry:
    """Return the entry; ``sizes`` are the nodes, edges of the 2-section, hyperedges, features."""
    n, m, hyperedges, features = sizes
    # The original is a folder of pickles in malllabiisc/HyperGCN, data/, commit de04938. They were
    # saved again as one archive without pickles, so no public address holds these bytes.
    files = (File(f"hypergraph/{name.replace('-', '_')}.npz", *file, None),)
    return DatasetEntry(
        name, about, n, m, features, tuple(map(str, range(classes))),
        licence="Apache-2.0",
        citation="Yadati et al., HyperGCN, NeurIPS 2019",
        format="hypergraph",
        files=files,
        hyperedges=hyperedges,
    )  # fmt: skip


HYPERGRAPHS = (
    _hypergcn(
        "cocitation-cora",
        "machine-learning papers, hyperedges cited together, bags of words",
        (2_708, 4_256, 1_579, 1_433),
        7,
        (98_506, "fce06aefa4764c4b36da4c9fe71875544e11e40d1d812ef47cc6b96ca843998f"),
    ),
    _hypergcn(
        "cocitation-citeseer",
        "computer-science papers, hyperedges cited together, bags of words",
        (3_312, 4_307, 1_079, 3_703),
        6,
        (193_518, "c01f45f6f556f96b6654a150186e4ec42e1c0b559a495cc6be2b803b053556be"),
    ),
    _hypergcn(
        "cocitation-pubmed",
        "diabetes papers, hyperedges cited together; the features are missing",
        (19_717, 123_827, 7_963, 0),
        3,
        (99_069, "838cd8a546232e8b03fad6efde3ba2f84cba9cd63748173cb109b7e9b1cdcf4c"),
    ),
    _hypergcn(
        "coauthorship-cora",
        "machine-learning papers, hyperedges by one author, bags of words",
        (2_708, 14_942, 1_072, 1_433),
        7,
        (95_713, "acee52e5903701e78c766c5bd688126be5f440c3d79d6416242b0c9b788339fb"),
    ),
    _hypergcn(
        "coauthorship-dblp",
        "computer-science papers, hyperedges by one author; the features are missing",
        (41_302, 432_631, 22_363, 0),
        6,
        (260_411, "712c9a49c48910bc7b97972bcfb1b8a2310a384cdfa73300d5bdfcd57b22719a"),
    ),
)
