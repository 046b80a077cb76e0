"""Principal components of vectors."""

import numpy as np
import pytest
from scipy import sparse

from lovasz.linalg.principal import PrincipalAxes, principal_plane


def test_principal_plane_keeps_distances_of_a_plane():
    rng = np.random.default_rng(3)
    flat = rng.normal(size=(40, 2)) @ rng.normal(size=(2, 7))
    points, share = principal_plane(flat)
    assert share.sum() == pytest.approx(1)
    np.testing.assert_allclose(
        np.linalg.norm(points[0] - points[1]), np.linalg.norm(flat[0] - flat[1])
    )
    assert principal_plane(np.ones((5, 1)))[0].shape == (5, 2)


def test_rounding_is_no_direction_of_the_principal_plane():
    along = np.random.default_rng(0).normal(size=30)
    points, _ = principal_plane(np.outer(along, [1 / 3, -1 / 3, 1 / 7]))
    assert np.ptp(points[:, 0]) > 1 and not points[:, 1].any()
    assert not principal_plane(np.zeros((4, 3)))[0].any()


@pytest.mark.parametrize("shape", [(300, 80), (80, 300), (40, 6)])
def test_main_directions_of_sparse_and_dense_rows_are_those_of_the_whole_matrix(shape):
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(shape[0], 4)) @ (5 * rng.normal(size=(4, shape[1])))
    rows = (factors + rng.normal(size=shape)) * (rng.random(shape) < 0.9)
    axes = PrincipalAxes.of(rows, 4)
    dense = axes(rows)
    assert dense.shape == (shape[0], 4)
    thin = sparse.csr_array(rows)
    np.testing.assert_allclose(dense, PrincipalAxes.of(thin, 4)(thin), atol=1e-8)
    np.testing.assert_allclose(dense[:7], axes(thin[:7]), atol=1e-8)
    np.testing.assert_allclose(axes.directions.T @ axes.directions, np.eye(4), atol=1e-8)
    exact = np.linalg.svd(rows - rows.mean(axis=0), compute_uv=False)[:4]
    np.testing.assert_allclose(np.linalg.norm(dense, axis=0), exact, rtol=1e-3)
