"""The principal plane of vectors."""

import numpy as np
import pytest

from lovasz.linalg.principal import principal_plane


def test_principal_plane_keeps_distances_of_a_plane():
    rng = np.random.default_rng(3)
    flat = rng.normal(size=(40, 2)) @ rng.normal(size=(2, 7))
    points, share = principal_plane(flat)
    assert share.sum() == pytest.approx(1)
    np.testing.assert_allclose(
        np.linalg.norm(points[0] - points[1]), np.linalg.norm(flat[0] - flat[1])
    )
    assert principal_plane(np.ones((5, 1)))[0].shape == (5, 2)
