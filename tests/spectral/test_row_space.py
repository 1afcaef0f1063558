"""Coordinates in the row space of wide features belong to its basis, the weak directions too."""

import numpy as np
import pytest

import mlreduce
from mlreduce.linalg.features import Features
from mlreduce.spectral.instances import row_space


@pytest.fixture
def wide(rng):
    """Thirty rows of 80 features, whose singular values fall by four digits."""
    left, right = (np.linalg.qr(rng.standard_normal((size, 30)))[0] for size in (30, 80))
    return left @ np.diag(np.logspace(0, -4, 30)) @ right.T


def test_coordinates_belong_to_the_basis(wide, rng):
    for _ in range(5):
        X = wide[:, rng.permutation(80)]
        features = Features(X, centred=False)
        space = row_space(features)
        coordinates, basis = space.coordinates, space.times(features, np.eye(30))
        np.testing.assert_allclose(basis.T @ basis, np.eye(30), atol=1e-9)
        np.testing.assert_allclose(coordinates.X @ basis.T, X, atol=1e-10)


@pytest.mark.parametrize("on", ["P", "Z"])
def test_mope_on_wide_features_does_not_depend_on_the_order_of_columns(on, wide, rng):
    Y = (rng.random((30, 4)) < 0.4).astype(int)
    Y[0] = 1
    plain = mlreduce.MOPE(n_components=5, combine="labels", on=on).fit(wide, Y).components_
    columns = rng.permutation(80)
    moved = mlreduce.MOPE(n_components=5, combine="labels", on=on).fit(wide[:, columns], Y).components_
    np.testing.assert_allclose(moved, plain[:, columns], rtol=1e-7, atol=1e-7 * np.abs(plain).max())
