from __future__ import annotations

import numpy as np
import pytest

import mlreduce
from mlreduce.linalg.utilities import signed, signs


def test_the_entry_of_largest_magnitude_becomes_positive():
    rows = np.array([[0.5, -1.0], [0.5, 1.0], [-1.0, 0.5], [0.0, 0.0]])
    np.testing.assert_array_equal(signed(rows), [[-0.5, 1.0], [0.5, 1.0], [1.0, -0.5], [0.0, 0.0]])
    assert signs(np.zeros((0, 3))).shape == (0,)


def test_rounding_decides_no_sign():
    rows = np.array([[-1.0, 1.0 + 1e-12, 0.5], [1.0, -1.0 - 1e-12, 0.5], [0.5, -1.0, 1.0 + 1e-12]])
    np.testing.assert_array_equal(signs(rows), [-1, 1, -1])


@pytest.mark.parametrize("name", ["pca", "mvmd", "plst", "faie"])
def test_directions_of_mirrored_columns(name, rng):
    for _ in range(20):  # of as many pairs of equal magnitude rounding has its way with one at least
        Z = (rng.random((40, 3)) < 0.4).astype(int)
        Z = np.hstack([Z, 1 - Z])
        P = mlreduce.make(name, n_components=2).fit(Z, Z).components_
        np.testing.assert_allclose(P[:, :3], -P[:, 3:], atol=1e-9)
        strongest = P[np.arange(2), np.abs(P[:, :3]).argmax(axis=1)]
        assert (strongest > 0).all()
