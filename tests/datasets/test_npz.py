import io
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from lovasz import datasets
from lovasz.datasets.catalogue import registry
from lovasz.datasets.download import read_verified
from lovasz.datasets.npz import read_upper

SHCHUR = ("amazon-photo", "amazon-computers", "coauthor-cs", "coauthor-physics")


def read(**arrays):
    """A path on three nodes and what else ``arrays`` hold."""
    content = io.BytesIO()
    np.savez(
        content,
        labels=np.array([0, 1, 1], dtype=np.int16),
        adj_upper_indptr=np.array([0, 1, 2, 2], dtype=np.int32),
        adj_upper_indices=np.array([1, 2], dtype=np.uint16),
        **arrays,
    )
    entry = replace(registry["polblogs"], classes=("a", "b"))
    return read_upper(entry, {"some.npz": content.getvalue()})


@pytest.mark.data
@pytest.mark.parametrize("name", SHCHUR)
def test_the_classes_are_named_as_in_the_file(name):
    (file,) = registry[name].files
    arrays = np.load(io.BytesIO(read_verified(file)), allow_pickle=False)
    assert tuple(arrays["class_names"]) == registry[name].classes


@pytest.mark.data
@pytest.mark.parametrize("name, isolated", [*zip(SHCHUR, (115, 281, 0, 0), strict=True)])
def test_whole_graphs_are_kept_with_nothing_dropped(name, isolated):
    graph = datasets.load(name).graph
    assert (graph.degrees == 0).sum() == isolated and graph.notes == ()


@pytest.mark.data
@pytest.mark.parametrize("name", SHCHUR)
def test_neighbours_share_words_and_classes(name):
    """Features or labels at the wrong nodes would make neighbours no more alike than strangers."""
    data = datasets.load(name)
    i, j = (ends[::10] for ends in sparse.triu(data.graph.adjacency).nonzero())
    strangers = np.random.default_rng(0).permutation(j)
    words = data.features.sign()
    shared, by_chance = (words[i].multiply(words[k]).sum() for k in (j, strangers))
    assert shared > 1.03 * by_chance
    assert (data.y[i] == data.y[j]).mean() > 0.75 > 0.5 > (data.y[i] == data.y[strangers]).mean()


def test_features_may_be_bits_or_counts_or_missing():
    table = np.array([[1, 0, 0, 0, 0, 0, 0, 0, 1], [0] * 9, [0, 1, 0, 0, 0, 0, 0, 0, 0]])
    packed = read(feat_shape=np.array(table.shape), feat_packed=np.packbits(table, axis=1))
    assert (packed.features.toarray() == table).all() and packed.graph.m == 2
    counts = sparse.csr_array(7 * table)
    kept = read(
        feat_shape=np.array(table.shape),
        feat_indptr=counts.indptr,
        feat_indices=counts.indices.astype(np.uint16),
        feat_data=counts.data.astype(np.uint8),
    )
    assert (kept.features.toarray() == 7 * table).all()
    assert {packed.features.dtype, kept.features.dtype} == {np.dtype(np.float32)}
    assert read().features is None
