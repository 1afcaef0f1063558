"""The seed's Gaussian matrix, its rows made orthonormal one after the other."""

from __future__ import annotations

import numpy as np

from ._families import signs

PARAMETERS = {"random_state": 0}


def definition(X, Y, fitted):
    size = fitted.n_components or min(X.shape)
    rows = np.random.RandomState(0).standard_normal((size, X.shape[1]))
    for i in range(size):
        for before in rows[:i]:
            rows[i] -= (rows[i] @ before) * before
        rows[i] /= np.linalg.norm(rows[i])
    rows *= signs(rows)[:, None]
    np.testing.assert_allclose(fitted.components_, rows, atol=1e-10)
    np.testing.assert_array_equal(fitted.eigenvalues_, 1)
    np.testing.assert_allclose(fitted.mean_, X.mean(axis=0))
