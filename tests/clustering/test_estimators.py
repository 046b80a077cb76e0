"""LovaszEmbedding and LovaszClustering behave as scikit-learn's own."""

import networkx as nx
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import SpectralClustering
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_mutual_info_score

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.graphs.families import planted_partition

TABLE, Y = make_blobs(120, centers=3, cluster_std=0.8, random_state=0)


@pytest.mark.parametrize("kind", [lovasz.LovaszEmbedding, lovasz.LovaszClustering])
def test_clone_and_parameters(kind):
    model = kind(3, affinity="knn", affinity_options={"k": 7})
    copy = clone(model)
    assert copy is not model and copy.get_params() == model.get_params()
    assert copy.set_params(kernel="gcn").kernel == "gcn"
    assert "affinity='knn'" in repr(model)


@pytest.mark.parametrize(
    "options",
    [{"affinity": "rbf"}, {"affinity": "knn", "affinity_options": {"k": 8}}],
)
def test_clusters_of_a_table(options):
    model = lovasz.LovaszClustering(3, random_state=0, **options).fit(TABLE)
    assert model.labels_.shape == (120,) and model.n_clusters_ == 3
    assert adjusted_mutual_info_score(Y, model.labels_) > 0.8
    assert (model.fit_predict(TABLE) == model.labels_).all()


def test_clusters_by_neighbours_are_as_good_as_spectral_ones_on_average():
    """On one table, the rounding of a processor may decide about a node or two.

    With "rbf" they are not: 0.63 against 0.77 on these tables.
    """
    ours, theirs = [], []
    for seed in range(6):
        table, y = make_blobs(120, centers=3, cluster_std=1.2, random_state=seed)
        model = lovasz.LovaszClustering(3, affinity="knn", random_state=0).fit(table)
        peer = SpectralClustering(3, random_state=0).fit_predict(table)
        ours.append(adjusted_mutual_info_score(y, model.labels_))
        theirs.append(adjusted_mutual_info_score(y, peer))
    assert np.mean(ours) > np.mean(theirs) - 0.05


def test_clusters_of_cosines():
    rng = np.random.default_rng(0)
    table = np.repeat(np.eye(3), 20, axis=0) + 0.1 * rng.random((60, 3))
    found = lovasz.LovaszClustering(affinity="cosine", random_state=0).fit(table)
    assert found.n_clusters_ == 3
    assert adjusted_mutual_info_score(np.repeat([0, 1, 2], 20), found.labels_) == 1


def test_labels_in_y_name_the_clusters():
    graph, y, _ = planted_partition(90, 3, 0.5, 0.05, seed=0)
    known = {int(i): "abc"[y[i]] for i in range(0, 90, 9)}
    model = lovasz.LovaszClustering(random_state=0).fit(graph, known)
    assert set(model.labels_) == set("abc")
    assert (model.labels_ == np.array(list("abc"))[y]).mean() > 0.95
    assert model.confidence_.shape == (90,) and len(model.communities_) == 3


def test_the_embedding_has_the_products_of_the_kernel():
    graph = nx.petersen_graph()
    full = lovasz.LovaszEmbedding(10, kernel="lovasz").fit(graph)
    K = lovasz.kernel(graph, "lovasz").toarray()
    assert np.allclose(full.embedding_ @ full.embedding_.T, K, atol=1e-6)
    assert (np.diff(full.eigenvalues_) <= 1e-9).all()
    short = lovasz.LovaszEmbedding(4, normalize=True).fit_transform(graph)
    assert short.shape == (10, 4) and np.allclose(np.linalg.norm(short, axis=1), 1)


def test_the_embedding_finds_its_own_dimension():
    graph, _, _ = planted_partition(200, 4, 0.4, 0.05, seed=0)
    model = lovasz.LovaszEmbedding().fit(graph)
    assert model.embedding_.shape == (200, 4)
    assert (model.eigenvalues_ > model.cut_).all()


def test_bad_parameters():
    with pytest.raises(LovaszError, match="n_components=0"):
        lovasz.LovaszEmbedding(0).fit(nx.cycle_graph(5))
    with pytest.raises(LovaszError, match="unknown affinity 'x'"):
        lovasz.LovaszClustering(affinity="x").fit(TABLE)
