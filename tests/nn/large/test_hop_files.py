"""K^l X in files, whatever the size of the blocks."""

import numpy as np
import pytest

import lovasz
from lovasz.graphs.families import planted_partition
from lovasz.nn.large.decoupled import Hops, write_hops

GRAPH, Y, _ = planted_partition(400, 4, 0.1, 0.01, seed=0)

K = lovasz.kernel(GRAPH, "ls")
X = np.random.default_rng(0).standard_normal((400, 7)).astype(np.float32) + 0.5 * np.eye(4, 7)[Y]


@pytest.mark.parametrize("memory", [5000, 400 * 8 * 3, 2**30])
def test_hops_are_powers_of_K_whatever_the_blocks(tmp_path, memory):
    hops = write_hops(K, X, 3, tmp_path, memory=memory)
    wanted = np.concatenate([np.linalg.matrix_power(K.toarray(), p) @ X for p in range(4)], axis=1)
    some = np.array([399, 0, 17])
    np.testing.assert_allclose(hops.rows(slice(0, 400)), wanted, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(hops.rows(some), hops.rows(slice(None))[some])
    assert Hops.open(tmp_path) == hops


def test_blocks_are_as_large_as_the_memory_allows(tmp_path):
    calls: list[tuple[int, str]] = []
    write_hops(K, X, 1, tmp_path, memory=400 * 8 * 3, callback=lambda *call: calls.append(call))
    assert len(calls) == 2 * 3  # 7 columns, three at a time, for two files


def test_features_may_be_mapped_and_stored_in_half(tmp_path):
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    hops = write_hops(K, mapped, 1, tmp_path / "hops", dtype=np.float16)
    assert np.load(hops.path(1)).dtype == np.float16
    np.testing.assert_allclose(hops.rows(slice(None))[:, 7:], K @ X, rtol=2e-3, atol=2e-3)
