import gzip

import numpy as np
import pytest

from lovasz import datasets
from lovasz.base.errors import LovaszError
from lovasz.datasets.catalogue import registry
from lovasz.datasets.mnist import parse_idx, read_mnist
from lovasz.graphs.similarity import similarity_graph


def idx(array):
    head = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, dtype=">u4").tobytes()
    return gzip.compress(head + array.astype(np.uint8).tobytes())


def read(count=200, **options):
    """MNIST in small: ``count`` images of 28 × 28, digit k at every tenth from k on."""
    rng = np.random.default_rng(0)
    images = rng.integers(256, size=(count, 28, 28)) * (rng.random((count, 28, 28)) < 0.8)
    contents = {"images": idx(images), "labels": idx(np.arange(count) % 10)}
    return read_mnist(registry["mnist"], contents, **options)


@pytest.mark.data
def test_all_images_come_without_a_graph():
    data = datasets.load("mnist")
    assert data.features.shape == (60_000, 784) and data.features.dtype == np.float32
    assert (data.features.min(), data.features.max()) == (0, 1)
    sizes = [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
    assert np.bincount(data.y).tolist() == sizes
    assert repr(data) == "Dataset(mnist: 60,000 rows, no graph, 784 features, 10 classes)"
    with pytest.raises(LovaszError, match=r"60,000 rows; .* load\('mnist', n=2000\)"):
        _ = data.graph


@pytest.mark.data
@pytest.mark.parametrize(
    "n, classes", [(500, (4, 9)), (500, (1, 2, 7)), (2000, (1, 7)), (2000, None)]
)
def test_images_are_joined_where_their_cosine_distance_is_below_0_4(n, classes):
    data = datasets.load("mnist", n=n, classes=classes)
    assert data.features.shape == (n, 784) and data.graph.n == n
    assert data.classes == tuple(str(digit) for digit in classes or range(10))
    assert set(data.y) == set(range(len(data.classes)))
    unit = data.features / np.linalg.norm(data.features.astype(float), axis=1, keepdims=True)
    near = 1 - unit @ unit.T < 0.4
    np.fill_diagonal(near, False)
    assert (data.graph.adjacency.toarray() == near).all()


@pytest.mark.data
def test_images_belong_to_their_labels():
    """A label at the wrong image would make neighbours of one digit no likelier than chance."""
    data = datasets.load("mnist", n=500, classes=(1, 2))
    i, j = data.graph.adjacency.nonzero()
    assert (data.y[i] == data.y[j]).mean() > 0.85


def test_rows_keep_their_image_and_label():
    data = read(n=30, classes=(7, 3), seed=1)
    everything = read().features.tolist()
    rows = [everything.index(image) for image in data.features.tolist()]
    assert rows == sorted(set(rows)) and data.classes == ("7", "3")
    assert [row % 10 for row in rows] == [(7, 3)[code] for code in data.y]


def test_the_seed_decides_which_images():
    first, again, other = (read(n=50, seed=seed) for seed in (0, 0, 1))
    assert (first.features == again.features).all() and (first.graph.m == again.graph.m)
    assert (first.features != other.features).any()
    generator = np.random.default_rng(0)
    assert (read(n=50, seed=generator).features == first.features).all()
    assert (read(n=50, seed=generator).features != first.features).any()


def test_the_graph_is_that_of_the_table():
    data = read(n=200, classes=range(10))
    expected = similarity_graph(data.features, "cosine", threshold=0.4).adjacency
    assert 0 < data.graph.m < 100 * 199 and (data.graph.adjacency != expected).nnz == 0


def test_classes_without_n_are_all_their_images():
    data = read(classes=np.array([9, 0]))
    assert np.bincount(data.y).tolist() == [20, 20] and data.classes == ("9", "0")


def test_an_idx_file_may_have_any_number_of_axes():
    for array in (np.arange(5), np.arange(6).reshape(2, 3), np.arange(24).reshape(2, 3, 4)):
        assert (parse_idx(idx(array)) == array).all()


@pytest.mark.parametrize(
    "options, message",
    [
        ({"n": 0}, r"n=0; .* 1 to 200"),
        ({"n": 41, "classes": (1, 7)}, r"n=41; .* 1 to 40"),
        ({"n": 2.5}, r"n=2.5"),
        ({"n": "all"}, r"n='all'"),
        ({"n": 2, "seed": -1}, r"seed=-1; pass a whole number"),
        ({"n": 2, "seed": "x"}, r"seed='x'"),
        ({"classes": ()}, r"classes=\(\); .* \(1, 7\)"),
        ({"classes": (1, 1)}, r"classes=\(1, 1\)"),
        ({"classes": (1, 10)}, r"classes=\(1, 10\)"),
        ({"classes": "17"}, r"classes='17'"),
        ({"classes": 7}, r"classes=7"),
    ],
)
def test_options_out_of_range_are_named(options, message):
    with pytest.raises(LovaszError, match=f"^{message}") as caught:
        read(**options)
    assert "\n" not in str(caught.value)


def test_an_option_that_a_dataset_does_not_take_is_named_before_anything_is_fetched(monkeypatch):
    monkeypatch.setattr(datasets, "read_verified", None)
    with pytest.raises(LovaszError, match=r"^heart has no option 'n'; it takes none$"):
        datasets.load("heart", n=100)
    with pytest.raises(LovaszError, match=r"no option 'digits'; it takes n, classes, seed$"):
        datasets.load("mnist", digits=(1, 7))
