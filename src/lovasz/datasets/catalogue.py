"""The datasets that can be loaded, their sources, and the checksums of their files.

A new dataset is one :class:`DatasetEntry`. A new format is one reader, which is registered in
:mod:`lovasz.datasets`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lovasz.datasets.entry import DatasetEntry, File
from lovasz.datasets.feature_tables import TABLES
from lovasz.datasets.hypergcn import HYPERGRAPHS


def _planetoid(name: str, parts: Mapping[str, tuple[int, str]]) -> tuple[File, ...]:
    base = "https://github.com/kimiyoung/planetoid/raw/master/data"
    return tuple(
        File(f"planetoid/ind.{name}.{part}", size, sha256, f"{base}/ind.{name}.{part}")
        for part, (size, sha256) in parts.items()
    )


def _heterophilous(
    name: str, about: str, n: int, m: int, features: int, size: int, sha256: str
) -> DatasetEntry:
    base = "https://github.com/yandex-research/heterophilous-graphs/raw"
    file = f"{name.replace('-', '_')}.npz"
    url = f"{base}/a431395582e929d88271309716bea4fe24ce6318/data/{file}"
    return DatasetEntry(
        name, about, n, m, features, ("0", "1", "2", "3", "4"),
        licence="MIT (collection)",
        citation="Pei et al., Geom-GCN, ICLR 2020; Platonov et al., ICLR 2023",
        format="masked",
        files=(File(f"community/{file}", size, sha256, url),),
    )  # fmt: skip


def _shchur(
    name: str, about: str, n: int, m: int, features: int, classes: str, size: int, sha256: str
) -> DatasetEntry:
    return DatasetEntry(
        name, about, n, m, features, tuple(classes.split(", ")),
        licence="MIT (collection)",
        citation="Shchur et al., Pitfalls of Graph Neural Network Evaluation, 2018",
        format="upper",
        files=(File(f"community/{name.replace('-', '_')}.npz", size, sha256, None),),
    )  # fmt: skip


def _numbers(count: int) -> tuple[str, ...]:
    return tuple(str(code) for code in range(count))


# What the entries of cora, citeseer and pubmed have in common.
_LINQS: dict[str, Any] = {
    "licence": "MIT (files); the LINQS collections state none",
    "citation": "Sen et al., AI Magazine 2008; Yang, Cohen, Salakhutdinov, ICML 2016",
    "format": "planetoid",
}

# The ind.* files have no class names, so the classes of cora, citeseer and pubmed are numbers.
_GRAPHS = (
    DatasetEntry(
        "cora",
        "machine-learning papers joined by citations, bags of words",
        2_708,
        5_278,
        1_433,
        _numbers(7),
        **_LINQS,
        files=_planetoid(
            "cora",
            {
                "x": (22_119, "23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab"),
                "y": (4_054, "94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1"),
                "tx": (148_025, "b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a"),
                "ty": (28_135, "41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad"),
                "allx": (
                    257_305,
                    "9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543",
                ),
                "ally": (
                    47_959,
                    "2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71",
                ),
                "graph": (
                    59_847,
                    "58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d",
                ),
                "test.index": (
                    5_000,
                    "297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875",
                ),
            },
        ),
    ),
    DatasetEntry(
        "citeseer",
        "computer-science papers joined by citations, bags of words",
        3_327,
        4_552,
        3_703,
        _numbers(6),
        **_LINQS,
        files=_planetoid(
            "citeseer",
            {
                "x": (31_087, "d20de19150741e555de0ed037195630fc194114ebc7fd72ced62810148aa22f6"),
                "y": (3_014, "8ba87e515d8e3ee3cf52f6d2c5b86aa73f11ecad825a808455209ec26cd54924"),
                "tx": (260_321, "539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21"),
                "ty": (24_135, "55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce"),
                "allx": (
                    595_021,
                    "2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668",
                ),
                "ally": (
                    55_623,
                    "f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95",
                ),
                "graph": (
                    61_987,
                    "d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7",
                ),
                "test.index": (
                    5_000,
                    "2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4",
                ),
            },
        ),
    ),
    DatasetEntry(
        "pubmed",
        "diabetes papers joined by citations, TF-IDF of words",
        19_717,
        44_324,
        500,
        _numbers(3),
        **_LINQS,
        files=_planetoid(
            "pubmed",
            {
                "x": (23_172, "fbe9cb5c47200d1b7769a26e579be3b7130b556831f9d850e77c4c74f2599b33"),
                "y": (854, "e6c807633307a07ed659249006536a147c7999c797f11a2560752990181b41b3"),
                "tx": (405_505, "4eb5f5d0f30f26497eb0ac6ac9719d09c67e284f1ed0385c93f3ef27a671da3d"),
                "ty": (12_135, "ee2e0d4819d9fbcc403689c3bf2e49face401b605932f093bc58ab6461130fdd"),
                "allx": (
                    7_578_385,
                    "508e538e2abdccdd54c4d3e9f49d638b4af7107d85845f66ddea5a5152658b7e",
                ),
                "ally": (
                    224_739,
                    "0c37bbe3b5014ec365e9d393cf4791925e5ed94fb194305d74f064a8d7b50f0e",
                ),
                "graph": (
                    471_808,
                    "5b89f0036ca22909471f1e6558eb42fa06e0c730a577bde5b058b40638f81dc9",
                ),
                "test.index": (
                    6_000,
                    "b101d421688bbaecbd82e8a18f1e282378d6830f3a37666f28ebc47f844341b5",
                ),
            },
        ),
    ),
    DatasetEntry(
        "karate",
        "members of a karate club joined by friendship",
        34,
        78,
        0,
        ("Mr. Hi", "Officer"),
        licence="BSD-3-Clause (networkx)",
        citation="Zachary, Journal of Anthropological Research 1977",
        format="karate",
    ),
    DatasetEntry(
        "polblogs",
        "US political blogs of 2004 joined by links",
        1_490,
        16_715,
        0,
        ("liberal", "conservative"),
        licence="none stated",
        citation="Adamic and Glance, LinkKDD 2005",
        format="upper",
        # This file was saved again without pickles, so no public address holds these bytes.
        files=(
            File(
                "community/polblogs.npz",
                42_329,
                "7ea1ba572a5cdb79198fc900c4d333cded3f8c1dfc142ffdafb37e2daf52c62a",
                None,
            ),
        ),
    ),
    _heterophilous(
        "texas",
        "web pages of a university joined by links",
        183,
        279,
        1_703,
        28_586,
        "b164b99e6c3d43e4ab07488ec59bd8c815f90cbc1bd4cf425ce587d2b534d844",
    ),
    _heterophilous(
        "cornell",
        "web pages of a university joined by links",
        183,
        277,
        1_703,
        30_515,
        "684c54ba3daa13b0ba1f04a3d6dd1b1175c1ae9bdeb982851fd4ff96d3aac298",
    ),
    _heterophilous(
        "chameleon",
        "Wikipedia articles joined by links, classes of traffic",
        2_277,
        31_371,
        2_325,
        177_840,
        "4c640bd2877fc4f9f101531e2f977bc16445a54e09a5cb01178df608e552f3fd",
    ),
    # Without the nodes of which Platonov et al. found duplicates in the train and test sets.
    _heterophilous(
        "chameleon-filtered",
        "Wikipedia articles joined by links, classes of traffic, no duplicates",
        890,
        8_854,
        2_325,
        58_924,
        "bf46f07e1fb5249280447e5fe3100f3e82fc4b93ad1e13ffcfdec924b6ac0bb5",
    ),
    _heterophilous(
        "squirrel",
        "Wikipedia articles joined by links, classes of traffic",
        5_201,
        198_353,
        2_089,
        704_277,
        "d436e3b42c0546b105241c0ab0766097074e68e55f67b133eeb9b0162e55cbd9",
    ),
    _heterophilous(
        "actor",
        "film actors joined by shared Wikipedia pages",
        7_600,
        26_659,
        932,
        252_956,
        "c350eef06b2c2a9bf8218be2b57cac6d4003d0922eb597a039e9123f75817816",
    ),
    # These files were saved again without pickles, as polblogs was, from shchur/gnn-benchmark.
    _shchur(
        "amazon-photo",
        "cameras and their parts often bought together, words of the reviews",
        7_650,
        119_081,
        745,
        "Film Photography, Digital Cameras, Binoculars & Scopes, Lenses, Tripods & Monopods, "
        "Video Surveillance, Lighting & Studio, Flashes",
        763_970,
        "758e1fc5851ec6ef0b130c560ee809f01fbb5ecaf375c3c1dfcbb7f91fce3931",
    ),
    _shchur(
        "amazon-computers",
        "computers and their parts often bought together, words of the reviews",
        13_752,
        245_861,
        767,
        "Desktops, Data Storage, Laptops, Monitors, Computer Components, Video Projectors, "
        "Routers, Tablets, Networking Products, Webcams",
        1_500_400,
        "fa55c0d05eb0975a616d436139033eb11369e7aa9bdf5075f834815d3095e637",
    ),
    _shchur(
        "coauthor-cs",
        "authors in computer science joined by papers, counts of keywords",
        18_333,
        81_894,
        6_805,
        "bioinformatics, machine_learning, computer_vision, NLP, graphics, networks, security, "
        "databases, data_mining, game_theory, HCI, information_theory, medical_informatics, "
        "robotics, theoretical_cs",
        1_986_690,
        "75ef6b944cc33e0f41719b68d73314aa753a79e070dcb9928c2438acef4f9aa3",
    ),
    _shchur(
        "coauthor-physics",
        "authors in physics joined by papers, counts of keywords",
        34_493,
        247_962,
        8_415,
        "phys rev d, phys rev a, phys rev b, phys rev c, phys rev e",
        2_364_148,
        "5bdd1659ade7a338f117b6cc5047df642d8396161cb1fa22c9c397ad190d3bd6",
    ),
)

registry: Mapping[str, DatasetEntry] = {
    entry.name: entry for entry in (*_GRAPHS, *HYPERGRAPHS, *TABLES)
}
"""Every dataset by its name."""
