"""A kernel as users get it."""

import copy
import pickle

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import lovasz
from lovasz.linalg.kernel_matrix import Kernel


@pytest.fixture
def K():
    return lovasz.kernel(nx.path_graph(4), "ls")


def test_it_is_a_csr_array_with_a_name(K):
    assert isinstance(K, sparse.csr_array) and K.name == "ls"
    assert repr(K) == "Kernel('ls', 4 nodes, 10 entries, diagonal 1, others from 0.618 to 0.618)"
    assert lovasz.theta(nx.path_graph(4)).kernel.name == "lovasz"


def test_what_is_computed_from_it_has_no_name(K):
    for other in (K @ K, K + K, 2 * K, K[:2], K.T, K.tocsc(), sparse.csr_array(K)):
        assert getattr(other, "name", None) is None
        assert "Kernel" not in repr(other) and "sparse array" in repr(other)
    assert (K @ K)._repr_html_() is None


def test_the_numbers_are_shared_and_copies_keep_the_name(K):
    plain = sparse.csr_array(K)
    assert np.shares_memory(Kernel.named("mine", plain).data, plain.data)
    for same in (pickle.loads(pickle.dumps(K)), copy.copy(K), copy.deepcopy(K)):
        assert repr(same) == repr(K) and (same != K).nnz == 0


def test_a_diagonal_kernel_and_one_with_a_range_have_their_facts():
    assert Kernel.named("one", sparse.csr_array(sparse.eye_array(1))).facts() == [
        "1 node", "1 entry", "diagonal 1"
    ]  # fmt: skip
    assert "diagonal 0.5 to 2" in repr(Kernel.named("two", sparse.csr_array([[0.5, 0], [0, 2]])))
