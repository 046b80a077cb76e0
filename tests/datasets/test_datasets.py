"""The catalogue of datasets, and what all of them have in common."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

from lovasz import datasets
from lovasz.base.errors import LovaszError
from lovasz.datasets.catalogue import registry


@pytest.mark.data
@pytest.mark.parametrize("name", sorted(registry))
def test_a_dataset_has_the_registered_size(name):
    entry, data = registry[name], datasets.load(name)
    if entry.m is not None:
        assert (data.graph.n, data.graph.m) == (entry.n, entry.m)
    assert (data.features.shape[1] if data.features is not None else 0) == entry.features
    assert data.y.shape == (entry.n,) and data.y.dtype.kind == "i"
    assert set(data.y) - {-1} == set(range(len(data.classes)))
    for split in data.splits.values():
        rows = np.concatenate([*split.values()])
        assert [*split] == (
            ["train", "val", "test"] if entry.hyperedges is None else ["train", "test"]
        )
        assert np.unique(rows).size == rows.size and (data.y[rows] >= 0).all()


@pytest.mark.data
@pytest.mark.parametrize("name", ["texas", "actor", "chameleon-filtered"])
def test_heterophilous_graphs_have_ten_splits_of_all_nodes(name):
    data = datasets.load(name)
    assert sorted(data.splits) == [str(number) for number in range(10)]
    for split in data.splits.values():
        assert sum(rows.size for rows in split.values()) == data.graph.n


def test_karate_is_that_of_networkx_without_weights():
    import networkx as nx

    data = datasets.load("karate")
    club = nx.karate_club_graph()
    assert (data.graph.adjacency.toarray() == nx.to_numpy_array(club, weight=None)).all()
    assert [data.classes[code] for code in data.y] == [club.nodes[i]["club"] for i in club]


def test_a_file_without_address_asks_for_the_data_folder(cache):
    with pytest.raises(LovaszError, match=r"community/polblogs.npz .*set LOVASZ_DATA"):
        datasets.load("polblogs")


def test_every_entry_is_complete():
    for name, entry in registry.items():
        assert entry.name == name and entry.about and entry.licence and entry.citation
        assert entry.format in datasets._READERS and len(entry.classes) > 1
        for file in entry.files:
            assert re.fullmatch("[0-9a-f]{64}", file.sha256) and file.bytes > 0
            assert file.url is None or file.url.startswith("https://")
            assert file.url is None or file.url.endswith(file.path.rpartition("/")[2])


def test_listing_says_where_the_files_are(tmp_path, cache, monkeypatch):
    def where(name):
        return next(row.where for row in datasets.listing() if row.name == name)

    (file,) = registry["texas"].files
    assert [row.name for row in datasets.listing()] == list(registry)
    assert where("karate") == "ships with lovasz"
    assert where("texas") == "not downloaded" and where("polblogs") == "needs LOVASZ_DATA"
    (cache / file.path).parent.mkdir(parents=True)
    (cache / file.path).touch()
    assert where("texas") == "cached"
    monkeypatch.setenv("LOVASZ_DATA", str(tmp_path))
    assert where("texas") == "cached"
    (tmp_path / file.path).parent.mkdir()
    (tmp_path / file.path).touch()
    assert where("texas") == "found in LOVASZ_DATA"


def test_an_unknown_name_gets_a_hint():
    with pytest.raises(LovaszError, match=r"'citeser'; did you mean 'citeseer'\?"):
        datasets.load("citeser")
    with pytest.raises(LovaszError, match=r"use one of cora, citeseer"):
        datasets.load("42")


def test_names_may_be_written_large():
    assert datasets.load("Karate").name == "karate"


def test_importing_datasets_loads_nothing_heavy():
    check = "import sys, lovasz.datasets; print({'torch', 'sklearn', 'networkx'} & {*sys.modules})"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, env=environment, check=True
    )
    assert run.stdout.strip() == "set()"
